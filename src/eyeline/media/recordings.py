"""The engine of recordings, sound and video: admits them, finds their shots, draws and cuts them.

Its jobs run in the bounded child. `params` of each hold `media_type`; times are milliseconds on the recording's clock.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any, Protocol

from eyeline.errors import CorruptMedia, MediaError, UnsupportedMedia
from eyeline.media.containers.view import Reader
from eyeline.media.pictures import plan_from
from eyeline.media.recording_cut import cut as cut_out
from eyeline.media.recording_formats import ends_inside_a_box
from eyeline.media.recording_frames import Frames
from eyeline.media.recording_open import DECODER, Recording
from eyeline.media.recording_picture import RecordingPicture
from eyeline.media.recording_shots import find_shots
from eyeline.media.recording_sound import Shape
from eyeline.media.recording_sound import samples as samples_of
from eyeline.media.recording_walk import Walk, walk
from eyeline.model.geometry import Size
from eyeline.model.limits import Limits
from eyeline.model.locator import Span
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CutPlan


class Output(Protocol):
    """Where a job puts the bytes it makes."""

    def add(self, data: bytes, /) -> None:
        """Append one output."""
        ...


def admit(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: read every packet, decode all sound and every key frame.

    `params`: `max_pixels` of a frame and `max_duration_ms`. Returns outcome (admitted, malformed, truncated,
    over_pixels, over_duration, unsupported), reason, decoder and probe. A track that cannot be decoded, or damage
    inside one, costs none of the others: the probe's tracks and notes say it.
    """
    del out
    media_type = MediaType.parse(params["media_type"])
    try:
        walked = walk(_opened(reader, media_type))
    except MediaError as exc:
        outcome = exc.detail.get("outcome", "unsupported" if isinstance(exc, UnsupportedMedia) else "malformed")
        return {"outcome": outcome, "reason": exc.detail.get("reason") or exc.message, "decoder": DECODER}
    outcome, reason = _decided(walked, params)
    return {"outcome": outcome, "reason": reason, "decoder": DECODER, "probe": _probe(media_type, walked)}


def render(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: one picture by a plan with an `instant_ms`, a `sheet` of instants or a `spectrogram`.

    Raises `CorruptMedia`, `UnsupportedMedia` and `MediaTooLarge`.
    """
    recording = _recording(reader, params)
    encoded, report = _picture(recording, params["plan"], params)
    out.add(encoded)
    return report


def render_each(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: several pictures by `plans`; none for each that cannot be made."""
    recording = _recording(reader, params)
    made: list[dict[str, Any] | None] = []
    for plan in params["plans"]:
        try:
            encoded, report = _picture(recording, plan, params)
        except MediaError:
            made.append(None)
        else:
            out.add(encoded)
            made.append(report)
    return {"made": made}


def shots(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: times of at most `max_shots` frames that stand for the span from `start_ms` to `end_ms`.

    Returns `times_ms` in order, `looked_at` (frames) and `shots`. Raises `CorruptMedia` and `UnsupportedMedia`.
    """
    del out
    frames = Frames(_recording(reader, params), max_pixels=params.get("max_pixels", Limits().max_pixels))
    found = find_shots(frames, Span(params["start_ms"], params["end_ms"]), most=params["max_shots"])
    return {"times_ms": list(found.times_ms), "looked_at": found.looked_at, "shots": found.shots}


def samples(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: the sound of track `track` (from 0) between `start_ms` and `end_ms` as one output of packed samples.

    Mono, 16 bit little-endian, `rate_hz`. Returns `start_ms` and `end_ms` as they are in it. Raises `CorruptMedia`,
    `UnsupportedMedia` and, past the last track, `LocatorOutOfRange`.
    """
    recording, rate = _recording(reader, params), params["rate_hz"]
    stream = recording.sound(params.get("track", 0))
    span = Span(params["start_ms"], params["end_ms"])
    data = b"".join(run.data for run in samples_of(recording, stream, span=span, shape=Shape(rate, "mono")))
    out.add(data)
    return {"start_ms": span.start_ms, "end_ms": span.start_ms + len(data) // 2 * 1000 // rate}


def cut(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: the sound or clip of `plan`, the plain form of `model.CutPlan`, as one output.

    Returns the `span` that is in it, shorter where not all of it fits, and `transforms`. Raises `CorruptMedia`,
    `UnsupportedMedia` and `MediaTooLarge`.
    """
    recording = _recording(reader, params)
    made = cut_out(recording, _cut_plan(params["plan"]), max_pixels=params.get("max_pixels", Limits().max_pixels))
    out.add(made.data)
    return {
        "span": {"start_ms": made.span.start_ms, "end_ms": made.span.end_ms},
        "transforms": [{"step": each.step, "by": each.by, "facts": each.facts} for each in made.done],
    }


def _recording(reader: Reader, params: dict[str, Any]) -> Recording:
    return _opened(reader, MediaType.parse(params["media_type"]))


def _opened(reader: Reader, media_type: MediaType) -> Recording:
    try:
        return Recording(reader, media_type)
    except CorruptMedia as exc:
        if ends_inside_a_box(reader, media_type):
            raise CorruptMedia("the recording is cut short", outcome="truncated", reason="ends_early") from exc
        raise


def _picture(recording: Recording, plan: dict[str, Any], params: dict[str, Any]) -> tuple[bytes, dict[str, Any]]:
    most = params.get("max_pixels", Limits().max_pixels)
    encoded, report = RecordingPicture(recording, plan_from(plan), max_pixels=most).run()
    return encoded.data, report


def _cut_plan(plain: dict[str, Any]) -> CutPlan:
    size = plain.get("size")
    return CutPlan(
        span=Span(**plain["span"]),
        media_type=MediaType.parse(plain["media_type"]),
        max_bytes=plain["max_bytes"],
        size=None if size is None else Size(**size),
        track=plain.get("track"),
    )


def _decided(walked: Walk, params: dict[str, Any]) -> tuple[str, str | None]:
    shown = [track for track in walked.tracks if track.kind in ("audio", "video")]
    if any(track.coded is not None and track.coded.pixels > params["max_pixels"] for track in shown):
        return "over_pixels", f"a frame has more than {params['max_pixels']} pixels"
    most = params.get("max_duration_ms", sys.maxsize)
    if walked.duration_ms > most:
        return "over_duration", f"it lasts {walked.duration_ms / 1000:.0f} s, longer than {most / 1000:.0f} s"
    if not shown or all(track.reason == "no_decoder" for track in shown):
        return "unsupported", "it has no track that can be decoded here"
    if not any(track.is_sound or track.is_moving for track in shown):
        return "malformed", "no frame of any track can be decoded"
    return "admitted", None


def _probe(media_type: MediaType, walked: Walk) -> dict[str, Any]:
    return {
        "media_type": str(media_type),
        "size": None if walked.size is None else asdict(walked.size),
        "duration_ms": walked.duration_ms,
        "tracks": [asdict(track) for track in walked.tracks],
        "notes": list(walked.notes),
    }
