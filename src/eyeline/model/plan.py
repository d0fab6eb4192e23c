"""`RenditionPlan`: what to make, made canonical against the probed media, so that equal plans are equal work.

Order of work: region → scale → colour → encode. Steps without effect are dropped before the plan is made, so a region
that is the whole picture and a picture that needs no scaling give the plan of the plain picture.
"""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.media_type import MediaType

MP3_RATES, MP3_FRAMING = (128_000, 96_000, 48_000, 32_000, 16_000), 4096
"""Bits a second that sound is written at, from good to small, and the bytes that a file has beside them."""

SHEET_GAP_PX, SHEET_CAPTION_PX = 8, 20
"""Pixels between the cells of a contact sheet, and below each for its caption."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a rendition may be at most: encodings in order of preference, edge and area in pixels, encoded bytes.

    With both PNG and JPEG on offer the engine takes PNG for flat content where it fits, else JPEG.
    """

    media_types: tuple[MediaType, ...]
    max_edge_px: int
    max_pixels: int
    max_bytes: int
    min_side_px: int = 1


@dataclass(frozen=True, slots=True)
class CropBox:
    """A crop in whole thousandths: of a pixel of the upright picture, or of a point of the upright page."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A contact sheet: which frames (from 1, ascending), how many in a row, and the room in pixels that each has.

    Cells stand row by row, each with a caption below it and a gap around. Of a video, `times_ms` are the instants whose
    frames are shown, in place of `frames`.
    """

    frames: tuple[int, ...]
    columns: int
    cell: Size
    times_ms: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many cells it has."""
        return len(self.frames) or len(self.times_ms)

    @property
    def rows(self) -> int:
        """How many rows the frames fill."""
        return -(-self.count // self.columns)

    @property
    def size(self) -> Size:
        """The whole sheet in pixels."""
        return Size(
            self.columns * (self.cell.width_px + SHEET_GAP_PX) + SHEET_GAP_PX,
            self.rows * (self.cell.height_px + SHEET_CAPTION_PX + SHEET_GAP_PX) + SHEET_GAP_PX,
        )

    def __str__(self) -> str:
        times = f" at {','.join(map(str, self.times_ms))}" if self.times_ms else ""
        return f"{','.join(map(str, self.frames))} in {self.columns} of {self.cell}{times}"


@dataclass(frozen=True, slots=True)
class RenditionPlan:
    """One picture to make from a picture, a frame or a page.

    `size` is the size to deliver before padding; `page` and `frame` count from 1; `crop` is none for the whole. With a
    `sheet` it is one picture of several frames. Of a recording, `instant_ms` is the moment whose frame is shown, and
    `spectrogram` the span whose sound is drawn. A `lasting` picture is kept and others are made from it: transparency
    stays, and a lossy encoding begins finer.
    """

    size: Size
    media_types: tuple[MediaType, ...]
    max_bytes: int
    page: int | None = None
    frame: int | None = None
    crop: CropBox | None = None
    min_side_px: int = 1
    sheet: Sheet | None = None
    lasting: bool = False
    instant_ms: int | None = None
    spectrogram: Span | None = None

    def key(self, content: Digest, engines: dict[str, str]) -> Digest:
        """Name of the rendition: content, canonical plan, engine names and versions."""
        crop = None if self.crop is None else (self.crop.x, self.crop.y, self.crop.w, self.crop.h)
        sheet = () if self.sheet is None else (str(self.sheet),)
        lasting = ("lasting",) if self.lasting else ()
        instant = () if self.instant_ms is None else (f"instant={self.instant_ms}",)
        spectrogram = () if self.spectrogram is None else (f"spectrogram={self.spectrogram}",)
        fields = (
            "rendition/1",
            content.hex,
            str(self.size),
            ",".join(str(each) for each in self.media_types),
            str(self.max_bytes),
            str(self.page),
            str(self.frame),
            str(crop),
            str(self.min_side_px),
            *sheet,
            *lasting,
            *instant,
            *spectrogram,
            *(f"{name}={engines[name]}" for name in sorted(engines)),
        )
        return Digest.of("\x00".join(fields).encode())


@dataclass(frozen=True, slots=True)
class CutPlan:
    """A span of a recording to be made as sound (`audio/mpeg`, `audio/wav`) or as a clip (`video/mp4`).

    `span` has an end and lies inside the recording. `track`: which one is heard, from 1 among all tracks; the first
    with sound where none is named. `size`: the picture of a clip, in even pixels. Where even the
    coarsest encoding is above `max_bytes`, the cut ends sooner and says so.
    """

    span: Span
    media_type: MediaType
    max_bytes: int
    size: Size | None = None
    track: int | None = None

    def key(self, content: Digest, engines: dict[str, str]) -> Digest:
        """Name of the cut: content, canonical plan, engine names and versions."""
        fields = (
            "cut/1",
            content.hex,
            str(self.span),
            str(self.media_type),
            str(self.max_bytes),
            str(self.size),
            str(self.track),
            *(f"{name}={engines[name]}" for name in sorted(engines)),
        )
        return Digest.of("\x00".join(fields).encode())
