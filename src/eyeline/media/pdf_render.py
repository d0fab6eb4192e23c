"""Rendering a page, or a part of one, by a plan: drawn at the size that is delivered, encoded like any picture."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import pyvips

from eyeline.errors import LocatorOutOfRange
from eyeline.media.classify import is_flat
from eyeline.media.pdf_document import ENGINE, OpenPage
from eyeline.media.pdf_draw import Part, draw
from eyeline.media.picture_decode import decoding, set_up_libvips
from eyeline.media.picture_encode import Encoded, Wish, encode
from eyeline.model.geometry import Size
from eyeline.model.manifest import Scale, Transform
from eyeline.model.plan import CropBox, RenditionPlan


class PageRendering:
    """One plan at work on one loaded page. A part that ends outside the page is cut off, and so is its size."""

    def __init__(self, page: OpenPage, plan: RenditionPlan, *, page_count: int) -> None:
        self._page = page
        self._plan = plan
        self._page_count = page_count
        self._part = part_of(page, plan.crop)
        self._size = plan.size if plan.crop is None else _cut_size(plan.size, plan.crop, self._part)

    def run(self) -> Encoded:
        """Draw and encode. Each smaller size that the bytes ask for is drawn anew: letters stay sharp."""
        by = set_up_libvips()
        image = self._drawn(self._size)
        encoded = encode(
            lambda scale: self._padded(image if scale == 1 else self._drawn(_scaled(self._size, scale))),
            self._plan.media_types,
            wish=Wish(is_flat(image)),
            max_bytes=self._plan.max_bytes,
            by=by,
        )
        self._size = _scaled(self._size, encoded.scale)
        return encoded

    def report(self, encoded: Encoded) -> dict[str, Any]:
        """The plain form of what was made and done; the scale maps delivered pixels back to points."""
        size, part, frame = self._size, self._part, self._page.frame
        padded = _padded_size(size, self._plan.min_side_px)
        scale = Scale(
            source=Size(math.ceil(round(frame.width_pt, 3)), math.ceil(round(frame.height_pt, 3))),
            delivered=padded,
            offset_x=part.x_pt,
            offset_y=part.y_pt,
            factor_x=part.w_pt / size.width_px,
            factor_y=part.h_pt / size.height_px,
        )
        return {
            "media_type": str(encoded.media_type),
            "size": asdict(padded),
            "transforms": [asdict(step) for step in (*self._steps(size, padded), encoded.transform)],
            "scale": asdict(scale),
        }

    def _steps(self, size: Size, padded: Size) -> list[Transform]:
        part = self._part
        facts = {
            "page": f"{self._page.number} of {self._page_count}",
            "dpi": f"{72 * size.width_px / part.w_pt:.6g}",
            "size": str(size),
            "background": "white",
        }
        steps = [Transform("render", ENGINE, facts)]
        if part != Part.whole(self._page.frame):
            box = ",".join(f"{value:.6g}" for value in (part.x_pt, part.y_pt, part.w_pt, part.h_pt))
            steps.append(Transform("crop", ENGINE, {"box": box, "unit": "point"}))
        if padded != size:
            said = {"from": str(size), "to": str(padded), "with": "white", "where": "right and bottom"}
            steps.append(Transform("pad", set_up_libvips(), said))
        return steps

    def _drawn(self, size: Size) -> pyvips.Image:
        pixels = draw(self._page, self._part, size=size)
        red = pixels[0::3]
        # A page without colour goes out in grey: half the bytes, half the time. Slices compare faster than any filter.
        is_grey = red == pixels[1::3] and red == pixels[2::3]
        with decoding():
            rows, bands = (red, 1) if is_grey else (pixels, 3)
            return pyvips.Image.new_from_memory(rows, size.width_px, size.height_px, bands, "uchar")

    def _padded(self, image: pyvips.Image) -> pyvips.Image:
        size = _padded_size(Size(image.width, image.height), self._plan.min_side_px)
        if (size.width_px, size.height_px) == (image.width, image.height):
            return image
        with decoding():
            return image.embed(0, 0, size.width_px, size.height_px, extend="white").copy_memory()


def part_of(page: OpenPage, crop: CropBox | None) -> Part:
    """What a plan shows of a page, cut off at its edges. Raises `LocatorOutOfRange` when nothing of it lies inside."""
    frame = page.frame
    if crop is None:
        return Part.whole(frame)
    x, y = max(crop.x / 1000, 0.0), max(crop.y / 1000, 0.0)
    w = min((crop.x + crop.w) / 1000, frame.width_pt) - x
    h = min((crop.y + crop.h) / 1000, frame.height_pt) - y
    if w <= 0 or h <= 0:
        extent = f"{frame.width_pt:.6g} x {frame.height_pt:.6g} points"
        raise LocatorOutOfRange(f"the region lies outside page {page.number} of {extent}", page_size_pt=extent)
    return Part(x, y, w, h)


def _cut_size(size: Size, crop: CropBox, part: Part) -> Size:
    """The share of the planned size that is left of a crop; all of it when the crop lies inside the page."""
    width = round(size.width_px * min(part.w_pt * 1000 / crop.w, 1.0))
    height = round(size.height_px * min(part.h_pt * 1000 / crop.h, 1.0))
    return Size(max(width, 1), max(height, 1))


def _scaled(size: Size, scale: float) -> Size:
    return Size(max(1, round(size.width_px * scale)), max(1, round(size.height_px * scale)))


def _padded_size(size: Size, side: int) -> Size:
    return Size(max(size.width_px, side), max(size.height_px, side))
