"""Frames of a video by time: found by their own timestamps, upright, in sRGB, at display size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pyvips
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace, Interpolation
from av.video.stream import VideoStream

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaTooLarge, UnsupportedMedia
from eyeline.media import picture_decode
from eyeline.media.recording_open import DECODER, Recording, decoding, display_size, pixel_aspect
from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.manifest import Transform

_HD_HEIGHT_PX = 720
_STEPS_BACK_MS = (0, 2_000, 10_000, 60_000, 1 << 40)
_BEFORE_ALL_MS = -10_000
"""Before the first moment: some containers are entered behind the place that was asked for, the first one too."""

_INDEXED, _LONG_MS = 2, 300_000
_STATED = frozenset({1, 4, 5, 6, 7, 9, 10})
_WIDE_TRANSFERS = frozenset({16, 18})
_TURNS = {90: "d90", 180: "d180", 270: "d270"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A decoded frame with its true time on the recording's clock, in milliseconds, and until when it is shown."""

    frame: VideoFrame
    at_ms: int
    until_ms: int | None


class Frames:
    """Finds the frames of one video. `max_pixels` bounds a frame."""

    def __init__(self, recording: Recording, *, max_pixels: int) -> None:
        stream = recording.moving()
        if stream is None:
            raise UnsupportedMedia("the recording has no moving pictures", reason="no_pictures")
        context = stream.codec_context
        if context.width * context.height > max_pixels:
            raise MediaTooLarge("a frame is too large", outcome="over_pixels", allowed=max_pixels)
        self.stream: VideoStream = stream
        self._recording = recording
        recording.only(stream)

    def at(self, instant_ms: int) -> Shown:
        """The frame that is shown at an instant: the last that begins at or before it.

        Before the first frame it is the first. Raises `CorruptMedia` where none can be decoded.
        """
        before: VideoFrame | None = None
        for frame in self.since(instant_ms):
            at_ms = self.time_ms(frame)
            if at_ms > instant_ms:
                return Shown(before or frame, self.time_ms(before or frame), at_ms if before else None)
            before = frame
        if before is None:
            raise CorruptMedia("no frame can be decoded at this time", reason="no_frame")
        return Shown(before, self.time_ms(before), None)

    def since(self, start_ms: int) -> Iterator[VideoFrame]:
        """Frames in the order they are shown, from the last key frame at or before a time on; damaged ones left out."""
        for back_ms in _STEPS_BACK_MS:
            # some containers are entered in the middle of a group, of which nothing is decoded up to the next key frame
            first_ms = max(_BEFORE_ALL_MS, start_ms - back_ms)
            self._recording.seek(first_ms, self.stream)
            frames = (frame for frame in self._recording.decode(self.stream) if frame.pts is not None)
            frame = next(frames, None)
            if frame is not None and (self.time_ms(frame) <= start_ms or first_ms == _BEFORE_ALL_MS):
                yield frame
                yield from frames
                return

    def has_key_frames_within(self, span: Span, *, gap_ms: int) -> bool:
        """Whether, by the container's own index, no two key frames of a span lie further apart than `gap_ms`.

        Where the container has no index, long spans are taken to have them: nobody makes films that cannot be searched.
        """
        assert span.end_ms is not None, "a span that is looked at has an end"
        # some containers read their index only when it is first needed
        self._recording.seek(span.end_ms, self.stream)
        keys = [entry.timestamp for entry in self.stream.index_entries if entry.is_keyframe]
        if len(keys) < _INDEXED:
            return span.end_ms - span.start_ms > _LONG_MS
        times = [self._recording.ms(key, self.stream) for key in keys]
        inside = [span.start_ms, *(each for each in times if span.start_ms < each < span.end_ms), span.end_ms]
        return all(later - earlier <= gap_ms for earlier, later in pairwise(inside))

    def time_ms(self, frame: VideoFrame) -> int:
        """When a frame begins to be shown."""
        if frame.pts is None:
            raise LocatorOutOfRange("a frame without a time cannot be found by time")
        return self._recording.ms(frame.pts, self.stream)

    def size_of(self, frame: VideoFrame) -> Size:
        """How large a frame is shown."""
        return display_size(Size(frame.width, frame.height), pixel_aspect(self.stream), rotation=turn_of(frame))

    def upright(self, frame: VideoFrame, *, done: list[Transform]) -> pyvips.Image:
        """A frame as 8-bit sRGB in memory, at display size; says what was done."""
        turn, shown = turn_of(frame), self.size_of(frame)
        pixels = _in_rgb(frame)
        image = pyvips.Image.new_from_memory(pixels, frame.width, frame.height, 3, "uchar")
        image = image.copy(interpretation="srgb")
        done.append(Transform("colour", DECODER, {"from": _colours(frame), "to": "srgb"}))
        with picture_decode.decoding():
            if turn:
                done.append(Transform("orient", DECODER, {"turn": str(turn), "size": str(shown)}))
                image = image.rot(_TURNS[turn])
            if (image.width, image.height) != (shown.width_px, shown.height_px):
                done.append(Transform("scale", DECODER, {"pixel_aspect": str(pixel_aspect(self.stream))}))
                across, down = shown.width_px / image.width, shown.height_px / image.height
                image = image.resize(across, vscale=down, kernel="lanczos3")
            return image.copy_memory()


def turn_of(frame: VideoFrame) -> int:
    """How many degrees clockwise a frame is turned to be upright: a quarter, a half, three quarters or none."""
    turn = -int(frame.rotation) % 360
    return turn if turn in _TURNS else 0


def matrix_of(frame: VideoFrame) -> int:
    """The matrix of its colours: what it says, else what its size suggests."""
    stated = int(frame.colorspace)
    if stated in _STATED:
        return stated
    return int(Colorspace.ITU709) if frame.height >= _HD_HEIGHT_PX else int(Colorspace.ITU601)


def _in_rgb(frame: VideoFrame) -> bytes:
    with decoding():
        rgb = frame.reformat(
            format="rgb24",
            src_colorspace=matrix_of(frame),
            src_color_range=frame.color_range,
            dst_color_range=ColorRange.JPEG,
            interpolation=Interpolation.BICUBIC,
        )
    plane = rgb.planes[0]
    row, data = frame.width * 3, bytes(plane)
    if plane.line_size == row:
        return data[: row * frame.height]
    return b"".join(data[top : top + row] for top in range(0, plane.line_size * frame.height, plane.line_size))


def _colours(frame: VideoFrame) -> str:
    kind = "stated" if int(frame.colorspace) in _STATED else "by size"
    wide = ", wide range not mapped" if int(frame.color_trc) in _WIDE_TRANSFERS else ""
    return f"matrix {matrix_of(frame)} ({kind}){wide}"
