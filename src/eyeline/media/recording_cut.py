"""Cuts a span out of a recording and encodes it within its bytes: sound as MP3 or WAV, pictures and sound as MP4."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import av.error
from av.audio.stream import AudioStream
from av.filter import Graph
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange

from eyeline.errors import CorruptMedia, MediaTooLarge, UnsupportedMedia
from eyeline.media.recording_frames import Frames, matrix_of, turn_of
from eyeline.media.recording_open import DECODER, Recording, decoding
from eyeline.media.recording_sound import Run, Shape, frame_of, native_shape, samples
from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.manifest import Transform
from eyeline.model.media_type import MediaType
from eyeline.model.plan import MP3_FRAMING, MP3_RATES, CutPlan

MP3, WAV, MP4 = MediaType("audio/mpeg"), MediaType("audio/wav"), MediaType("video/mp4")
_WAV_HEADER_BYTES = 44
_CLOCK = 90_000
_GOOD_SOUND, _PLAIN_SOUND = (Shape(44_100, "stereo"), 96_000), (Shape(24_000, "mono"), 32_000)
_PLAIN_BELOW = 320_000
_LEAST_CLIP_RATE, _MOST_CLIP_RATE = 40_000, 2_500_000
_TRIES = 4
_UNHEARD_MS = 100
"""What a track of sound may end short of a span without being told: the last frame of a coder is seldom full."""

_LAST_FRAME_MS = 40
_THREADS = 3
"""Fixed, so that the same plan gives the same bytes on every machine."""

_BT709, _LIMITED = 1, 1
"""What ISO/IEC 23091-2 calls the colours of television in high definition, and its range of values."""

_MATRICES = {1: "bt709", 4: "fcc", 7: "smpte240m", 9: "bt2020", 10: "bt2020"}
_TO_709 = "out_color_matrix=bt709:out_range=tv"
_TRANSPOSE = {90: ["clock"], 180: ["clock", "clock"], 270: ["cclock"]}


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut: the encoded bytes, the span that is in them, and how it was made."""

    data: bytes
    span: Span
    done: tuple[Transform, ...]


def cut(recording: Recording, plan: CutPlan, *, max_pixels: int) -> Cut:
    """Make what a plan says. Raises `UnsupportedMedia` where the recording has not what is asked for,
    `CorruptMedia` where nothing of it can be decoded, and `MediaTooLarge` where not even a second fits."""
    if plan.media_type == MP4:
        return _clip(recording, plan, max_pixels=max_pixels)
    if not recording.sounds():
        raise UnsupportedMedia("the recording has no sound", reason="no_sound")
    if plan.media_type == MP3:
        return _mp3(recording, plan)
    if plan.media_type == WAV:
        return _wav(recording, plan)
    raise UnsupportedMedia(f"no sound is written as {plan.media_type}", hint=f"written are {MP3} and {WAV}")


_MP3_STEPS = tuple(
    (rate, channels, bits)
    for (rate, channels), bits in zip(
        ((48_000, 2), (44_100, 2), (24_000, 1), (16_000, 1), (16_000, 1)), MP3_RATES, strict=True
    )
)
"""Rate in Hz, channels and bits a second, from good to small."""

_SPEECH_HZ, _SPEECH_BITS, _MONO_BITS = 24_000, 48_000, 96_000
"""Bits a second and channel beyond which nothing is heard, up to a rate and above it."""

_WAV_STEPS = ((48_000, 2), (24_000, 1), (16_000, 1), (8_000, 1))


def _mp3(recording: Recording, plan: CutPlan) -> Cut:
    stream = recording.heard(plan.track)
    steps = [(_shape(stream, rate, channels), bits) for rate, channels, bits in _MP3_STEPS]
    length = _length(plan.span)
    chosen = next(
        ((shape, bits) for shape, bits in steps if bits * length // 8000 + MP3_FRAMING <= plan.max_bytes), steps[-1]
    )
    shape, bits = chosen
    span = _shortened(plan.span, (plan.max_bytes - MP3_FRAMING) * 8000 // bits)
    target = io.BytesIO()
    bits = min(bits, shape.channels * (_MONO_BITS if shape.rate_hz > _SPEECH_HZ else _SPEECH_BITS))
    with decoding(), _output(target, "mp3") as out:
        encoder = _sound_encoder(out, "libmp3lame", shape=shape, bits=bits)
        runs = samples(recording, stream, span=span, shape=shape)
        span = _heard(span, _write_sound(runs, encoder, out, span=span, shape=shape), shape)
    return Cut(
        target.getvalue(), span, (_decoded(stream), _cut_out(span), _encoded(plan, shape, f"{bits // 1000} kbit/s"))
    )


def _wav(recording: Recording, plan: CutPlan) -> Cut:
    stream = recording.heard(plan.track)
    shapes = [_shape(stream, rate, channels) for rate, channels in _WAV_STEPS]
    length, room = _length(plan.span), plan.max_bytes - _WAV_HEADER_BYTES
    fitting = (each for each in shapes if each.rate_hz * 2 * each.channels * length // 1000 <= room)
    shape = next(fitting, shapes[-1])
    width = 2 * shape.channels
    span = _shortened(plan.span, room * 1000 // (shape.rate_hz * width))
    data = b"".join(run.data for run in samples(recording, stream, span=span, shape=shape))
    span = _heard(span, len(data) // width, shape)
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", len(data) + _WAV_HEADER_BYTES - 8, b"WAVE", b"fmt ", 16, 1, shape.channels, shape.rate_hz),
        *(shape.rate_hz * width, width, 16, b"data", len(data)),
    )
    return Cut(header + data, span, (_decoded(stream), _cut_out(span), _encoded(plan, shape, "16 bit")))


def _shape(stream: AudioStream, rate: int, channels: int) -> Shape:
    native = native_shape(stream, at_most_hz=rate)
    return native if channels > 1 else Shape(native.rate_hz, "mono")


def _length(span: Span) -> int:
    assert span.end_ms is not None, "a span that is cut has an end"
    return span.end_ms - span.start_ms


def _shortened(span: Span, room_ms: int) -> Span:
    """The span as far as it fits; `MediaTooLarge` where that is less than a second of a longer one."""
    length = min(_length(span), room_ms)
    if length < min(1000, _length(span)):
        raise MediaTooLarge("not even a second of it fits", limit="max_bytes", hint="allow more bytes")
    return Span(span.start_ms, span.start_ms + length)


def _heard(span: Span, written: int, shape: Shape) -> Span:
    """The span as far as there were samples of it; `CorruptMedia` where there was none."""
    if not written:
        raise CorruptMedia("the recording has no sound at this time", reason="no_sound")
    length = min(_length(span), max(1, round(written * 1000 / shape.rate_hz)))
    return span if _length(span) - length <= _UNHEARD_MS else Span(span.start_ms, span.start_ms + length)


def _output(target: io.BytesIO, format_name: str) -> AbstractContextManager[Any]:
    return av.open(target, "w", format=format_name)


def _sound_encoder(out: Any, codec: str, *, shape: Shape, bits: int) -> Any:
    encoder: Any = out.add_stream(codec, rate=shape.rate_hz)
    encoder.layout, encoder.bit_rate = shape.layout, bits
    return encoder


def _write_sound(runs: Iterator[Run], encoder: Any, out: Any, *, span: Span, shape: Shape) -> int:
    """Encode what there is of a span; how many samples that were."""
    written = 0
    resampler = av.AudioResampler(format=encoder.format, layout=shape.layout, rate=shape.rate_hz)
    since = span.start_ms * shape.rate_hz // 1000
    for run in runs:
        written += len(run.data) // (2 * shape.channels)
        for part in resampler.resample(frame_of(run, since=since, shape=shape)):
            out.mux(encoder.encode(part))
    if written:
        for part in resampler.resample(None):
            out.mux(encoder.encode(part))
        out.mux(encoder.encode(None))
    return written


def _clip(recording: Recording, plan: CutPlan, *, max_pixels: int) -> Cut:
    """Pictures and sound. Where the bytes do not fit, it is encoded again at a rate that does."""
    length = _length(plan.span)
    has_sound = bool(recording.sounds())
    budget = plan.max_bytes * 8000 // length * 9 // 10
    sound = (_PLAIN_SOUND if budget < _PLAIN_BELOW else _GOOD_SOUND) if has_sound else None
    rate = min(_MOST_CLIP_RATE, budget - (sound[1] if sound else 0))
    for _ in range(_TRIES):
        if rate < _LEAST_CLIP_RATE:
            break
        data, done = _encode_clip(recording, plan, max_pixels=max_pixels, rate=rate, sound=sound)
        if len(data) <= plan.max_bytes:
            return Cut(data, plan.span, done)
        rate = rate * plan.max_bytes // len(data) * 9 // 10
    raise MediaTooLarge(
        f"no clip of this length fits into {plan.max_bytes} bytes", limit="max_bytes", hint="ask for a shorter span"
    )


def _encode_clip(
    recording: Recording, plan: CutPlan, *, max_pixels: int, rate: int, sound: tuple[Shape, int] | None
) -> tuple[bytes, tuple[Transform, ...]]:
    target, span = io.BytesIO(), plan.span
    with decoding(), _output(target, "mp4") as out:
        frames = Frames(recording, max_pixels=max_pixels)
        pictures = _picture_encoder(out, plan, rate=rate)
        encoder = None if sound is None else _sound_encoder(out, "aac", shape=sound[0], bits=sound[1])
        _write_pictures(frames, pictures, out, plan)
        if sound is not None:
            runs = samples(recording, recording.heard(plan.track), span=span, shape=sound[0])
            with suppress(CorruptMedia):  # where nothing is heard the pictures stand
                _write_sound(runs, encoder, out, span=span, shape=sound[0])
    done = (Transform("decode", DECODER, {"codec": frames.stream.codec_context.name}), _cut_out(span))
    facts = {"type": str(plan.media_type), "size": str(plan.size), "video": f"h264, at most {rate // 1000} kbit/s"}
    heard = {} if sound is None else {"sound": f"aac {sound[1] // 1000} kbit/s"}
    return target.getvalue(), (*done, Transform("encode", DECODER, {**facts, **heard}))


def _picture_encoder(out: Any, plan: CutPlan, *, rate: int) -> Any:
    assert plan.size is not None, "a clip has a size"
    encoder: Any = out.add_stream("libx264", rate=30)
    encoder.width, encoder.height, encoder.pix_fmt = plan.size.width_px, plan.size.height_px, "yuv420p"
    encoder.options = {"preset": "veryfast", "crf": "25", "maxrate": str(rate), "bufsize": str(2 * rate)}
    encoder.codec_context.time_base = encoder.time_base = Fraction(1, _CLOCK)
    context = encoder.codec_context
    context.thread_count = _THREADS
    context.colorspace, context.color_primaries, context.color_trc = _BT709, _BT709, _BT709
    context.color_range = _LIMITED
    return encoder


def _write_pictures(frames: Frames, encoder: Any, out: Any, plan: CutPlan) -> None:
    """The frames that are shown within the span, the first from its beginning on, as they follow each other in time."""
    assert plan.size is not None, "a clip has a size"
    graph: Graph | None = None
    for at_ms, frame in _lasting(_within(frames, plan.span), _length(plan.span)):
        graph = graph or _graph(frame, plan.size)
        frame.pts, frame.time_base = at_ms, Fraction(1, 1000)
        graph.push(frame)
        for shown in _pulled(graph):
            shown.pts, shown.time_base = round(shown.pts * shown.time_base * _CLOCK), Fraction(1, _CLOCK)
            shown.pict_type = 0
            out.mux(encoder.encode(shown))
    out.mux(encoder.encode(None))


def _lasting(timed: Iterator[tuple[int, VideoFrame]], length_ms: int) -> Iterator[tuple[int, VideoFrame]]:
    """The same frames, and the last once more at the end: a container ends a track shortly after its last frame."""
    last: tuple[int, VideoFrame] | None = None
    for last in timed:
        yield last
    if last is not None and last[0] < length_ms - 2 * _LAST_FRAME_MS:
        yield length_ms - _LAST_FRAME_MS, last[1]


def _within(frames: Frames, span: Span) -> Iterator[tuple[int, VideoFrame]]:
    """Frames with their times from the beginning of the span on; the one that is shown there begins with it."""
    assert span.end_ms is not None, "a span that is cut has an end"
    before: VideoFrame | None = None
    for frame in frames.since(span.start_ms):
        at_ms = frames.time_ms(frame)
        if at_ms <= span.start_ms:
            before = frame
            continue
        if before is not None:
            yield 0, before
            before = None
        if at_ms >= span.end_ms:
            return
        yield at_ms - span.start_ms, frame
    if before is not None:
        yield 0, before


def _graph(frame: VideoFrame, size: Size) -> Graph:
    """Upright, in size, square pixels, colours of the usual matrix."""
    graph = Graph()
    source = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=Fraction(1, 1000))
    matrix = _MATRICES.get(matrix_of(frame), "smpte170m")
    reach = "pc" if frame.color_range == ColorRange.JPEG else "tv"
    steps: list[tuple[str, str]] = [("transpose", each) for each in _TRANSPOSE.get(turn_of(frame), [])]
    steps.append(
        ("scale", f"{size.width_px}:{size.height_px}:flags=bicubic:in_color_matrix={matrix}:in_range={reach}:{_TO_709}")
    )
    steps += [("setsar", "1"), ("format", "yuv420p"), ("buffersink", "")]
    last = source
    for name, arguments in steps:
        following = graph.add(name, arguments) if arguments else graph.add(name)
        last.link_to(following)
        last = following
    graph.configure()
    return graph


def _pulled(graph: Graph) -> Iterator[Any]:
    while True:
        try:
            yield graph.vpull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return


def _decoded(stream: AudioStream) -> Transform:
    context = stream.codec_context
    facts = {"codec": context.name, "rate_hz": str(context.sample_rate), "channels": str(context.layout.nb_channels)}
    return Transform("decode", DECODER, facts)


def _cut_out(span: Span) -> Transform:
    return Transform("cut", DECODER, {"t": str(span)})


def _encoded(plan: CutPlan, shape: Shape, how: str) -> Transform:
    facts = {"type": str(plan.media_type), "rate_hz": str(shape.rate_hz), "channels": str(shape.channels), "at": how}
    return Transform("encode", DECODER, facts)
