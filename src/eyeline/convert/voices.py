"""Where somebody may be speaking, and where sound can be cut without cutting a word.

Voices are found in the bounded child where the extra for speech is installed. Without it, a gate in plain code lets
through what stands out above the level of the rest: it keeps silence and steady noise back, and cannot tell music from
speech. Sound is mono, `SOUND_RATE_HZ`, signed 16-bit; times are milliseconds from its first sample.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterator
from operator import mul
from typing import TYPE_CHECKING

from eyeline.convert.lanes import SOUND_RATE_HZ
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.engines import SPEECH_ENGINE

if TYPE_CHECKING:
    from eyeline.media.bounded.pool import BoundedPool
    from eyeline.toolkit.cancel import CancelToken

FRAME_MS = 20
LEAST_LEVEL_DB, ABOVE_FLOOR_DB = -50.0, 10.0
"""What is quieter than the first (0 is the loudest there is), or not so much above the quiet tenth, is no voice."""

JOINED_MS, LEAST_VOICE_MS, ROOM_MS = 500, 160, 200
"""Voices closer than this are one; what is shorter is none; each gets room at both ends."""

_FRAME = FRAME_MS * SOUND_RATE_HZ // 1000
_QUIET_FRAMES = 10
_SILENCE_DB = -120.0

Voices = list[tuple[int, int]]


def voices_in(sound: bytes, *, pool: BoundedPool | None, cancel: CancelToken | None = None) -> Voices:
    """Spans in which somebody may be speaking, in order. Raises `EngineFailed` and `Cancelled`."""
    if pool is None or not SPEECH_ENGINE.is_installed:
        return loud_spans(sound)
    limits = JobLimits(memory_bytes=1 << 30, cpu_ms=60_000, wall_ms=240_000)
    job = SPEECH_ENGINE.job("find_voices")
    answer = pool.run(job, {}, source=BytesSource(sound), limits=limits, cancel=cancel).value
    return [(start, end) for start, end in answer["spans"]]


def loud_spans(sound: bytes) -> Voices:
    """What stands out above the rest of the sound, in order."""
    levels = list(_levels(sound))
    if not levels:
        return []
    floor = sorted(levels)[len(levels) // 10]
    bound = max(LEAST_LEVEL_DB, floor + ABOVE_FLOOR_DB)
    runs: list[list[int]] = []
    for place, level in enumerate(levels):
        if level < bound:
            continue
        if runs and (place - runs[-1][1]) * FRAME_MS <= JOINED_MS:
            runs[-1][1] = place + 1
        else:
            runs.append([place, place + 1])
    end_ms = len(levels) * FRAME_MS
    spans = [(start * FRAME_MS, end * FRAME_MS) for start, end in runs if (end - start) * FRAME_MS >= LEAST_VOICE_MS]
    return [(max(0, start - ROOM_MS), min(end_ms, end + ROOM_MS)) for start, end in spans]


def quiet_moment(sound: bytes, *, after_ms: int) -> int:
    """The middle of the quietest fifth of a second from `after_ms` on: the last of several that are equally quiet."""
    first = after_ms // FRAME_MS
    levels = list(_levels(sound[2 * first * _FRAME :]))
    if len(levels) < _QUIET_FRAMES:
        return len(sound) // 2 * 1000 // SOUND_RATE_HZ
    power = [10 ** (level / 10) for level in levels]
    sums = [sum(power[place : place + _QUIET_FRAMES]) for place in range(len(power) - _QUIET_FRAMES + 1)]
    best = min(range(len(sums)), key=lambda place: (sums[place], -place))
    return (first + best + _QUIET_FRAMES // 2) * FRAME_MS


def _levels(sound: bytes) -> Iterator[float]:
    """The level of each whole frame in decibels below the loudest there is."""
    samples = array("h")
    samples.frombytes(sound[: len(sound) // 2 * 2])
    if sys.byteorder == "big":
        samples.byteswap()
    for start in range(0, len(samples) - _FRAME + 1, _FRAME):
        frame = samples[start : start + _FRAME]
        power = sum(map(mul, frame, frame)) / _FRAME / (1 << 30)
        yield 10 * math.log10(power) if power > 0 else _SILENCE_DB
