"""The smallest locator that covers several locators of one version."""

from __future__ import annotations

from collections.abc import Iterable

from eyeline.model.geometry import Region
from eyeline.model.locator import Chars, Lines, Locator, SheetRange, Span, cell_range


def joined(locators: Iterable[Locator]) -> Locator:
    """Cover all of them: bounding region, outer lines, characters and span, bounding block of cells of one sheet.

    A part that not all of them have, or where they differ (another page, another unit), is left out, which widens the
    answer and never points beside it.
    """
    each = list(locators)
    if len(each) < 2:
        return each[0] if each else Locator()
    tracks = {one.track for one in each}
    same_place = len({(one.page, one.frame, one.sheet and one.sheet.sheet) for one in each}) == 1
    return Locator(
        page=each[0].page if same_place else None,
        frame=each[0].frame if same_place else None,
        sheet=_sheets([one.sheet for one in each]) if same_place else None,
        region=_regions([one.region for one in each]) if same_place else None,
        lines=_lines([one.lines for one in each]),
        chars=_chars([one.chars for one in each]),
        span=_spans([one.span for one in each]),
        track=each[0].track if len(tracks) == 1 else None,
    )


def _sheets(ranges: list[SheetRange | None]) -> SheetRange | None:
    """The block of cells around all; the sheet where one of them is the whole sheet."""
    known = [each for each in ranges if each is not None]
    if not known:
        return None
    corners = [each.corners for each in known]
    blocks = [each for each in corners if each is not None]
    if len(blocks) < len(corners):
        return SheetRange(known[0].sheet)
    first = min(block[0][0] for block in blocks), min(block[0][1] for block in blocks)
    last = max(block[1][0] for block in blocks), max(block[1][1] for block in blocks)
    return SheetRange(known[0].sheet, cell_range(first, last))


def _regions(regions: list[Region | None]) -> Region | None:
    known = [region for region in regions if region is not None]
    if len(known) < len(regions) or len({region.unit for region in known}) != 1:
        return None
    x, y = min(r.x for r in known), min(r.y for r in known)
    right, bottom = max(r.x + r.w for r in known), max(r.y + r.h for r in known)
    return Region(known[0].unit, x, y, right - x, bottom - y)


def _lines(ranges: list[Lines | None]) -> Lines | None:
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    return Lines(min(each.first for each in known), max(each.last for each in known))


def _chars(ranges: list[Chars | None]) -> Chars | None:
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    return Chars(min(each.start for each in known), max(each.end for each in known))


def _spans(spans: list[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    ends = [span.start_ms if span.end_ms is None else span.end_ms for span in known]
    start, end = min(span.start_ms for span in known), max(ends)
    return Span(start, end if end > start else None)
