"""Cutting a reading into passages: runs of a few hundred characters, each with the locator of what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eyeline.convert.document import BuiltDocument
from eyeline.model.joining import joined
from eyeline.model.locator import Locator
from eyeline.model.reading import DerivationKind, Segment

MAX_PASSAGE_CHARS = 1200


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of `document.md` (half-open code points), its text and the locator of the part it reads."""

    start: int
    end: int
    locator: Locator
    text: str


def passages_of(document: BuiltDocument) -> tuple[Passage, ...]:
    """Passages over everything that is not our own text; none crosses a page, a label or a section."""
    return tuple(
        Passage(group[0].start, group[-1].end, joined(s.locator for s in group), text)
        for group in _groups(document.source_map.segments)
        if (text := document.text[group[0].start : group[-1].end]).strip()
    )


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
        and (segment.locator.page, segment.locator.frame) == (first.locator.page, first.locator.frame)
        and segment.end - first.start <= MAX_PASSAGE_CHARS
    )
