"""Walks through a whole recording: every packet is read, all sound and every key frame is decoded.

What stands between two key frames is not decoded here, once a first frame came out: it costs as much as watching the
film, and one frame that cannot be shown later is a gap of its own.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

import av.error
from av.audio.stream import AudioStream
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from eyeline.media.recording_open import Recording, display_size, has_decoder, is_cover, pixel_aspect, track_of
from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.probe import Track

_EVEN_MS = 2
_EARLY_MS = 1000
_EARLY_SHARE = 50
_MAX_TIMES = 20_000_000
_UNTIL_FIRST = 500
"""Packets of a track that are decoded in turn until a frame comes out: an edit may cut off the first key frame."""

_MAX_DAMAGED, _JOINED_MS = 64, 200


@dataclass(slots=True)
class Walked:
    """What was found in one track: its first and last moment in seconds of the recording, times of its pictures on its
    own clock, frames that came out, packets that did not, and when those would have been heard or shown. `due` are the
    times of the key frames that were decoded, `shown` of those that came out."""

    stream: Stream
    track: Track
    first: Fraction | None = None
    end: Fraction | None = None
    times: array[int] = field(default_factory=lambda: array("q"))
    frames: int = 0
    damaged: int = 0
    rotation: int = 0
    fed: int = 0
    lost: list[tuple[Fraction, Fraction]] = field(default_factory=list)
    due: list[int] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)

    @property
    def is_heard_or_seen(self) -> bool:
        """Whether it is meant to be decoded."""
        return self.track.kind in ("audio", "video") and self.track.reason is None

    def reaches(self, start: Fraction, length: Fraction) -> None:
        """Take the place of something on the recording's clock, in seconds."""
        self.first = start if self.first is None else min(self.first, start)
        self.end = start + length if self.end is None else max(self.end, start + length)


@dataclass(frozen=True, slots=True)
class Walk:
    """A walked recording: tracks with all that was found, duration in milliseconds, codes of what was odd."""

    tracks: tuple[Track, ...]
    size: Size | None
    duration_ms: int
    notes: tuple[str, ...]
    decoded: int


def walk(recording: Recording) -> Walk:
    """Read all of it. Raises nothing for damage inside: what cannot be decoded is counted."""
    walked = [Walked(stream, track_of(stream)) for stream in recording.streams]
    was_cut = _read(recording, walked)
    for each in walked:
        if each.is_heard_or_seen:
            _decode(recording, each, None)
            _lose_pictures(recording, each)
    tracks = tuple(_track(each) for each in walked)
    duration_ms = max([0, *(track.start_ms + (track.duration_ms or 0) for track in tracks if track.kind != "other")])
    return Walk(
        tracks=tracks,
        size=next((track.display for track in tracks if track.is_moving), None),
        duration_ms=duration_ms,
        notes=tuple(_notes(recording, walked, duration_ms=duration_ms, was_cut=was_cut)),
        decoded=sum(each.frames for each in walked if each.is_heard_or_seen),
    )


def _read(recording: Recording, walked: list[Walked]) -> bool:
    """Every packet there is; whether reading ended in an error."""
    for packet in _packets(recording):
        if packet is None:
            return True
        each = walked[packet.stream_index]
        if packet.pts is not None:
            each.reaches(recording.seconds(packet.pts, each.stream), (packet.duration or 0) * packet.time_base)
            if each.track.kind == "video" and len(each.times) < _MAX_TIMES:
                each.times.append(packet.pts)
        if each.is_heard_or_seen and _is_wanted(each, packet):
            _decode(recording, each, packet)
    return False


def _is_wanted(each: Walked, packet: Packet[Any]) -> bool:
    each.fed += 1
    return each.track.kind == "audio" or packet.is_keyframe or (not each.frames and each.fed <= _UNTIL_FIRST)


def _packets(recording: Recording) -> Iterator[Packet[Any] | None]:
    """Packets in the order of the file; none once where it cannot be read on."""
    packets = recording.container.demux()
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            return
        except av.error.FFmpegError:
            yield None
            return
        if packet.size:
            yield packet


def _decode(recording: Recording, each: Walked, packet: Packet[Any] | None) -> None:
    stream = each.stream
    if not isinstance(stream, AudioStream | VideoStream):
        return
    if packet is not None and packet.is_keyframe and packet.pts is not None and not packet.is_discard:
        each.due.append(packet.pts)
    try:
        frames: list[Any] = list(cast("Any", stream).codec_context.decode(packet))
    except av.error.MemoryError:
        raise MemoryError from None
    except av.error.FFmpegError:
        each.damaged += 1
        if packet is not None and packet.pts is not None and isinstance(stream, AudioStream):
            start = recording.seconds(packet.pts, stream)
            each.lost.append((start, start + (packet.duration or 0) * packet.time_base))
        return
    for frame in frames:
        each.frames += 1
        each.damaged += bool(frame.is_corrupt)
        if isinstance(stream, VideoStream):
            each.rotation = -int(frame.rotation) % 360
            each.shown.add(frame.pts)
        elif frame.pts is not None and frame.sample_rate:
            each.reaches(recording.seconds(frame.pts, stream), Fraction(frame.samples, frame.sample_rate))


def _lose_pictures(recording: Recording, each: Walked) -> None:
    """Take note of key frames that went in and did not come out: up to the next one nothing can be shown."""
    if each.track.kind != "video" or not each.shown.intersection(each.due):
        return
    due = sorted(set(each.due))
    for place, ticks in enumerate(due):
        if ticks not in each.shown:
            start = recording.seconds(ticks, each.stream)
            end = recording.seconds(due[place + 1], each.stream) if place + 1 < len(due) else each.end or start
            each.damaged += 1
            each.lost.append((start, end))


def _damaged(each: Walked) -> tuple[Span, ...]:
    """When nothing of a track can be heard or shown, neighbours joined; what is beyond the bound is in the last."""
    joined: list[Span] = []
    for start, end in sorted(each.lost):
        start_ms, end_ms = max(0, math.floor(start * 1000)), math.ceil(end * 1000)
        last = joined[-1] if joined else None
        if last is not None and (start_ms <= (last.end_ms or 0) + _JOINED_MS or len(joined) == _MAX_DAMAGED):
            start_ms, end_ms = last.start_ms, max(last.end_ms or 0, end_ms)
            joined.pop()
        if end_ms > start_ms:
            joined.append(Span(start_ms, end_ms))
    return tuple(joined)


def _track(each: Walked) -> Track:
    """The track with what was found in it."""
    track, stream = each.track, each.stream
    if each.first is not None and each.end is not None and not is_cover(stream):
        start_ms = max(0, math.ceil(each.first * 1000))
        track = replace(track, start_ms=start_ms, duration_ms=max(0, math.ceil(each.end * 1000) - start_ms))
    if each.is_heard_or_seen and not each.frames:
        track = replace(track, reason="damaged" if each.damaged else "empty")
    track = replace(track, damaged=_damaged(each))
    if track.coded is None or not isinstance(stream, VideoStream):
        return track
    shown = display_size(track.coded, pixel_aspect(stream), rotation=each.rotation)
    rate, is_variable = _rate(each)
    return replace(track, display=shown, rotation=each.rotation, frame_rate=rate, variable_rate=is_variable)


def _rate(each: Walked) -> tuple[float | None, bool]:
    """Mean frames a second, and whether they are shown for different times."""
    times = sorted(set(each.times))
    base = each.stream.time_base
    if len(times) < 2 or base is None:
        return None, False
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = float((len(times) - 1) / ((times[-1] - times[0]) * base))
    spread_ms = float((max(gaps) - min(gaps)) * base * 1000)
    return round(mean, 3), spread_ms > max(_EVEN_MS, 100 / mean)


def _notes(recording: Recording, walked: list[Walked], *, duration_ms: int, was_cut: bool) -> Iterator[str]:
    promised = recording.container.duration
    if was_cut:
        yield "ends_early"
    elif promised is not None and recording.promises_length:
        missing_ms = promised // 1000 - duration_ms
        if missing_ms > max(_EARLY_MS, promised // 1000 // _EARLY_SHARE):
            yield "ends_early"
    for kind, note in (("audio", "damaged_sound"), ("video", "damaged_pictures")):
        if any(each.damaged for each in walked if each.track.kind == kind):
            yield note
    if any(not has_decoder(each.stream) for each in walked if each.track.kind in ("audio", "video")):
        yield "track_without_decoder"
