from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator

import pytest
from tests.support.jobs import call
from tests.support.office import changed, make_odf, make_raw_book, make_sheets, make_slides, make_words

from eyeline.errors import CorruptMedia
from eyeline.media.office.engine import DOCX, ODP, ODS, ODT, PPTX, XLSX, admit, read_blocks

ROW = '<row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c s="1"><v>0.5</v></c></row>'
PARAGRAPH = "<text:p>kept</text:p>"
TABLE = (
    f'<table:table table:name="S"><table:table-row><table:table-cell>{PARAGRAPH}</table:table-cell></table:table-row>'
)
BESIDE = {"styles.xml": b"<office:x xmlns:office='o'/>", "META-INF/manifest.xml": b"<manifest/>"}
DOCUMENTS = {
    "words": (DOCX, make_words(), {"_rels/.rels", "word/document.xml"}),
    "slides": (PPTX, make_slides(3), {"_rels/.rels", "ppt/presentation.xml"}),
    "sheets": (XLSX, make_sheets(), {"_rels/.rels", "xl/workbook.xml"}),
    "shared texts": (
        XLSX,
        make_raw_book(ROW, strings="<si><t>one</t></si><si><t>two</t></si>", styles="0%"),
        {"_rels/.rels", "xl/workbook.xml"},
    ),
    "odt": (ODT, make_odf("text", PARAGRAPH, more=BESIDE), {"content.xml"}),
    "odp": (ODP, make_odf("presentation", f"<draw:page>{PARAGRAPH}</draw:page>", more=BESIDE), {"content.xml"}),
    "ods": (ODS, make_odf("spreadsheet", f"{TABLE}</table:table>", more=BESIDE), {"content.xml"}),
}
"""Documents, and the parts without which there is none."""


Damage = Callable[[bytes], bytes | None]


def _cut(part: bytes) -> bytes | None:
    return part[: len(part) // 2]


def _gone(part: bytes) -> bytes | None:
    del part
    return None


def _parts() -> Iterator[tuple[str, str]]:
    for name, (_, data, _) in DOCUMENTS.items():
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from ((name, part) for part in archive.namelist() if "/slideLayout1" not in part)


def _read(data: bytes, media_type: str) -> tuple[str, bool]:
    """The readable text, and whether something is told to be missing."""
    value, (text, *_) = call(read_blocks, data, media_type=media_type)
    unread = [section for section in value["sections"] if not section["is_read"]]
    return text.decode(), bool(unread or value["lost"] or value["counts"].get("unreadable_pictures"))


@pytest.mark.parametrize("damage", [_cut, _gone])
@pytest.mark.parametrize(("name", "part"), list(_parts()))
def test_a_part_that_is_damaged_costs_itself_and_is_told(name: str, part: str, damage: Damage) -> None:
    media_type, data, needed = DOCUMENTS[name]
    broken = changed(data, lambda each, held: damage(held) if each == part else held)
    if part in needed:
        with pytest.raises(CorruptMedia):
            call(admit, broken, media_type=media_type, max_pages=100)
        return
    value, _ = call(admit, broken, media_type=media_type, max_pages=100)
    assert value["outcome"] == "admitted"
    whole, says_so = _read(data, media_type)
    assert not says_so
    text, says_so = _read(broken, media_type)
    is_list_gone = part.endswith(".rels") and damage is _gone  # nothing is left that says what there was
    assert says_so or text == whole or is_list_gone


@pytest.mark.parametrize(
    ("part", "kept"),
    [("xl/strings.xml", "50%"), ("xl/styles.xml", "| one | two | 0.5 |"), ("xl/_rels/workbook.xml.rels", "")],
)
def test_cells_stand_as_far_as_they_do_not_need_what_is_damaged(part: str, kept: str) -> None:
    media_type, data, _ = DOCUMENTS["shared texts"]
    text, says_so = _read(changed(data, lambda each, held: _cut(held) if each == part else held), media_type)
    assert (kept in text, says_so) == (True, True)


@pytest.mark.parametrize(
    "part", ["word/_rels/document.xml.rels", "word/styles.xml", "word/comments.xml", "word/header1.xml"]
)
def test_the_words_of_a_text_need_nothing_that_stands_beside_it(part: str) -> None:
    media_type, data, _ = DOCUMENTS["words"]
    text, says_so = _read(changed(data, lambda each, held: _cut(held) if each == part else held), media_type)
    assert [each in text for each in ("PX-4417", "second part", "valve \\| seat")] == [True] * 3
    assert says_so


@pytest.mark.parametrize(
    "part",
    [
        "ppt/slides/slide2.xml",
        "ppt/slides/_rels/slide2.xml.rels",
        "ppt/slideMasters/_rels/slideMaster1.xml.rels",
        "ppt/notesSlides/notesSlide1.xml",
    ],
)
def test_the_other_slides_stand(part: str) -> None:
    media_type, data, _ = DOCUMENTS["slides"]
    text, says_so = _read(changed(data, lambda each, held: _cut(held) if each == part else held), media_type)
    assert [each in text for each in ("# Pump plan", "- point two", "# Slide 3", "lower box")] == [True] * 4
    assert says_so
