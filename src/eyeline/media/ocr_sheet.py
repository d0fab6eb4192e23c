"""What OCR reads from: a picture or a page as grey pixels at any scale, and ink on white made of it.

A sheet has an extent in its own unit (pixels of the upright picture, points of the upright page). Its pixels come from
our decoders only; the ones built into tesseract never see a byte of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyvips

from eyeline.media.containers.facts import Container
from eyeline.media.pdf_document import OpenPdf
from eyeline.media.pdf_draw import Part, draw
from eyeline.media.picture_colour import to_srgb
from eyeline.media.picture_decode import Picture, decoding, set_up_libvips
from eyeline.media.picture_drawing import drawn
from eyeline.media.picture_geometry import Box, turn_upright
from eyeline.model.geometry import Size
from eyeline.model.media_type import MediaType

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

SMALL_PICTURE = 3_200_000
"""Pixels up to which a picture is taken for a screenshot, whose small letters are read at twice their size."""

PAGE_DPI = 300
DRAWING_FINEST = 4.0
MAX_SIDE_PX = 30_000
"""Longest side tesseract is given; beyond 32767 its coordinates wrap."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Something to read: its extent, how to have it in grey at a scale (pixels for each unit), and which scales to use.

    Reading starts at `usual` and goes up to `finest` where letters turn out small.
    """

    width: float
    height: float
    usual: float
    finest: float
    dpi: int
    is_page: bool
    grey: Callable[[float], pyvips.Image]

    def fitted(self, scale: float, *, max_pixels: int) -> float:
        """The scale, or the largest below it that keeps to `max_pixels` and to the sides tesseract takes."""
        by_area = (max_pixels / (self.width * self.height)) ** 0.5
        return min(scale, by_area, MAX_SIDE_PX / max(self.width, self.height))


@contextmanager
def opened(reader: Reader, params: dict[str, Any]) -> Generator[Sheet]:
    """The sheet a job asks for: a page (`page`, from 1) of a PDF, or a picture or its `frame` (from 1)."""
    set_up_libvips()
    media_type = MediaType.parse(params["media_type"])
    if media_type.name == "application/pdf":
        with OpenPdf(reader, draws_forms=True) as pdf, pdf.page(params["page"]) as page:
            frame = page.frame

            def drawn(scale: float) -> pyvips.Image:
                size = Size(max(1, round(frame.width_pt * scale)), max(1, round(frame.height_pt * scale)))
                pixels = draw(page, Part.whole(frame), size=size, is_grey=True)
                page_image = pyvips.Image.new_from_memory(pixels, size.width_px, size.height_px, 1, "uchar")
                return page_image.copy()  # what comes of an operation holds on to the pixels; `copy_memory` does not

            usual = PAGE_DPI / 72
            yield Sheet(frame.width_pt, frame.height_pt, usual, 2 * usual, PAGE_DPI, is_page=True, grey=drawn)
    else:
        yield _picture(reader, media_type, params)


def _picture(reader: Reader, media_type: MediaType, params: dict[str, Any]) -> Sheet:
    picture = Picture(reader, media_type, max_pixels=params["max_source_pixels"], max_frames=params["max_frames"])
    facts = picture.facts.at(params.get("frame"))
    if picture.format.is_drawing:
        return _drawing(picture)
    image = picture.load(frame=params.get("frame"))
    with decoding(picture.feed):
        upright = _in_grey(image, facts)
    usual = 2.0 if upright.width * upright.height <= SMALL_PICTURE else 1.0

    def scaled(scale: float) -> pyvips.Image:
        return upright if scale == 1 else upright.resize(scale, kernel="lanczos3")

    return Sheet(upright.width, upright.height, usual, 2.0, 150, is_page=False, grey=scaled)


def _drawing(picture: Picture) -> Sheet:
    """A drawing is drawn anew at each scale."""
    facts = picture.facts
    whole = Box(0, 0, facts.width_px, facts.height_px)

    def scaled(scale: float) -> pyvips.Image:
        size = Size(max(1, round(whole.w * scale)), max(1, round(whole.h * scale)))
        return _in_grey(drawn(picture, whole, size=size), facts)

    return Sheet(whole.w, whole.h, 2.0, DRAWING_FINEST, 150, is_page=False, grey=scaled)


def _in_grey(image: pyvips.Image, facts: Container) -> pyvips.Image:
    """Upright, 8 bits, one band, in memory."""
    image = _on_contrast(image.copy_memory())
    image = to_srgb(image, facts, done=[], by="")
    grey = image.colourspace("b-w") if image.bands > 1 else image
    return turn_upright(grey, orientation=facts.orientation).cast("uchar").copy_memory()


def _on_contrast(image: pyvips.Image) -> pyvips.Image:
    """Transparent pictures on white, or on black where what shows is light: white letters on nothing stay readable."""
    if not image.hasalpha():
        return image
    full = 65535.0 if image.format == "ushort" else 255.0
    alpha = image.extract_band(image.bands - 1)
    light = image.extract_band(0, n=image.bands - 1).bandmean()
    opacity = alpha.avg()
    mean = (light * alpha).avg() / opacity if opacity else 0.0
    return image.flatten(background=[0.0 if mean > full / 2 else full], max_alpha=full)


def as_ink(grey: pyvips.Image) -> pyvips.Image:
    """Dark ink on white, whatever the ground: each pixel by how far it is from the ground around it.

    The ground is the median of a window of 36 pixels, so strokes thicker than about half of that count as ground and
    are read from a smaller copy. What the ground itself varies by is grain and left out, and so are straight lines, in
    whose boxes tesseract sees pictures. Dark mode, coloured boxes, faint text, uneven light and frames come out alike:
    this is what makes one threshold fit a whole screenshot.
    """
    grid = min(4, grey.width, grey.height)
    distance = (grey - _ranked_near(grey, grid, share=0.5)).abs().cast("uchar").copy_memory()
    grain = _ranked_near(distance, min(GRAIN_GRID, grey.width, grey.height), share=GRAIN_SHARE)
    strongest = _strongest_near(distance)
    bound = grain * GRAIN_MARGIN
    amount = (bound * 2 > strongest).ifthenelse(distance - bound, distance)
    return _without_lines((255.0 - amount * 255.0 / strongest).cast("uchar").copy_memory())


GRAIN_GRID, GRAIN_SHARE, GRAIN_MARGIN = 16, 0.3, 7
"""Three in ten pixels within 144 are ground, however dense the text. What is within seven times their distance from it
is grain, where nothing around is clearly further."""

FAINTEST = 24
"""Levels between ground and ink below which nothing is stretched to black."""

LINE_CELLS, CELL_PX = 8, 8
"""A straight dark run of 64 pixels is a line and no letter, or a letter for a smaller copy."""


def _ranked_near(image: pyvips.Image, grid: int, *, share: float) -> pyvips.Image:
    """For each pixel the value that this share of the 9 by 9 nearest on a grid stays below; half is the median."""
    coarse = image.subsample(grid, grid).copy_memory()
    across, down = min(9, coarse.width), min(9, coarse.height)
    return _spread(coarse.rank(across, down, int(across * down * share)), grid, image)


def _strongest_near(amount: pyvips.Image) -> pyvips.Image:
    """For each pixel the largest amount within some 70 pixels, at least `FAINTEST`."""
    if min(amount.width, amount.height) < 16:
        peak = max(amount.stats().getpoint(1, 0)[0], FAINTEST)
        return amount.new_from_image(peak).cast("uchar")
    blocks = amount.subsample(2, 2).rank(4, 4, 15).subsample(4, 4).copy_memory()
    across, down = min(9, blocks.width), min(9, blocks.height)
    peaks = blocks.rank(across, down, across * down - 1)
    return _spread((peaks < FAINTEST).ifthenelse(FAINTEST, peaks), CELL_PX, amount)


def _without_lines(ink: pyvips.Image) -> pyvips.Image:
    """White where dark runs straight on, across or down: frames, rules and underlines."""
    if min(ink.width, ink.height) < (LINE_CELLS + 2) * CELL_PX:
        return ink
    dark = (ink < 192).copy_memory()
    lines = _long_runs(dark) | _long_runs(dark.rot90()).rot270()
    return lines.ifthenelse(255, ink).copy_memory()


def _long_runs(dark: pyvips.Image) -> pyvips.Image:
    """Where `LINE_CELLS` whole cells of a row are dark in a run, with the cells and rows around it."""
    cells = dark.shrink(CELL_PX, 1).relational_const("equal", [255]).copy_memory()
    middles = cells.rank(LINE_CELLS, 1, 0).copy_memory()
    runs = middles.rank(LINE_CELLS + 2, 3, 3 * (LINE_CELLS + 2) - 1)
    return runs.zoom(CELL_PX, 1).embed(0, 0, dark.width, dark.height, extend="copy").copy_memory()


def _spread(coarse: pyvips.Image, by: int, like: pyvips.Image) -> pyvips.Image:
    """A coarse picture blown up over the extent of another; its last cells reach to the edge."""
    return coarse.zoom(by, by).embed(0, 0, like.width, like.height, extend="copy")
