"""Weighs a picture: how much it looks like text or drawing, how much like a scene. Cheap statistics, no model.

The weights set how much effort each lane gets; they never switch a lane off.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyvips

from eyeline.media.containers.view import Reader
from eyeline.media.picture_colour import on_white, to_srgb
from eyeline.media.picture_decode import Picture, decoding
from eyeline.media.picture_geometry import Box, shrink_for
from eyeline.model.geometry import Size
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType

LEAST = 0.2
FLAT_FROM, SURELY_FLAT_FROM = 0.55, 0.9
_EDGE_PX = 1024
_ROWS = 72
_SOFT, _HARD, _EDGE = 4, 24, 48


@dataclass(frozen=True, slots=True)
class Look:
    """Shares of 0 to 1: neighbours of exactly one colour, hard edges among neighbours, rows that alternate between much
    and little ink as lines of text do, samples in the commonest few colours."""

    flat: float
    edges: float
    lines: float
    common: float


def weigh(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: emphasis of the OCR and the description lane, each at least 0.2, both adding up to 1.

    `params`: `media_type`, and `frame` (1-based) where one is meant. Raises what opening a picture raises.
    """
    del out
    limits = Limits()
    picture = Picture(
        reader,
        MediaType.parse(params["media_type"]),
        max_pixels=params.get("max_pixels", limits.max_pixels),
        max_frames=params.get("max_frames", limits.max_frames),
    )
    look = look_at(_small(picture, params.get("frame")))
    # letters are hard edges on a ground of few tones, in rows
    letters = min(1.0, 12 * look.edges) * look.common
    text = 0.2 * look.flat + 0.4 * look.lines + 0.4 * letters
    ocr = round(min(max(text, LEAST), 1 - LEAST), 3)
    facts = {"flat": look.flat, "edges": look.edges, "lines": look.lines, "common": look.common}
    return {
        "emphasis": {"ocr": ocr, "description": round(1 - ocr, 3)},
        "facts": {name: round(value, 3) for name, value in facts.items()},
    }


def is_flat(image: pyvips.Image) -> bool:
    """Whether lossless encoding of an 8-bit picture pays, as it does for text, screenshots and diagrams.

    Most neighbours are of exactly one colour, and where they differ they differ much: blur differs everywhere a little.
    """
    same = sameness(image)
    if FLAT_FROM <= same < SURELY_FLAT_FROM:
        with decoding():
            left, right = _neighbours(image)
            step = (left.cast("short") - right).abs().copy_memory()
            soft = step.relational_const("lesseq", [_SOFT]).bandand().avg() / 255 - same
            hard = step.relational_const("more", [_HARD]).bandor().avg() / 255
        return hard * 6 >= soft
    return same >= SURELY_FLAT_FROM


def sameness(image: pyvips.Image) -> float:
    """Share of neighbours in a row that are of exactly one colour, looked at in some rows of an 8-bit picture."""
    if image.width < 2:
        return 1.0
    with decoding():
        left, right = _neighbours(image)
        return left.relational(right, "equal").bandand().avg() / 255


def _neighbours(image: pyvips.Image) -> tuple[pyvips.Image, pyvips.Image]:
    every = max(1, image.height // _ROWS)
    rows = image.subsample(1, every) if every > 1 else image
    return rows.crop(0, 0, rows.width - 1, rows.height), rows.crop(1, 0, rows.width - 1, rows.height)


def look_at(image: pyvips.Image) -> Look:
    """Measure an 8-bit grey or sRGB picture."""
    with decoding():
        grey = image.colourspace("b-w") if image.bands > 1 else image
        grey = grey.copy_memory()
        if grey.width < 8 or grey.height < 8:
            return Look(sameness(image), 0.0, 0.0, 1.0)
        left = grey.crop(0, 0, grey.width - 1, grey.height)
        step = (left.cast("short") - grey.crop(1, 0, grey.width - 1, grey.height)).abs()
        edges = (step > _EDGE).avg() / 255
        histogram = (grey >> 3).hist_find()
        counts = sorted(_values(histogram), reverse=True)
        return Look(sameness(image), edges, _line_rhythm(step > _EDGE), sum(counts[:3]) / sum(counts))


def _line_rhythm(ink: pyvips.Image) -> float:
    """How much rows (or columns) with ink alternate with such without, as lines of text do: share at a border."""
    columns, rows = ink.project()
    return max(_rhythm(_values(rows), across=ink.width), _rhythm(_values(columns), across=ink.height))


def _values(line: pyvips.Image) -> list[int]:
    """The numbers of a picture that is one line of them."""
    return memoryview(line.cast("uint").write_to_memory()).cast("B").cast("I").tolist()


def _rhythm(sums: list[int], *, across: int) -> float:
    with_ink = [each > 0.01 * 255 * across for each in sums]
    borders = sum(before != after for before, after in pairwise(with_ink))
    return min(1.0, 20 * borders / len(with_ink))


def _small(picture: Picture, frame: int | None) -> pyvips.Image:
    """The picture in its coded frame at a size that is cheap to measure and still shows lines of text."""
    facts, size = picture.facts, picture.coded_size
    factor = max(1, size.long_edge // _EDGE_PX)
    target = Size(max(1, size.width_px // factor), max(1, size.height_px // factor))
    whole = Box(0, 0, size.width_px, size.height_px)
    shrink = shrink_for(whole, width=size.width_px, height=size.height_px, target=target)
    image = picture.load(frame=frame, shrink=shrink if picture.format.shrinks_by_blocks else 1)
    with decoding(picture.feed):
        image = on_white(image, [], by="")
        rest = max(1, min(image.width // target.width_px, image.height // target.height_px))
        image = image.shrink(rest, rest, ceil=True) if rest > 1 else image
        return to_srgb(image.copy_memory(), facts, done=[], by="").copy_memory()
