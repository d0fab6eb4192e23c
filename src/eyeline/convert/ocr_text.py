"""Laying out what OCR read: one piece a line, each with the region it was read from."""

from __future__ import annotations

from collections.abc import Iterator

from eyeline.convert.document import Piece
from eyeline.convert.lanes import OcrReading
from eyeline.model.geometry import Region
from eyeline.model.locator import Locator


def pieces_of_reading(reading: OcrReading, *, page: int | None = None) -> Iterator[Piece]:
    """Lines in reading order, an empty line between paragraphs; regions in percent of the upright frame."""
    before: tuple[int, int] | None = None
    for line in reading.lines:
        here = (line.block, line.paragraph)
        gap = "\n" if before not in (None, here) else ""
        before = here
        region = percent_region(line.box, width=reading.width, height=reading.height)
        yield Piece(f"{gap}{line.text}\n", Locator(page=page, region=region))


def percent_region(box: tuple[float, float, float, float], *, width: float, height: float) -> Region | None:
    """A box (x, y, w, h) as a percent region of its frame; none for a box without area or outside the frame."""
    left, top = max(0.0, box[0]), max(0.0, box[1])
    right, bottom = min(width, box[0] + box[2]), min(height, box[1] + box[3])
    if width <= 0 or height <= 0 or right <= left or bottom <= top:
        return None
    x, y = int(left / width * 100_000), int(top / height * 100_000)
    w = min(100_000 - x, max(1, round((right - left) / width * 100_000) + 1))
    h = min(100_000 - y, max(1, round((bottom - top) / height * 100_000) + 1))
    return Region.percent(x / 1000, y / 1000, w / 1000, h / 1000) if min(w, h) > 0 else None
