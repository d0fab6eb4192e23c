"""Cutting ink into strips that tesseract reads one by one: very tall pictures cost less and come out better that way.

Only what is much taller than wide is cut, so that the columns of an ordinary page stay whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyvips

TALL = 3.0
"""How many times taller than wide a picture is before it is cut."""

_LEAST_PX, _OVERLAP_PX = 2_000, 120


@dataclass(frozen=True, slots=True)
class Strip:
    """Rows `top` to `bottom` of the ink; a line belongs to the strip if its middle lies in rows `first` to `last`.

    Where no blank row was found to cut at, neighbours share some rows, so that each line is whole in one of them.
    """

    top: int
    bottom: int
    first: int
    last: int

    def owns(self, top: float, bottom: float) -> bool:
        """Whether a line with this top and bottom, counted from the strip's own top, is this strip's to report."""
        return self.first <= self.top + (top + bottom) / 2 < self.last


def strips(ink: pyvips.Image) -> Iterator[Strip]:
    """Strips from top to bottom that together own every row once; one strip for what is not very tall."""
    height = max(_LEAST_PX, round(1.5 * ink.width))
    first, overlap = 0, 0
    while first < ink.height:
        last, below = ink.height, 0
        if ink.height - first > max(height * 1.3, TALL * ink.width if first == 0 else 0):
            last, below = _cut_near(ink, first + height, reach=height // 4)
        yield Strip(first - overlap, last + below, first, last)
        first, overlap = last, below


def _cut_near(ink: pyvips.Image, wanted: int, *, reach: int) -> tuple[int, int]:
    """The best row to cut at around a wanted one, and how many rows to share on both sides of it."""
    top = wanted - reach
    _, down = ink.crop(0, top, ink.width, 2 * reach).invert().project()
    rows = memoryview(down.cast("float").write_to_memory()).cast("B").cast("f")
    blank = 24.0 * 2  # a stray speck or two
    best, best_length, length = 0, 0, 0
    for index, amount in enumerate(rows):
        length = length + 1 if amount <= blank else 0
        if length > best_length:
            best, best_length = index - length // 2, length
    if best_length >= 4:
        return top + best, 0
    return top + min(range(len(rows)), key=lambda index: (rows[index], abs(index - reach))), _OVERLAP_PX
