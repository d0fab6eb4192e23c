"""A coarse grid of averages, by which a picture that was encoded is known when it is read again.

A decoder takes most damage for pixels: what is read without a complaint need not be what was encoded. The averages of a
picture and of the same one decoded at an eighth of its size agree to a few levels, whatever is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyvips

from eyeline.media.picture_geometry import Box, to_coded, turn_upright

EIGHTH = 8
"""A JPEG decoder that makes every eighth pixel still reads every coded value, and spares itself most of the work."""

LEAST_PX = 128
"""The shorter side from which a picture has a cell of several of those pixels."""

MOST_APART = 16
"""Levels of 255 by which a cell may differ: noise that is coarsely quantised stays below half of it."""

_CELLS = 16


def grid_of(image: pyvips.Image, *, orientation: int = 1) -> list[int]:
    """The averages of an 8-bit picture in memory, upright; `orientation` says how it lies there."""
    on_its_side = orientation in range(5, 9)
    width, height = (image.height, image.width) if on_its_side else (image.width, image.height)
    if min(width, height) < EIGHTH:
        return _levels(image.shrink(image.width, image.height))
    across, down = _cell(width), _cell(height)
    whole = Box(0, 0, width // EIGHTH // across * across * EIGHTH, height // EIGHTH // down * down * EIGHTH)
    box = to_coded(whole, orientation=orientation, width=image.width, height=image.height)
    across, down = (down, across) if on_its_side else (across, down)
    part = image.crop(box.x, box.y, box.w, box.h)
    small = part.shrink(across * EIGHTH, down * EIGHTH).copy_memory()
    return _levels(turn_upright(small, orientation=orientation))


def grid_of_eighth(image: pyvips.Image, *, width: int, height: int) -> list[int]:
    """The same of a picture of this size that was decoded at an eighth."""
    across, down = _cell(width), _cell(height)
    part = image.crop(0, 0, width // EIGHTH // across * across, height // EIGHTH // down * down)
    return _levels(part.shrink(across, down))


def is_same(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two grids are of the same picture, encoded or not."""
    return len(one) == len(other) and all(abs(a - b) <= MOST_APART for a, b in zip(one, other, strict=True))


def _cell(side: int) -> int:
    """How many eighths a cell is wide."""
    return max(1, side // EIGHTH // _CELLS)


def _levels(image: pyvips.Image) -> list[int]:
    return memoryview(image.write_to_memory()).cast("B").tolist()
