"""Opens a recording: its tracks and its clock, and foreign errors as our own.

The clock of a recording begins where the first of its tracks begins. Times are given in whole milliseconds, rounded up,
so that the frame of a stated time is the one that is found at that time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import av
import av.error
import av.logging
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Discard, Disposition, Stream
from av.video.stream import VideoStream

from eyeline.errors import CorruptMedia, LocatorOutOfRange, UnsupportedMedia
from eyeline.media.containers.view import Reader
from eyeline.media.recording_formats import ISO_FAMILY, demuxer_of
from eyeline.model.geometry import Size
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Track

DECODER = f"FFmpeg (PyAV {av.__version__})"
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}")
_CODEC = re.compile(r"[a-z0-9_.-]{1,40}")
_THREADS = 3
_BUFFER = 8192
"""Bytes read at a time. A file in fragments is entered by the head of each of them: no more should be read of it."""

_WRAP, _WRAPPING = 1 << 33, ("mpegts", "mpeg")
"""Where the clocks of MPEG streams begin anew."""

av.logging.set_level(None)


@contextmanager
def decoding() -> Generator[None]:
    """Foreign errors as our own: nothing of what FFmpeg says is passed on, for it quotes the file."""
    try:
        yield
    except (av.error.DecoderNotFoundError, av.error.PatchWelcomeError) as exc:
        raise UnsupportedMedia("no decoder takes this track", reason="no_decoder") from exc
    except av.error.MemoryError:
        raise MemoryError from None
    except (av.error.FFmpegError, EOFError) as exc:
        raise CorruptMedia("the recording cannot be decoded", reason=_reason(exc)) from exc


def _reason(exc: BaseException) -> str:
    return "ends_early" if isinstance(exc, EOFError) else "damaged"


def _input(reader: Reader, **how: Any) -> InputContainer:
    # the stubs know no file that has no `write`
    return cast("InputContainer", av.open(cast("Any", reader), "r", **how))


class Recording:
    """An opened recording. `tracks` stand in the order of the file."""

    def __init__(self, reader: Reader, media_type: MediaType) -> None:
        demuxer = demuxer_of(media_type)
        options = {"protocol_whitelist": "none", "format_whitelist": demuxer}
        with decoding():
            self.container: InputContainer = _input(
                reader, format=demuxer, options=options, metadata_errors="replace", buffer_size=_BUFFER
            )
        self.media_type = media_type
        self._wraps, self._is_indexed_by_pictures = demuxer in _WRAPPING, demuxer == "matroska"
        self.origin = Fraction(self.container.start_time or 0, 1_000_000)

    @property
    def streams(self) -> list[Stream]:
        """Every track, in the order of the file."""
        return list(self.container.streams)

    def sounds(self) -> list[AudioStream]:
        """The tracks that can be heard, in the order of the file."""
        return [stream for stream in self.container.streams.audio if has_decoder(stream)]

    def moving(self) -> VideoStream | None:
        """The first track with moving pictures, or none."""
        shown = (each for each in self.container.streams.video if has_decoder(each) and not is_cover(each))
        return next(shown, None)

    def sound(self, number: int = 0) -> AudioStream:
        """A track that can be heard, counted from 0; `LocatorOutOfRange` past the last."""
        sounds = self.sounds()
        if not 0 <= number < len(sounds):
            raise LocatorOutOfRange("there is no such track of sound", tracks=len(sounds), asked=number)
        return sounds[number]

    def heard(self, track: int | None) -> AudioStream:
        """A track by its place in the file, from 1, the first that can be heard without one.

        Raises `LocatorOutOfRange` for one that cannot be heard.
        """
        streams = self.streams
        if track is None:
            return self.sound()
        stream = streams[track - 1] if 0 < track <= len(streams) else None
        if isinstance(stream, AudioStream) and has_decoder(stream):
            return stream
        raise LocatorOutOfRange("this track cannot be heard", tracks=len(streams), asked=track)

    def only(self, *wanted: Stream) -> None:
        """Read nothing but these tracks from here on, where the container allows it."""
        for stream in self.container.streams:
            stream.discard = Discard.default if stream in wanted else Discard.all
        for stream in wanted:
            context = cast("Any", stream).codec_context
            if not context.is_open:
                context.thread_count, context.thread_type = _THREADS, "AUTO"

    def seconds(self, ticks: int, stream: Stream) -> Fraction:
        """A track's own time on the clock of the recording; what its clock counts past its end counts from below 0."""
        assert stream.time_base is not None, "a track has a clock"
        if self._wraps and ticks - self.origin / stream.time_base > _WRAP // 2:
            ticks -= _WRAP
        return ticks * stream.time_base - self.origin

    def ms(self, ticks: int, stream: Stream) -> int:
        """A track's own time on the clock of the recording, in milliseconds rounded up."""
        return math.ceil(self.seconds(ticks, stream) * 1000)

    def ticks(self, ms: int, stream: Stream) -> int:
        """A time of the recording on a track's own clock, rounded down."""
        assert stream.time_base is not None, "a track has a clock"
        return math.floor((Fraction(ms, 1000) + self.origin) / stream.time_base)

    def seek(self, ms: int, stream: Stream) -> None:
        """Go to the last place at or before a time from which this track can be decoded; before all, to the first."""
        place = self._in_index(stream)
        with decoding():
            try:
                self.container.seek(self.ticks(ms, place), stream=place, backward=True)
            except av.error.FFmpegError:
                if ms > 0:
                    raise
                self.container.seek(self.ticks(0, place), stream=place, backward=True)

    def _in_index(self, stream: Stream) -> Stream:
        """The track by which a place is found: the index of Matroska is of the pictures alone, where there are any."""
        return (self.moving() or stream) if self._is_indexed_by_pictures else stream

    def decode(self, stream: AudioStream | VideoStream) -> Iterator[Any]:
        """Frames of a track from where the recording stands; packets that cannot be decoded are left out."""
        with decoding():
            packets = self.container.demux(stream)
            for packet in packets:
                try:
                    frames: list[Any] = list(packet.decode())
                except av.error.MemoryError:
                    raise
                except av.error.FFmpegError:
                    continue
                yield from frames

    @property
    def promises_length(self) -> bool:
        """Whether the container says how long it is, rather than leaving it to a guess from the rate of bytes."""
        return self.media_type.name in ISO_FAMILY or self.container.format.name.startswith(("matroska", "flac", "wav"))

    def close(self) -> None:
        """Let go of the decoders."""
        self.container.close()


def has_decoder(stream: Stream) -> bool:
    """Whether the track can be decoded here at all."""
    context = getattr(stream, "codec_context", None)
    return context is not None and bool(context.is_decoder)


def is_cover(stream: Stream) -> bool:
    """Whether a track of pictures is one still picture that belongs to the whole."""
    return bool(stream.disposition & Disposition.attached_pic)


def track_of(stream: Stream) -> Track:
    """What the container says of a track; its times, turn and rate are found by walking through it."""
    context = getattr(stream, "codec_context", None)
    kind = stream.type if stream.type in ("video", "audio", "subtitle") else "other"
    track = Track(
        kind="picture" if kind == "video" and is_cover(stream) else kind,
        codec=_codec(context),
        language=_language(stream),
        reason=None if has_decoder(stream) or kind == "other" else "no_decoder",
    )
    if isinstance(stream, AudioStream) and context is not None:
        return replace(track, sample_rate_hz=context.sample_rate or None, channels=_channels(context))
    if isinstance(stream, VideoStream) and context is not None and context.width > 0 and context.height > 0:
        return replace(track, coded=Size(context.width, context.height))
    return track


def display_size(coded: Size, aspect: Fraction | None, *, rotation: int) -> Size:
    """How large a picture is shown: the pixel aspect widens it, then it is turned."""
    width, height = coded.width_px, coded.height_px
    if aspect is not None and aspect > 0 and aspect != 1 and Fraction(1, 16) <= aspect <= 16:
        width = max(1, round(width * aspect))
    return Size(height, width) if rotation % 180 == 90 else Size(width, height)


def pixel_aspect(stream: VideoStream) -> Fraction | None:
    """Width of a pixel over its height; none where nothing is said."""
    return stream.sample_aspect_ratio or stream.codec_context.sample_aspect_ratio


def _channels(context: Any) -> int | None:
    layout = getattr(context, "layout", None)
    return None if layout is None else int(layout.nb_channels) or None


def _codec(context: Any) -> str:
    name = "" if context is None else str(context.codec.canonical_name)
    return name if _CODEC.fullmatch(name) else "unknown"


def _language(stream: Stream) -> str | None:
    said = stream.language
    return said if said and said != "und" and _LANGUAGE.fullmatch(said) else None
