"""What is told of a recording: how long it is, its tracks, which of them is heard, and how to open a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from eyeline.errors import LocatorOutOfRange
from eyeline.model.locator import Span
from eyeline.model.probe import Probe, Track
from eyeline.render.recording_plans import duration_of

ENDS_ALIKE_MS = 200
"""What one track may end before the others without being told, for coders fill their last frames."""


def heard_track(probe: Probe, span: Span, *, asked: int | None) -> int | None:
    """Which track is heard in a span, from 1; none where there is no choice.

    Without a wish it is the first that has sound then. Raises `LocatorOutOfRange` for a track that cannot be heard.
    """
    heard = [number for number, track in enumerate(probe.tracks, 1) if track.is_sound]
    if asked is not None and asked not in heard:
        could = ", ".join(map(str, heard)) or "none"
        raise LocatorOutOfRange(
            f"track={asked} is no track that can be heard", hint=f"those that can: {could}", asked=asked, tracks=could
        )
    if len(heard) < 2:
        return None
    then = (number for number in heard if probe.tracks[number - 1].is_on_in(span))
    return asked or next(then, heard[0])


def about(probe: Probe) -> str:
    """How long a recording is, its tracks, and how to open a part of it: a line each."""
    lines = [about_recording(probe), f"a part of it: t=START,END in seconds, up to t=0,{duration_of(probe) / 1000:g}\n"]
    if sum(track.is_sound for track in probe.tracks) > 1:
        lines.append("another of its tracks of sound: t=START,END&track=NUMBER\n")
    if probe.size is not None:
        lines.append("one frame of it: t=SECONDS, and with &xywh=percent:X,Y,W,H a region of that frame\n")
    return "".join(lines)


def about_recording(probe: Probe) -> str:
    """How long a recording is, and its tracks: a line each."""
    lines = [f"duration: {duration_of(probe) / 1000:g} s"]
    lines += [
        f"track {number}: {_about_track(track, until_ms=duration_of(probe))}"
        for number, track in enumerate(probe.tracks, start=1)
    ]
    if not any(track.is_sound for track in probe.tracks):
        lines.append("no audio track" if _lacks(probe.tracks, "audio") else "its sound cannot be decoded")
    return "\n".join([*lines, ""])


def _lacks(tracks: Sequence[Track], kind: str) -> bool:
    return all(track.kind != kind for track in tracks)


def _about_track(track: Track, *, until_ms: int) -> str:
    told = [track.kind, track.codec]
    if track.display is not None:
        told.append(
            f"{track.display} pixels" if track.display == track.coded else f"{track.display} (coded {track.coded})"
        )
    if track.frame_rate is not None:
        told.append(f"{track.frame_rate:g} frames a second{' on average, varying' if track.variable_rate else ''}")
    if track.sample_rate_hz is not None:
        told.append(f"{track.sample_rate_hz} Hz")
    if track.channels is not None:
        told.append(f"{track.channels} channel{'s' if track.channels > 1 else ''}")
    if track.language is not None:
        told.append(f"language {track.language}")
    if track.start_ms:
        told.append(f"from {track.start_ms / 1000:g} s")
    if track.end_ms is not None and track.end_ms < until_ms - ENDS_ALIKE_MS:
        told.append(f"up to {track.end_ms / 1000:g} s")
    if track.reason is not None:
        told.append(f"cannot be decoded: {track.reason}")
    return ", ".join(told)
