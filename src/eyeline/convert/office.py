"""The routes of office documents: the text in order with characters, slides or cells as places, and pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.typesetting import typeset
from eyeline.errors import InvalidLocator
from eyeline.media.bounded.job import JobResult
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import MAX_LOCATOR_CHARS, Chars, Locator, SheetRange, cell_range
from eyeline.model.media_type import MediaType
from eyeline.model.probe import SheetExtent
from eyeline.model.reading import HIDDEN_TEXT, Component, Coverage, DerivationKind, Gap

TEXT, PICTURES, STRUCTURE = "text", "pictures", "structure"
WHOLE = Locator()
MAX_CHARS = 4_000_000
PIECE_CHARS = 600

_WARNED = {
    "outside": "not_fetched",
    "deleted_text": "deleted_text_left_out",
    "dde": "dde_not_run",
    "formulas_without_values": "formulas_without_values",
    "cut": "shown_in_part",
}
"""Counts of a reading, and the warnings that tell them."""

_TITLES = {
    "notes": "Notes",
    "comments": "Comments",
    "margins": "Headers and footers",
    "hidden": "Hidden text",
    "speaker": "Speaker notes",
}

Row = tuple[str, int, int, tuple[int, int]]
"""A block: text, where it begins and ends in the readable text, and the rows of a sheet that it holds."""


@dataclass(frozen=True, slots=True)
class OfficeConverter:
    """Readable text in sections: from heading to heading, slide by slide, or sheet by sheet."""

    route: str
    has_pages: bool = True
    """Whether its pages are set, where a program for that is present."""

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The engine, the bound on characters, and what sets the pages."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        bound = Component("max_chars", str(MAX_CHARS))
        setting = bench.typesetter.components if self.has_pages and bench.typesetter is not None else ()
        thumbnails = (Component("max_thumbnails", str(bench.max_thumbnails)),) if setting else ()
        return (*(Component(name, version) for name, version in versions.items()), bound, *setting, *thumbnails)

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read up to the bound. A slide, sheet or picture that cannot be read is a gap and loses no other."""
        result = _blocks(original, bench)
        reading = Reading(facts=_facts(original, result))
        sheets = original.probe.sheets
        for section, rows in _by_section(result):
            _section(reading, section, rows, sheets=sheets, is_only=_is_only(result, section))
        _account(reading, original, result)
        _pictures(reading, result, sheets=sheets)
        if self.has_pages:
            typeset(reading, original, bench=bench)
        return reading


def _blocks(original: Original, bench: Bench) -> JobResult:
    with original.source.open() as source:
        return bench.pool.run(
            "eyeline.media.office.engine:read_blocks",
            {"media_type": str(original.content.media_type), "max_chars": MAX_CHARS},
            source=source,
            limits=job_limits(bench.limits),
            cancel=bench.cancel,
        )


def _facts(original: Original, result: JobResult) -> dict[str, str | int]:
    probe = original.probe
    if probe.sheets:
        return {"sheets": len(probe.sheets)}
    if probe.pages:
        return {"slides": probe.page_count}
    return {"chars": len(result.outputs[0].decode("utf-8"))}


def _is_only(result: JobResult, section: dict[str, Any]) -> bool:
    return sum(each["kind"] == section["kind"] for each in result.value["sections"]) == 1


def _by_section(result: JobResult) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    """Each section with its blocks, also those that have none."""
    text, start = result.outputs[0].decode("utf-8"), 0
    blocks: dict[int, list[Row]] = {}
    for number, _, end, first, last in json.loads(result.outputs[1]):
        blocks.setdefault(number, []).append((text[start:end], start, end, (first, last)))
        start = end
    for number, section in enumerate(result.value["sections"], 1):
        yield section, blocks.get(number, [])


def _section(
    reading: Reading, section: dict[str, Any], rows: list[Row], *, sheets: tuple[SheetExtent, ...], is_only: bool
) -> None:
    """One section. Its title is ours; the name of a sheet is text of the source and stands inside the fence."""
    title = _title(section, is_only=is_only)
    where = _where(section, sheets)
    is_within = section["kind"] in ("notes", "comments", "speaker") and section["number"] > 0
    reading.builder.heading(title, level=3 if is_within else 2)
    if not section["is_read"]:
        code = "unreadable_sheet" if section["kind"] == "sheet" else "unreadable_page"
        reading.gaps.append(Gap(TEXT, code, where))
        reading.builder.note(f"Gap `{code}`: it cannot be read, or only in part.")
    if section["hidden"]:
        _warn(reading, section, rows, where)
    if section["facts"]:
        reading.builder.note(f"Merged cells: {', '.join(section['facts'])}.")
    if rows:
        extent = _extent(section, sheets) if section["kind"] == "sheet" else None
        reading.builder.quote(
            title, DerivationKind.EXTRACTION, pieces=_pieces(rows, where, extent=extent), info="markdown"
        )
    for rest in _rests(section, sheets):
        reading.gaps.append(Gap(TEXT, "over_budget", rest))
        reading.builder.note(f"Gap `over_budget`: the sheet goes on: open `{rest}` for the rest.")


def _extent(section: dict[str, Any], sheets: tuple[SheetExtent, ...]) -> SheetExtent:
    number: int = section["number"]
    return sheets[number - 1]


def _title(section: dict[str, Any], *, is_only: bool) -> str:
    kind, number = section["kind"], section["number"]
    if kind == "text":
        return "Text" if is_only else f"Section {number}"
    if kind in ("slide", "sheet"):
        return f"{kind.capitalize()} {number}"
    place = "" if not number else f"{'Sheet' if section['name'] else 'Slide'} {number}: "
    title = _TITLES[kind]
    return f"{place}{title.lower()}" if place else title


def _where(section: dict[str, Any], sheets: tuple[SheetExtent, ...]) -> Locator:
    """The slide or sheet of a section; the whole for one of running text."""
    if not section["number"] or section["kind"] == "text":
        return WHOLE
    return _sheet(section["name"], None) if sheets else Locator(page=section["number"])


def _sheet(name: str, cells: str | None) -> Locator:
    """A locator of a sheet; the whole where its name makes none that can be read again."""
    try:
        locator = Locator(sheet=SheetRange(name, cells))
    except InvalidLocator:
        return WHOLE
    return locator if len(str(locator)) <= MAX_LOCATOR_CHARS else WHOLE


def _pieces(rows: list[Row], where: Locator, *, extent: SheetExtent | None) -> Iterator[Piece]:
    """Blocks put together to pieces of some hundred characters, each with its place."""
    held: list[Row] = []
    for row in rows:
        if held and (held[-1][2] - held[0][1] + len(row[0]) > PIECE_CHARS or (held[-1][3][0] < 0) != (row[3][0] < 0)):
            yield _piece(held, where, extent=extent)
            held = []
        held.append(row)
    if held:
        yield _piece(held, where, extent=extent)


def _piece(held: list[Row], where: Locator, *, extent: SheetExtent | None) -> Piece:
    text = "".join(row[0] for row in held)
    if where == WHOLE:
        return Piece(text, Locator(chars=Chars(held[0][1], held[-1][2])))
    places = [place for _, _, _, place in held if place[0] >= 0]
    if extent is None or not places:
        return Piece(text, where)
    first, last = min(place[0] for place in places), max(place[1] for place in places) - 1
    return Piece(text, _sheet(extent.name, cell_range((first, 1), (last, max(extent.columns, 1)))))


def _warn(reading: Reading, section: dict[str, Any], rows: list[Row], where: Locator) -> None:
    count = section["hidden"]
    place = str(where) if where else f"char={rows[0][1]},{rows[-1][2]}" if rows else "document"
    reading.warnings.append(f"{HIDDEN_TEXT}:{place}:{count}")
    what = "this part is hidden" if section["is_hidden"] or section["kind"] == "hidden" else "parts of it are hidden"
    reading.builder.note(f"Warning `{HIDDEN_TEXT}`: {what}: an application does not show {count} of these characters.")


def _rests(section: dict[str, Any], sheets: tuple[SheetExtent, ...]) -> Iterator[Locator]:
    """What of a sheet lies beyond the bounds: rows, and columns."""
    row, column = section["rest"]
    if section["kind"] != "sheet" or not (row or column):
        return
    extent = _extent(section, sheets)
    if row and row <= extent.rows:
        yield _sheet(extent.name, cell_range((row, 1), (extent.rows, extent.columns)))
    if column:
        last = row - 1 if row else extent.rows
        yield _sheet(extent.name, cell_range((1, column), (max(last, 1), max(extent.columns, column))))


def _account(reading: Reading, original: Original, result: JobResult) -> None:
    """Coverage, gaps and warnings."""
    found, probe = result.value, original.probe
    chars = len(result.outputs[0].decode("utf-8"))
    sections: list[dict[str, Any]] = found["sections"]
    read = sum(each["is_read"] and not any(each["rest"]) for each in sections if each["kind"] in ("slide", "sheet"))
    if probe.sheets or probe.pages:
        unit, total = ("sheets", len(probe.sheets)) if probe.sheets else ("slides", probe.page_count)
        reading.coverage.append(Coverage(TEXT, unit, min(read, total), total))
    else:
        reading.coverage.append(Coverage(TEXT, "characters", chars, chars))
    if not found["is_complete"]:
        reading.gaps.append(Gap(TEXT, "over_budget", WHOLE))
        reading.builder.note(f"Gap `over_budget`: the reading ends after {chars} characters.")
    elif not chars and not any(gap.lane == TEXT for gap in reading.gaps):
        reading.gaps.append(Gap(TEXT, "nothing_found", WHOLE))
        reading.builder.note("Gap `nothing_found`: there is no text in this document.")
    counts = {**found["counts"], "outside": found["counts"].get("outside", 0) or found["external"]}
    reading.warnings += [f"{name}:{counts[key]}" for key, name in _WARNED.items() if counts.get(key)]
    if found["invisible"]:
        reading.warnings.append(f"invisible_characters:{found['invisible']}")
    if found["lost"]:
        reading.gaps.append(Gap(STRUCTURE, "failed", WHOLE))
        reading.warnings.append(f"unreadable_parts:{found['lost']}")


def _pictures(reading: Reading, result: JobResult, *, sheets: tuple[SheetExtent, ...]) -> None:
    found = result.value
    unreadable = found["counts"].get("unreadable_pictures", 0)
    total = found["pictures_found"] + unreadable
    if total:
        kept = found["pictures_found"] - found["pictures_left_out"]
        reading.coverage.append(Coverage(PICTURES, "pictures", kept, total))
    if unreadable or found["pictures_left_out"]:
        reading.gaps.append(Gap(PICTURES, "failed", WHOLE))
        reading.warnings.append(f"pictures_left_out:{unreadable + found['pictures_left_out']}")
    for (path, media_type, at, spot), data in zip(found["pictures"], result.outputs[2:], strict=True):
        where = _spot(at, spot, sheets)
        reading.assets.append(AssetDraft(path, data, MediaType(media_type), where))
        reading.builder.note(f"The picture `{path}` stands at `{where}`.")


def _spot(at: int, spot: list[Any], sheets: tuple[SheetExtent, ...]) -> Locator:
    """Where a picture stands: at a character, on a slide, or at a cell."""
    if not spot:
        return Locator(chars=Chars(at, at + 1))
    number: int = spot[0]
    return _sheet(sheets[number - 1].name, str(spot[1])) if len(spot) == 2 else Locator(page=number)
