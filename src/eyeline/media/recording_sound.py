"""Sound by time: samples of a span, to the sample, as the decoder gives them or in another rate and shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream

from eyeline.errors import CorruptMedia
from eyeline.media.recording_open import Recording, decoding
from eyeline.model.locator import Span

_RUN_UP_MS = 500
"""How much is decoded before a span, for codecs whose first frames after a jump are not yet what they should be."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How samples are wanted: rate, `mono` or `stereo`, and FFmpeg's name of the sample format."""

    rate_hz: int
    layout: str
    format: str = "s16"

    @property
    def channels(self) -> int:
        """How many values a sample has."""
        return 1 if self.layout == "mono" else 2


@dataclass(frozen=True, slots=True)
class Run:
    """Packed samples (16 bit) that follow each other; `start` counts samples of their rate from the recording's start.

    What the recording does not have at a time, between two frames that do not meet, is silence.
    """

    start: int
    data: bytes


def samples(recording: Recording, stream: AudioStream, *, span: Span, shape: Shape) -> Iterator[Run]:
    """The samples of a span in runs, each where the one before ended. Raises `CorruptMedia` where nothing decodes."""
    assert span.end_ms is not None, "a span of sound has an end"
    recording.only(stream)
    first, last = span.start_ms * shape.rate_hz // 1000, span.end_ms * shape.rate_hz // 1000
    width = 2 * shape.channels
    at = first
    for run in _resampled(recording, stream, span, shape):
        start, data = run.start, run.data
        if start > at:
            gap = min(start, last) - at
            yield Run(at, bytes(gap * width))
            at += gap
        kept = data[max(0, at - start) * width : max(0, last - start) * width]
        if kept:
            yield Run(at, kept)
            at += len(kept) // width
        if start + len(data) // width >= last:
            return


def _resampled(recording: Recording, stream: AudioStream, span: Span, shape: Shape) -> Iterator[Run]:
    """Runs from a little before the span on, placed by their own times."""
    recording.seek(span.start_ms - _RUN_UP_MS, stream)
    resampler = AudioResampler(format=shape.format, layout=shape.layout, rate=shape.rate_hz)
    at: int | None = None
    for frame in recording.decode(stream):
        start = _start(recording, stream, frame, shape)
        if at is None or abs(start - at) > shape.rate_hz // 10:
            # decoders state times in ticks that are coarser than samples: only a real gap moves the place
            at = start
        for part in _shaped(resampler, frame):
            data = _packed(part, shape)
            yield Run(at, data)
            at += len(data) // (2 * shape.channels)
    if at is None:
        raise CorruptMedia("no sound can be decoded at this time", reason="no_sound")
    for part in _shaped(resampler, None):
        yield Run(at, _packed(part, shape))


def _start(recording: Recording, stream: AudioStream, frame: AudioFrame, shape: Shape) -> int:
    return round(recording.seconds(frame.pts or 0, stream) * shape.rate_hz)


def _shaped(resampler: AudioResampler, frame: AudioFrame | None) -> list[AudioFrame]:
    with decoding():
        try:
            return resampler.resample(frame)
        except ValueError as exc:
            raise CorruptMedia("the sound changes its shape", reason="shape_changes") from exc


def _packed(frame: AudioFrame, shape: Shape) -> bytes:
    return bytes(frame.planes[0])[: frame.samples * 2 * shape.channels]


def native_shape(stream: AudioStream, *, at_most_hz: int) -> Shape:
    """Sound as it is, with at most two channels and a rate that every format of ours has."""
    rate = stream.codec_context.sample_rate or 48_000
    allowed = [each for each in (8_000, 16_000, 24_000, 32_000, 44_100, 48_000) if each <= at_most_hz]
    chosen = next((each for each in allowed if each >= rate), allowed[-1])
    channels = stream.codec_context.layout.nb_channels
    return Shape(chosen, "mono" if channels == 1 else "stereo")


def frame_of(run: Run, *, since: int, shape: Shape) -> AudioFrame:
    """A run as a frame for an encoder whose first sample is number `since`."""
    frame = AudioFrame(format=shape.format, layout=shape.layout, samples=len(run.data) // (2 * shape.channels))
    frame.planes[0].update(run.data.ljust(frame.planes[0].buffer_size, b"\0"))
    frame.sample_rate = shape.rate_hz
    frame.pts = run.start - since
    frame.time_base = Fraction(1, shape.rate_hz)
    return frame
