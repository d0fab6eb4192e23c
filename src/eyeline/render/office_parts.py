"""Parts of office documents: the text as it was read, a slide, a block of cells, a page where pages were typeset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.model.display import shown
from eyeline.model.envelope import Truncation
from eyeline.model.limits import MARKDOWN, PLAIN, Limits
from eyeline.model.locator import Chars, Locator, SheetRange, cell_range
from eyeline.model.manifest import Role, Transform
from eyeline.model.probe import Probe, SheetExtent
from eyeline.model.reading import HIDDEN_TEXT, DerivationKind, Segment
from eyeline.render.embedded_parts import EmbeddedPictures
from eyeline.render.subject import Answer, Room, Subject
from eyeline.render.text_parts import reading_parts, text_part
from eyeline.render.typeset_parts import TypesetPages

MAX_LISTED_SHEETS = 50

Corner = tuple[int, int]


@dataclass(frozen=True, slots=True)
class OfficeTools:
    """What opens office documents."""

    pool: BoundedPool
    limits: Limits
    embedded: EmbeddedPictures
    pages: TypesetPages


def office_kinds(probe: Probe) -> tuple[str, ...]:
    """Sheets of a workbook; slides, and pages of a text where they were typeset; characters of what was read."""
    return ("sheet", "char") if probe.sheets else ("page", "xywh", "char")


def open_office(subject: Subject, locator: Locator, *, room: Room, tools: OfficeTools) -> Answer:
    """What a locator names; without one the text with its structure, the first page, and what there is to open.

    Raises `LocatorOutOfRange` with the sheets, the used cells or the number of slides that there are, and
    `LocatorUnsupported` for a page where pages are not known.
    """
    if locator.sheet is not None:
        return _open_cells(subject, locator, room=room, tools=tools)
    answer = Answer()
    if subject.reading is None:
        answer.notes.append("no_representation")
    if locator.page is not None or locator.region is not None:
        _open_page(answer, subject, replace(locator, page=locator.page or 1), room=room, tools=tools)
    elif locator.chars is not None:
        _add(answer, reading_parts(subject, locator, room=room))
        tools.embedded.add(answer, subject, among=locator.chars, room=room)
        _note_hidden(answer, subject, lambda segment: _overlaps(segment, locator.chars))
    else:
        _open_whole(answer, subject, room=room, tools=tools)
    return answer


def _open_whole(answer: Answer, subject: Subject, *, room: Room, tools: OfficeTools) -> None:
    reading = subject.reading
    if reading is None:
        return
    if tools.pages.has(reading, subject.probe):
        answer.has_pictures = True
        answer.parts += tools.pages.pictures(reading, Locator(page=1), room=room)
    media_type = room.acceptance.text(MARKDOWN, served=room.served.texts)
    segments = [each for each in reading.source_map.segments if each.derivation_kind is DerivationKind.EXTRACTION]
    kept = _fitting(segments, room.answer.max_text_chars)
    text = "".join(reading.text[each.start : each.end] for each in kept)[: room.answer.max_text_chars]
    if media_type is not None and text.strip():
        kind = DerivationKind.EXTRACTION
        part = text_part(text, role=Role.SOURCE_TEXT, locator=Locator(), media_type=media_type, kind=kind)
        answer.parts.append(part)
        if len(kept) < len(segments):
            left = sum(each.end - each.start for each in segments[len(kept) :])
            rest = _rest(segments[len(kept)], subject.probe)
            answer.truncation.append(Truncation("answer_text_chars", f"{left} characters of readable text", rest))
    if answer.parts and reading.account.hides_text():
        answer.notes.append(HIDDEN_TEXT)
    _about(answer, subject, room=room)
    if not subject.probe.sheets and not subject.probe.pages:
        tools.embedded.add(answer, subject, among=Chars(0, len(text)), room=room)


def _open_page(answer: Answer, subject: Subject, locator: Locator, *, room: Room, tools: OfficeTools) -> None:
    """A slide, or a typeset page of a text: its picture where there is one, its text, and the pictures on it."""
    reading, probe = subject.reading, subject.probe
    has_pages = reading is not None and tools.pages.has(reading, probe)
    if not probe.pages and not has_pages:
        hint = "its pages are known where LibreOffice was there at conversion; open it by char"
        raise LocatorUnsupported(
            "the pages of this text are not known", hint=hint, asked=str(locator), accepted=["char"]
        )
    if locator.region is not None and not has_pages:
        hint = "pictures of slides are made where LibreOffice was there at conversion; open the slide without xywh"
        raise LocatorUnsupported(
            "a region needs a page picture", hint=hint, asked=str(locator), accepted=["page", "char"]
        )
    page = locator.page or 1
    count = probe.page_count or (tools.pages.count(reading) if reading is not None else 0)
    if page > count:
        kind = "slide" if probe.pages else "page"
        message = f"{kind} {page} is past the end: there {'is' if count == 1 else 'are'} {count}"
        raise LocatorOutOfRange(message, hint=f"{kind}s go from 1 to {count}", asked=page, extent=count)
    if reading is None:
        return
    if has_pages and locator.chars is None:
        answer.has_pictures = True
        answer.parts += tools.pages.pictures(reading, locator, room=room)
    if probe.pages:
        _add(answer, reading_parts(subject, replace(locator, region=None), room=room))
        _note_hidden(answer, subject, lambda segment: segment.locator.page == page)
        if locator.region is None and locator.chars is None:
            tools.embedded.add_at(answer, subject, is_there=lambda where: where.page == page, room=room)
    else:
        _add(answer, tools.pages.words(reading, locator, room=room))
    if locator.region is None and locator.chars is None:
        answer.goes_on_after(page, count=count)


def _open_cells(subject: Subject, locator: Locator, *, room: Room, tools: OfficeTools) -> Answer:
    """Exactly a block of cells, read from the original, with the pictures that stand in it."""
    assert locator.sheet is not None, "asked for cells"
    answer = Answer()
    at, extent = _sheet(subject.probe, locator.sheet.sheet)
    used = (1, 1), (extent.rows, extent.columns)
    block = locator.sheet.corners or used
    if extent.rows and not _is_outside(block, extent):
        _table(answer, subject, locator, _Block(at, extent, block), room=room, tools=tools)
    if locator.sheet.cells is None:
        _beside(answer, subject, extent.name, room=room)
    tools.embedded.add_at(
        answer, subject, is_there=lambda where: _stands_in(where, extent.name, block, locator.sheet), room=room
    )
    if extent.rows and _is_outside(block, extent) and not answer.has_pictures:
        cells = cell_range(*used)
        message = f"{locator} lies outside the used cells"
        raise LocatorOutOfRange(message, hint=f"used are {cells}", asked=str(locator), extent=cells)
    return answer


def _is_outside(block: tuple[Corner, Corner], extent: SheetExtent) -> bool:
    return block[0][0] > extent.rows or block[0][1] > extent.columns


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of cells of a sheet: the place of the sheet, from 0, how far it is used, and the corners asked for."""

    at: int
    extent: SheetExtent
    asked: tuple[Corner, Corner]

    @property
    def clipped(self) -> tuple[Corner, Corner]:
        """The corners as far as cells are used."""
        first, last = self.asked
        return first, (min(last[0], self.extent.rows), min(last[1], self.extent.columns))


def _table(
    answer: Answer, subject: Subject, locator: Locator, block: _Block, *, room: Room, tools: OfficeTools
) -> None:
    """The cells of a block as a table, and what is to be told of them."""
    media_type = room.acceptance.text(MARKDOWN, served=room.served.texts)
    if block.clipped != block.asked:
        answer.notes.append("clipped_to_extent")
    if media_type is None:
        return
    found, text = _cells(subject, block.at, block.clipped, room=room, tools=tools)
    if text:
        steps = (Transform("excerpt", "eyeline.office", {"cells": cell_range(*block.clipped)}),)
        kind = DerivationKind.EXTRACTION
        part = text_part(
            text, role=Role.SOURCE_TEXT, locator=locator, media_type=media_type, kind=kind, transforms=steps
        )
        answer.parts.append(part)
    _account(answer, found, block.extent, block.clipped)
    if found["merged"]:
        _context(answer, f"merged cells: {', '.join(found['merged'])}\n", room=room)


def _cells(
    subject: Subject, at: int, block: tuple[Corner, Corner], *, room: Room, tools: OfficeTools
) -> tuple[dict[str, Any], str]:
    params = {
        "media_type": str(subject.content.media_type),
        "sheet": at,
        "first": list(block[0]),
        "last": list(block[1]),
        "max_chars": room.answer.max_text_chars,
    }
    with subject.source.open() as source:
        result = tools.pool.run(
            "eyeline.media.office.engine:read_cells",
            params,
            source=source,
            limits=job_limits(tools.limits),
            cancel=room.cancel,
        )
    return result.value, result.outputs[0].decode("utf-8")


def _account(answer: Answer, found: dict[str, Any], extent: SheetExtent, block: tuple[Corner, Corner]) -> None:
    """Where a block goes on that did not fit, and what else is to be told of it."""
    (top, left), (bottom, right) = block
    row, column = int(found["next_row"]), int(found["next_column"])
    if row:
        rest = Locator(sheet=SheetRange(extent.name, cell_range((row, left), (bottom, right))))
        answer.truncation.append(Truncation("answer_text_chars", f"rows {row} to {bottom}", rest))
    if column:
        rest = Locator(sheet=SheetRange(extent.name, cell_range((top, column), (bottom, right))))
        answer.truncation.append(Truncation("range_columns", f"{right - column + 1} columns", rest))
    notes = ((HIDDEN_TEXT, "hidden"), ("cells_shown_in_part", "cut"), ("formulas_without_values", "uncached"))
    answer.notes += [note for note, key in notes if found[key]]


def _sheet(probe: Probe, name: str) -> tuple[int, SheetExtent]:
    """A sheet by its name, as it is written or else whatever the case; its place, from 0, and how far it is used."""
    alike = [at for at, extent in enumerate(probe.sheets) if extent.name.casefold() == name.casefold()]
    exact = [at for at in alike if probe.sheets[at].name == name]
    if alike:
        at = (exact or alike)[0]
        return at, probe.sheets[at]
    names = [shown(each.name) for each in probe.sheets[:MAX_LISTED_SHEETS]]
    more = "" if len(probe.sheets) <= MAX_LISTED_SHEETS else f" and {len(probe.sheets) - MAX_LISTED_SHEETS} more"
    hint = f"there are {', '.join(map(repr, names))}{more}"
    raise LocatorOutOfRange(f"there is no sheet {shown(name)!r}", hint=hint, asked=shown(name), extent=names)


def _beside(answer: Answer, subject: Subject, name: str, *, room: Room) -> None:
    """What was read of a sheet beside its cells: comments, and what its drawings say."""
    reading = subject.reading
    if reading is None:
        return
    place = SheetRange(name)
    texts = [
        reading.text[each.start : each.end]
        for each in reading.source_map.segments
        if each.locator.sheet == place and each.derivation_kind is DerivationKind.EXTRACTION
    ]
    text = "".join(texts[1:])
    if text.strip():
        _context(answer, text, room=room)
    if reading.account.hides(Locator(sheet=place)) and HIDDEN_TEXT not in answer.notes:
        answer.notes.append(HIDDEN_TEXT)


def _stands_in(where: Locator, name: str, block: tuple[Corner, Corner], asked: SheetRange | None) -> bool:
    if where.sheet is None or where.sheet.sheet != name or asked is None:
        return False
    corners = where.sheet.corners
    if asked.cells is None or corners is None:
        return True
    (row, column), _ = corners
    return block[0][0] <= row <= block[1][0] and block[0][1] <= column <= block[1][1]


def _about(answer: Answer, subject: Subject, *, room: Room) -> None:
    """What there is to open: slides, or sheets with their used cells."""
    probe = subject.probe
    if probe.sheets:
        listed = probe.sheets[:MAX_LISTED_SHEETS]
        lines = [f"- {Locator(sheet=SheetRange(each.name))}: {_used(each)}" for each in listed if each.name]
        lines += [f"- and {len(probe.sheets) - len(listed)} more"] * (len(probe.sheets) > len(listed))
        _context(answer, "\n".join([f"sheets: {len(probe.sheets)}", *lines, ""]), room=room)
    elif probe.pages:
        _context(answer, f"slides: {probe.page_count}\n", room=room)


def _used(extent: SheetExtent) -> str:
    return cell_range((1, 1), (extent.rows, extent.columns)) if extent.rows else "no used cells"


def _context(answer: Answer, text: str, *, room: Room) -> None:
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    if media_type is not None:
        kept, kind = text[: max(room.answer.max_text_chars // 4, 1)], DerivationKind.EXTRACTION
        answer.parts.append(text_part(kept, role=Role.CONTEXT, locator=Locator(), media_type=media_type, kind=kind))


def _fitting(segments: list[Segment], room: int) -> list[Segment]:
    """The first segments that fit; the first in any case."""
    kept: list[Segment] = []
    for each in segments:
        room -= each.end - each.start
        if kept and room < 0:
            break
        kept.append(each)
    return kept


def _rest(segment: Segment, probe: Probe) -> Locator:
    """Where a document goes on at a segment."""
    locator = segment.locator
    corners = None if locator.sheet is None else locator.sheet.corners
    if locator.sheet is not None and corners is not None:
        extent = next((each for each in probe.sheets if each.name == locator.sheet.sheet), None)
        last = corners[1] if extent is None else (extent.rows, extent.columns)
        return Locator(sheet=SheetRange(locator.sheet.sheet, cell_range(corners[0], last)))
    return locator


def _overlaps(segment: Segment, asked: Chars | None) -> bool:
    read = segment.locator.chars
    return read is not None and asked is not None and read.start < asked.end and asked.start < read.end


def _note_hidden(answer: Answer, subject: Subject, touches: Callable[[Segment], bool]) -> None:
    """Say where text is among it that is not shown in the document."""
    reading = subject.reading
    if reading is None or not answer.parts:
        return
    if reading.account.hides(*(each.locator for each in reading.source_map.segments if touches(each))):
        answer.notes.append(HIDDEN_TEXT)


def _add(answer: Answer, other: Answer) -> None:
    answer.parts += other.parts
    answer.truncation += other.truncation
