"""Boxes of a picture between its upright and its coded frame, and how far a decoder may shrink while it decodes."""

from __future__ import annotations

from dataclasses import dataclass

import pyvips

from eyeline.model.geometry import Size
from eyeline.model.plan import CropBox

TILE_PX = 512
ON_ITS_SIDE = range(5, 9)
"""The EXIF orientations that change width and height."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in whole pixels."""

    x: int
    y: int
    w: int
    h: int


def upright_size(width: int, height: int, *, orientation: int) -> Size:
    """Size after orientation (EXIF 1 to 8) is applied to a coded picture."""
    return Size(height, width) if orientation >= 5 else Size(width, height)


def whole_pixels(crop: CropBox | None, frame: Size, *, wanted: Size) -> Box:
    """The crop in whole pixels of the upright frame, cut at its edges.

    Grown outwards to whole pixels where it is going to be scaled; where it is delivered pixel for pixel (`wanted`
    within a pixel of its size), exactly `wanted` pixels from the nearest whole one.
    """
    if crop is None:
        return Box(0, 0, frame.width_px, frame.height_px)
    x, w = _outwards(crop.x, crop.w, extent=frame.width_px)
    y, h = _outwards(crop.y, crop.h, extent=frame.height_px)
    if abs(crop.w / 1000 - wanted.width_px) < 1 and abs(crop.h / 1000 - wanted.height_px) < 1:
        w, h = min(wanted.width_px, frame.width_px), min(wanted.height_px, frame.height_px)
        x = min(max(0, round(crop.x / 1000)), frame.width_px - w)
        y = min(max(0, round(crop.y / 1000)), frame.height_px - h)
    return Box(x, y, w, h)


def _outwards(start: int, length: int, *, extent: int) -> tuple[int, int]:
    low = min(max(0, start // 1000), extent - 1)
    high = min(max(low + 1, -(-(start + length) // 1000)), extent)
    return low, high - low


def to_coded(box: Box, *, orientation: int, width: int, height: int) -> Box:
    """A box of the upright frame as a box of the coded picture of this width and height."""
    x, y, w, h = box.x, box.y, box.w, box.h
    match orientation:
        case 2:
            return Box(width - x - w, y, w, h)
        case 3:
            return Box(width - x - w, height - y - h, w, h)
        case 4:
            return Box(x, height - y - h, w, h)
        case 5:
            return Box(y, x, h, w)
        case 6:
            return Box(y, height - x - w, h, w)
        case 7:
            return Box(width - y - h, height - x - w, h, w)
        case 8:
            return Box(width - y - h, x, h, w)
        case _:
            return box


def turn_upright(image: pyvips.Image, *, orientation: int) -> pyvips.Image:
    """Apply an EXIF orientation; the picture must be readable in any order for 3 to 8."""
    match orientation:
        case 2:
            return image.fliphor()
        case 3:
            return image.rot180()
        case 4:
            return image.flipver()
        case 5:
            return image.rot90().fliphor()
        case 6:
            return image.rot90()
        case 7:
            return image.rot90().flipver()
        case 8:
            return image.rot270()
        case _:
            return image


def in_tiles(turned: pyvips.Image) -> pyvips.Image:
    """A picture that was on its side, made tile by tile, each by one thread while another encodes those before.

    Row by row, every row would touch every row of the picture that it is turned from.
    """
    tiles = 2 * (-(-turned.width // TILE_PX) + 1)
    return turned.tilecache(
        tile_width=TILE_PX, tile_height=TILE_PX, max_tiles=tiles, access="sequential", threaded=True
    )


def shrink_for(box: Box, *, width: int, height: int, target: Size) -> int:
    """The largest of 8, 4, 2, 1 that a JPEG decoder may shrink by and still leave the scaler at least the target.

    The box must fall on the shrunk grid. The decoder leaves out what does not fill a shrunk pixel at the far edge: that
    may be a quarter of a delivered pixel at most.
    """
    for shrink in (8, 4, 2):
        fits = box.w >= shrink * target.width_px and box.h >= shrink * target.height_px
        if fits and all(
            _falls_on(shrink, start, length, extent=extent, factor=length / wanted)
            for start, length, extent, wanted in (
                (box.x, box.w, width, target.width_px),
                (box.y, box.h, height, target.height_px),
            )
        ):
            return shrink
    return 1


def _falls_on(shrink: int, start: int, length: int, *, extent: int, factor: float) -> bool:
    end = start + length
    lost = end % shrink
    return start % shrink == 0 and (lost == 0 or (end == extent and lost <= factor / 4))


def shrunk(box: Box, by: int) -> Box:
    """The same box on a picture that the decoder shrank."""
    x, y = box.x // by, box.y // by
    return Box(x, y, (box.x + box.w) // by - x, (box.y + box.h) // by - y)
