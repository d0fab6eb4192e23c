"""Finds key frames that stand for a video or a span of it: one for each shot where it has few, else the most different.

Only frames that decode by themselves are looked at, and between two that lie far apart one every step: decoding is what
costs. A shot begins where a frame differs from the one before by more than its calmer frames differ from each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import quantiles
from typing import Any

from av.video.reformatter import Interpolation

from eyeline.media.recording_frames import Frames
from eyeline.media.recording_open import decoding
from eyeline.model.locator import Span

_GRID = (32, 18)
_LOOKS = 240
"""How many frames a video is looked at, at least where it has them, before those between key frames are left out."""

_LEAST_STEP_MS = 500
_USUAL = 3.0
_LEAST_CHANGE = 12.0


@dataclass(frozen=True, slots=True)
class _Look:
    """A frame that was looked at: when it is shown, and its grey values on a coarse grid."""

    at_ms: int
    grid: bytes


@dataclass(frozen=True, slots=True)
class Shots:
    """Times of the chosen frames in order, how many frames were looked at, and how many shots there seem to be."""

    times_ms: tuple[int, ...]
    looked_at: int
    shots: int


def find_shots(frames: Frames, span: Span, *, most: int) -> Shots:
    """At most `most` frames that stand for a span, in order; the first is the one that is shown at its beginning."""
    looks = list(_looks(frames, span))
    if not looks:
        return Shots((), 0, 0)
    changes = [_difference(one.grid, other.grid) for one, other in pairwise(looks)]
    limit = max(_LEAST_CHANGE, _USUAL * quantiles(changes)[0]) if len(changes) > 1 else _LEAST_CHANGE
    starts = [0, *(place + 1 for place, change in enumerate(changes) if change > limit)]
    chosen = _most_different(starts, changes, most) if len(starts) > most else _filled(starts, looks, span, most)
    # what was looked at first may be a key frame from before the span
    first_ms = frames.at(span.start_ms).at_ms
    rest = (looks[place].at_ms for place in sorted(chosen)[1:])
    return Shots((first_ms, *(at_ms for at_ms in rest if at_ms > first_ms)), len(looks), len(starts))


def _most_different(starts: Sequence[int], changes: Sequence[float], most: int) -> list[int]:
    """The beginning, and the shots that begin with the greatest change."""
    ranked = sorted(starts[1:], key=lambda place: (-changes[place - 1], place))
    return [starts[0], *ranked[: most - 1]]


def _filled(starts: Sequence[int], looks: Sequence[_Look], span: Span, most: int) -> set[int]:
    """Every shot, and while there is room the frame in the middle of the longest stretch that none stands for."""
    chosen = set(starts)
    wanted = min(most, max(len(starts), 3))
    while len(chosen) < min(wanted, len(looks)):
        bounds = [*sorted(chosen), len(looks)]
        stretches = [(after - before, -before) for before, after in pairwise(bounds)]
        length, before = max(stretches)
        if length < 2:
            break
        chosen.add(-before + length // 2)
    return chosen


def _looks(frames: Frames, span: Span) -> Iterator[_Look]:
    assert span.end_ms is not None, "a span that is looked at has an end"
    step_ms = max(_LEAST_STEP_MS, (span.end_ms - span.start_ms) // _LOOKS)
    due = span.start_ms
    before: tuple[int, Any] | None = None
    for at_ms, frame in _candidates(frames, span, step_ms=step_ms):
        if at_ms >= span.end_ms:
            break
        if at_ms < span.start_ms:
            before = (at_ms, frame)
            continue
        if before is not None and at_ms > span.start_ms:
            yield _Look(before[0], _grid(before[1]))
            due = max(due, before[0] + step_ms)
        before = None
        if at_ms >= due or frame.key_frame:
            yield _Look(at_ms, _grid(frame))
            due = at_ms + step_ms
    if before is not None:
        yield _Look(before[0], _grid(before[1]))


def _candidates(frames: Frames, span: Span, *, step_ms: int) -> Iterator[tuple[int, Any]]:
    """Key frames alone where they follow each other closely enough, else every frame."""
    context = frames.stream.codec_context
    if frames.has_key_frames_within(span, gap_ms=3 * step_ms):
        context.skip_frame = "NONKEY"
    try:
        for frame in frames.since(span.start_ms):
            yield frames.time_ms(frame), frame
    finally:
        context.skip_frame = "DEFAULT"


def _grid(frame: Any) -> bytes:
    with decoding():
        small = frame.reformat(width=_GRID[0], height=_GRID[1], format="gray", interpolation=Interpolation.AREA)
    plane = small.planes[0]
    data = bytes(plane)
    rows = range(0, plane.line_size * _GRID[1], plane.line_size)
    return b"".join(data[top : top + _GRID[0]] for top in rows)


def _difference(one: bytes, other: bytes) -> float:
    """Mean difference of grey values, from 0 to 255."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)
