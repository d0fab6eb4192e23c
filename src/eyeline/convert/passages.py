"""Cutting a reading into passages: runs of a few hundred characters, each with the locator of what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eyeline.catalog.records import IndexedPassage
from eyeline.convert.document import BuiltDocument
from eyeline.model.joining import joined
from eyeline.model.locator import Span
from eyeline.model.reading import DerivationKind, Segment

MAX_PASSAGE_CHARS = 1200
MAX_PASSAGE_MS, PAUSE_MS = 45_000, 5_000
"""How long a passage of a recording lasts at most, and the pause after which another begins."""


def passages_of(document: BuiltDocument) -> tuple[IndexedPassage, ...]:
    """Passages over all that is not our own text; none crosses a page, a sheet, a label, a section or a long pause."""
    groups = [group for group in _groups(document.source_map.segments) if _text(document, group).strip()]
    return tuple(
        IndexedPassage(
            ordinal=ordinal,
            start=group[0].start,
            end=group[-1].end,
            locator=joined(segment.locator for segment in group),
            text=_text(document, group),
        )
        for ordinal, group in enumerate(groups)
    )


def _text(document: BuiltDocument, group: list[Segment]) -> str:
    return document.text[group[0].start : group[-1].end]


def _groups(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    group: list[Segment] = []
    for segment in segments:
        if group and not _belongs(group, segment):
            yield group
            group = []
        if segment.derivation_kind is not DerivationKind.SYSTEM:
            group.append(segment)
    if group:
        yield group


def _belongs(group: list[Segment], segment: Segment) -> bool:
    first, last = group[0], group[-1]
    return (
        segment.start == last.end
        and segment.derivation_kind is first.derivation_kind
        and _place(segment) == _place(first)
        and segment.end - first.start <= MAX_PASSAGE_CHARS
        and _is_soon(first.locator.span, last.locator.span, segment.locator.span)
    )


def _place(segment: Segment) -> tuple[int | None, int | None, int | None, str | None, bool]:
    """The page, frame, track or sheet of a segment, and whether it is a block of cells of it."""
    sheet = segment.locator.sheet
    is_block = sheet is not None and sheet.cells is not None
    where = segment.locator
    return where.page, where.frame, where.track, None if sheet is None else sheet.sheet, is_block


def _is_soon(first: Span | None, last: Span | None, span: Span | None) -> bool:
    """Whether a turn is said soon enough after the ones before it; true of what has no time at all."""
    if first is None or last is None or span is None:
        return first is last is span
    ends = last.start_ms if last.end_ms is None else last.end_ms
    until = span.start_ms if span.end_ms is None else span.end_ms
    return span.start_ms - ends <= PAUSE_MS and until - first.start_ms <= MAX_PASSAGE_MS
