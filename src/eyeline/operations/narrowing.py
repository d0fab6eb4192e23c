"""From a matching passage to the lines, regions or turns in it that hold the words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eyeline.catalog.folding import literal
from eyeline.catalog.query import Term, parse
from eyeline.catalog.records import IndexedPassage
from eyeline.model.joining import joined
from eyeline.model.locator import Lines, Locator, Span
from eyeline.model.reading import Segment, SourceMap

MARGIN_ACROSS, MARGIN_OF_LINE, MAX_MARGIN_DOWN = 800, 35, 600
"""Room around a passage: thousandths of a percent of the width; percent of the height, and its bound."""

MARGIN_MS = 500
"""Room before and after what is said: times of words are only about right, and a cut into a word is not understood."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The locator of the matching part of a passage, with its label."""

    locator: Locator
    derivation_kind: str | None
    evidence_mode: str | None


def narrowed(passage: IndexedPassage, query: str, *, source_map: SourceMap, duration_ms: int | None = None) -> Narrowed:
    """The smallest part of a passage whose segments hold a term of the query; the passage itself when none does.

    `duration_ms` is how long the source lasts, where it is a recording.
    """
    inside = [each for each in source_map.segments if each.start >= passage.start and each.end <= passage.end]
    terms = list(parse(query).wanted)
    holding = [each for each in inside if _holds(passage.text[_within(each, passage)], terms)]
    if not holding:
        label = inside[0] if inside else None
        kind, mode = (None, None) if label is None else (label.derivation_kind.value, label.evidence_mode.value)
        return Narrowed(passage.locator, kind, mode)
    locators = [_lines_in(each, passage, terms) for each in holding]
    return Narrowed(
        _roomy(joined(locators), duration_ms), holding[0].derivation_kind.value, holding[0].evidence_mode.value
    )


def _roomy(locator: Locator, duration_ms: int | None) -> Locator:
    """Room around the words, so that a picture of the region cuts no letter: less than half a line up and down; and so
    that the sound of the span cuts no word.
    """
    region, span = locator.region, locator.span
    if span is not None and span.end_ms is not None and duration_ms is not None:
        end_ms = max(span.end_ms, min(duration_ms, span.end_ms + MARGIN_MS))
        return replace(locator, span=Span(max(0, span.start_ms - MARGIN_MS), end_ms))
    if region is None:
        return locator
    down = min(region.h * MARGIN_OF_LINE // 100, MAX_MARGIN_DOWN)
    return replace(locator, region=region.with_margin(across=MARGIN_ACROSS, down=down))


def _within(segment: Segment, passage: IndexedPassage) -> slice:
    return slice(segment.start - passage.start, segment.end - passage.start)


def _holds(text: str, terms: list[Term]) -> bool:
    folded = literal(text)
    return any(term.first_in(folded) >= 0 for term in terms)


def _lines_in(segment: Segment, passage: IndexedPassage, terms: list[Term]) -> Locator:
    """For a segment of several source lines, only those of its lines that hold a term."""
    lines = segment.locator.lines
    if lines is None or lines.first == lines.last:
        return segment.locator
    each = passage.text[_within(segment, passage)].split("\n")
    hits = [lines.first + place for place, line in enumerate(each) if _holds(line, terms)]
    return Locator(lines=Lines(hits[0], min(hits[-1], lines.last))) if hits else segment.locator
