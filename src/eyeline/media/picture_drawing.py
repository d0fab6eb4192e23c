"""Draws part of a drawing at the size that is wanted: it has no pixels to cut from, so it is drawn anew."""

from __future__ import annotations

import math

import pyvips

from eyeline.media.picture_decode import Picture, decoding, drawing_options
from eyeline.media.picture_geometry import Box
from eyeline.model.geometry import Size

_MAX_SIDE_PX = 32_000
"""The decoder draws no wider and no higher than 32767 pixels; a part that would need more is drawn coarser."""


def drawn(picture: Picture, box: Box, *, size: Size) -> pyvips.Image:
    """A box of the drawing, in its pixels, as RGBA of about `size`; at most a pixel from it by rounding."""
    facts = picture.facts
    wanted = max(size.width_px / box.w, size.height_px / box.h)
    factor = min(wanted, _MAX_SIDE_PX / max(facts.width_px, facts.height_px))
    with decoding(picture.feed):
        source = picture.feed.source(facts.pieces)
        image: pyvips.Image = pyvips.Image.svgload_source(source, **drawing_options(facts.scale * factor))
        across, down = image.width / facts.width_px, image.height / facts.height_px
        left, top = min(int(box.x * across), image.width - 1), min(int(box.y * down), image.height - 1)
        right = max(left + 1, min(math.ceil((box.x + box.w) * across), image.width))
        bottom = max(top + 1, min(math.ceil((box.y + box.h) * down), image.height))
        return image.crop(left, top, right - left, bottom - top).copy_memory()
