"""The engine of office documents: jobs that admit one, read it as blocks, and read a block of cells of a sheet.

How each is read is told in `words`, `slides`, `sheets`, `odf`, `odf_sheets` and `rtf` beside this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from eyeline.errors import CorruptMedia, EncryptedMedia, MediaError, MediaTooLarge, UnsupportedMedia
from eyeline.media.markup_blocks import BlockWriter
from eyeline.media.markup_pictures import Pictures
from eyeline.media.office import odf, rtf, slides, words
from eyeline.media.office.grid import Book, Extent
from eyeline.media.office.odf_sheets import odf_book
from eyeline.media.office.package import Package
from eyeline.media.office.script import MAX_PICTURE_TOTAL, MAX_PICTURES, Script
from eyeline.media.office.sheets import workbook_of
from eyeline.media.office.tables import read_sheets, write_cells
from eyeline.model.document import AdmissionOutcome
from eyeline.model.media_type import MediaType
from eyeline.model.probe import PageSize, Probe, SheetExtent

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

DECODER = "eyeline.office 1"
MAX_CHARS = 4_000_000
MAX_SHEETS = 2_000

_OOXML, _ODF = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
DOCX, XLSX = f"{_OOXML}.wordprocessingml.document", f"{_OOXML}.spreadsheetml.sheet"
PPTX = f"{_OOXML}.presentationml.presentation"
ODT, ODS, ODP = f"{_ODF}.text", f"{_ODF}.spreadsheet", f"{_ODF}.presentation"
RTF, LOCKED = "application/rtf", "application/x-ooxml-protected"


@dataclass(frozen=True, slots=True)
class _Found:
    pages: tuple[PageSize, ...] = ()
    sheets: tuple[SheetExtent, ...] = ()
    notes: tuple[str, ...] = ()


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Read everything that the kind of document is made of once; see `media.engines` for the contract.

    A part that cannot be read and without which the document goes on is a note (`unreadable_sheets`,
    `unreadable_parts`). Further notes: `has_macros`, `external_references`, `duplicate_members`, `odd_member_names`.
    """
    media_type = str(params["media_type"])
    if media_type == LOCKED:
        raise EncryptedMedia("the document is encrypted", hint="save it without its password")
    if media_type == RTF:
        rtf.read_rtf(reader.read(), _script(MAX_CHARS))
        found = _Found()
    else:
        found = _survey(reader, media_type)
    if len(found.sheets) > MAX_SHEETS or sum(run.count for run in found.pages) > int(params["max_pages"]):
        return _answer(AdmissionOutcome.OVER_PAGES, "it has more slides or sheets than are read", None)
    probe = Probe(MediaType(media_type), pages=found.pages, sheets=found.sheets, notes=found.notes)
    return _answer(AdmissionOutcome.ADMITTED, None, {**asdict(probe), "media_type": media_type})


def read_blocks(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add the readable text, its blocks (see `media.markup_blocks`) and the embedded pictures to `out`, in this order.

    `params`: `media_type`; `max_chars` of readable text. The place of a block is the rows it holds, of a sheet; none
    elsewhere. Returns `sections` (see `script.Section`; the number of a block's section is its place in this list,
    from 1), `is_complete`, the number of `lost` parts that cannot be read, `counts` of what was left out by what it is
    called in a warning, `invisible` characters that were dropped, `pictures` (path, media type, the character it stands
    at, and its slide, or its sheet and cell),
    `pictures_found` and `pictures_left_out`. Raises `CorruptMedia` for what cannot be read as its type.
    """
    media_type = str(params["media_type"])
    script = _script(int(params.get("max_chars", MAX_CHARS)))
    read = _READ.get(media_type)
    if read is None:
        raise UnsupportedMedia(f"{media_type!r} is no office document that is read here")
    if media_type == RTF:
        rtf.read_rtf(reader.read(), script)
        package = None
    else:
        package = Package(reader)
        read(package, script)
    pictures = script.pictures
    for output in (*script.writer.outputs(), *(kept.bytes for kept in pictures.kept)):
        out.add(output)
    return {
        "sections": [asdict(section) for section in script.sections],
        "is_complete": not script.writer.is_full,
        "counts": {name: count for name, count in script.counts.items() if count},
        "lost": 0 if package is None else len(package.lost),
        "external": 0 if package is None else package.external,
        "invisible": script.writer.unseen,
        "pictures": [
            [kept.path, str(kept.media_type), kept.place[0], script.spots.get(kept.path, [])] for kept in pictures.kept
        ],
        "pictures_found": pictures.found,
        "pictures_left_out": pictures.left_out,
    }


def read_cells(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add a block of cells of one sheet to `out` as a table with the letters of columns and the numbers of rows.

    `params`: `media_type`; `sheet`, its place from 0; `first` and `last`, row and column of the corners; `max_chars`.
    Returns what `tables.write_cells` found: where the block goes on, merged cells, and what is hidden.
    """
    book = book_of(Package(reader), str(params["media_type"]))
    corners = [(int(row), int(column)) for row, column in (params["first"], params["last"])]
    table = write_cells(
        book, int(params["sheet"]), first=corners[0], last=corners[1], max_chars=int(params["max_chars"])
    )
    out.add(table.text.encode("utf-8", "replace"))
    return {**asdict(table), "text": ""}


def book_of(package: Package, media_type: str) -> Book:
    """The workbook of a package. Raises `CorruptMedia` where it is none."""
    return odf_book(package) if media_type == ODS else workbook_of(package)


def _survey(reader: Reader, media_type: str) -> _Found:
    package = Package(reader)
    pages: tuple[PageSize, ...] = ()
    sheets: tuple[SheetExtent, ...] = ()
    notes: list[str] = []
    if media_type == DOCX:
        _read(words.read_words, package)
    elif media_type == ODT:
        _read(odf.read_text, package)
    elif media_type == PPTX:
        deck = slides.deck_of(package)
        pages = (PageSize(len(deck.names), deck.width_pt, deck.height_pt),) if deck.names else ()
        notes += ["unreadable_slides"] * any(not _is_readable(package, name) for name in deck.names)
    elif media_type == ODP:
        sizes = groupby(odf.slide_sizes(package))
        pages = tuple(PageSize(len(list(run)), *size) for size, run in sizes)
    else:
        book = book_of(package, media_type)
        sheets, has_unreadable = _extents(book)
        notes += ["unreadable_sheets"] * has_unreadable
    if any(name.lower().endswith("vbaproject.bin") for name in package.names):
        notes.append("has_macros")
    notes += ["external_references"] * bool(package.external) + ["unreadable_parts"] * bool(package.lost)
    return _Found(pages, sheets, (*package.notes, *notes))


def _read(read: Callable[[Package, Script], None], package: Package) -> None:
    read(package, _script(MAX_CHARS))


def _is_readable(package: Package, name: str) -> bool:
    try:
        package.tree(name)
    except (CorruptMedia, MediaTooLarge):
        return False
    return True


def _extents(book: Book) -> tuple[tuple[SheetExtent, ...], bool]:
    """How far the cells of each sheet are used; of one that cannot be read, how far it could."""
    found: list[SheetExtent] = []
    has_unreadable = False
    for sheet in book.sheets:
        extent = Extent()
        try:
            book.rows(sheet, extent.add, strings=False)
        except EncryptedMedia:
            raise
        except MediaError:
            has_unreadable = True
        has_unreadable = has_unreadable or sheet.is_cut
        found.append(SheetExtent(sheet.name, extent.rows, extent.columns))
    return tuple(found), has_unreadable


def _script(max_chars: int) -> Script:
    return Script(BlockWriter(max_chars), Pictures(most=MAX_PICTURES, most_bytes=MAX_PICTURE_TOTAL))


def _answer(outcome: AdmissionOutcome, reason: str | None, probe: dict[str, Any] | None) -> dict[str, Any]:
    return {"outcome": outcome.value, "reason": reason, "decoder": DECODER, "probe": probe}


def _sheets(media_type: str) -> Callable[[Package, Script], None]:
    return lambda package, script: read_sheets(book_of(package, media_type), script, package=package)


_READ: dict[str, Callable[[Package, Script], None]] = {
    DOCX: words.read_words,
    PPTX: slides.read_slides,
    XLSX: _sheets(XLSX),
    ODT: odf.read_text,
    ODP: odf.read_presentation,
    ODS: _sheets(ODS),
    RTF: lambda _, __: None,
}
