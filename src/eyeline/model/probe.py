"""`Probe`: what a full decode in the bounded child found out about some bytes."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class PageSize:
    """A run of equal pages: how many, and their upright crop box in points (1/72 inch)."""

    count: int
    width_pt: float
    height_pt: float


@dataclass(frozen=True, slots=True)
class FrameSize:
    """A run of equal pages of a picture: how many, and their upright size in pixels."""

    count: int
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class FrameTime:
    """A run of frames that are shown equally long: how many, and each for how many milliseconds."""

    count: int
    shown_ms: int


@dataclass(frozen=True, slots=True)
class SheetExtent:
    """A sheet of a workbook: its name, and the last row and column with a used cell, from 1; 0 where none is."""

    name: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Track:
    """One track of a recording, on the recording's own clock: its first moment is 0 for all tracks together.

    `kind`: `video`, `audio`, `subtitle`, `picture` (a cover) or `other`. `coded` is the picture as it is stored,
    `display` as it is shown: pixel aspect applied, then turned by `rotation` degrees clockwise. `frame_rate` is the
    mean number of frames a second; with `variable_rate` no frame's time follows from it. `reason`: why it cannot be
    decoded. `damaged`: when nothing of it can be heard or shown although the rest can.
    """

    kind: str
    codec: str
    start_ms: int = 0
    duration_ms: int | None = None
    language: str | None = None
    sample_rate_hz: int | None = None
    channels: int | None = None
    coded: Size | None = None
    display: Size | None = None
    rotation: int = 0
    frame_rate: float | None = None
    variable_rate: bool = False
    reason: str | None = None
    damaged: tuple[Span, ...] = ()

    @property
    def end_ms(self) -> int | None:
        """When it ends on the recording's clock; none where that is not known."""
        return None if self.duration_ms is None else self.start_ms + self.duration_ms

    def is_on_in(self, span: Span) -> bool:
        """Whether it has begun before a span ends, and not ended before it begins."""
        end_ms = span.start_ms + 1 if span.end_ms is None else span.end_ms
        return self.start_ms < end_ms and (self.end_ms is None or span.start_ms < self.end_ms)

    def is_damaged_in(self, span: Span) -> bool:
        """Whether some of a span, or an instant, is damaged."""
        end_ms = span.start_ms + 1 if span.end_ms is None else span.end_ms
        return any(each.start_ms < end_ms and span.start_ms < (each.end_ms or 0) for each in self.damaged)

    @property
    def is_sound(self) -> bool:
        """Whether it can be heard."""
        return self.kind == "audio" and self.reason is None

    @property
    def is_moving(self) -> bool:
        """Whether its pictures can be shown."""
        return self.kind == "video" and self.reason is None


@dataclass(frozen=True, slots=True)
class Probe:
    """Facts about media, in the upright frame. Fields that a family does not have stay at their defaults.

    `plain_pixels`: sRGB or grey, 8 bits, one frame, upright, and nothing in the container but pixel and colour data, so
    that the bytes may go out untouched. `flat`: few colours or hard edges (text, screenshots, diagrams), so lossless
    encoding pays. `size` of a video is the display size of its first track with pictures. `frames` counts the frames of
    an animation, or the pages of a picture where `frames_are_pages`; `frame_sizes` and `frame_times` are runs, empty
    where all are of `size` or nothing moves. `is_drawing`: it has no pixels of its own and is drawn at any resolution;
    without a `size` it cannot be drawn. `chars` and `lines` count the decoded text. `notes` are short codes for what
    was odd but harmless.
    """

    media_type: MediaType
    size: Size | None = None
    orientation: int = 1
    bits: int = 8
    has_alpha: bool = False
    colour: str = "srgb"
    frames: int = 1
    frames_are_pages: bool = False
    frame_sizes: tuple[FrameSize, ...] = ()
    frame_times: tuple[FrameTime, ...] = ()
    is_drawing: bool = False
    pages: tuple[PageSize, ...] = ()
    sheets: tuple[SheetExtent, ...] = ()
    duration_ms: int | None = None
    tracks: tuple[Track, ...] = ()
    chars: int | None = None
    lines: int | None = None
    encoding: str | None = None
    plain_pixels: bool = False
    flat: bool = False
    notes: tuple[str, ...] = ()

    @property
    def page_count(self) -> int:
        """Number of pages, of a document or a picture; 0 for media without pages."""
        return self.frames if self.frames_are_pages else sum(run.count for run in self.pages)

    def frame_size(self, frame: int) -> Size | None:
        """The upright size of one frame (1-based); none for media without pictures."""
        first = 1
        for run in self.frame_sizes:
            if first <= frame < first + run.count:
                return Size(run.width_px, run.height_px)
            first += run.count
        return self.size

    def frame_at(self, instant_ms: int) -> int | None:
        """The frame (1-based) that is shown at an instant of the animation; none from its end on."""
        first, start = 1, 0
        for run in self.frame_times:
            end = start + run.count * run.shown_ms
            if instant_ms < end:
                return first + (instant_ms - start) // run.shown_ms
            first, start = first + run.count, end
        return None

    def frame_starts_ms(self, frame: int) -> int | None:
        """When a frame (1-based) of an animation begins to be shown; none outside it."""
        first, start = 1, 0
        for run in self.frame_times:
            if frame < first + run.count:
                return start + (frame - first) * run.shown_ms
            first, start = first + run.count, start + run.count * run.shown_ms
        return None

    def page_size(self, page: int) -> PageSize:
        """The size of one page (1-based); `IndexError` outside the document."""
        first = 1
        for run in self.pages:
            if first <= page < first + run.count:
                return run
            first += run.count
        raise IndexError(page)
