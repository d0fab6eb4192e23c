"""Contact sheets: several frames of an animation, or pages of a picture, on one sheet with their numbers below them."""

from __future__ import annotations

from typing import Any

import pyvips
from PIL import Image, ImageDraw, ImageFont

from eyeline.media.classify import is_flat
from eyeline.media.containers.facts import Container
from eyeline.media.picture_colour import on_white, to_srgb
from eyeline.media.picture_decode import Picture, decoding, set_up_libvips
from eyeline.media.picture_encode import Encoded, Wish, encode
from eyeline.media.picture_geometry import turn_upright
from eyeline.media.picture_probe import shown_ms
from eyeline.model.geometry import Size
from eyeline.model.manifest import Transform
from eyeline.model.plan import SHEET_CAPTION_PX, SHEET_GAP_PX, RenditionPlan, Sheet

_GROUND, _INK = (236, 236, 236), (40, 40, 40)
_KERNEL = "lanczos3"


class SheetRendering:
    """One contact sheet at work on one picture."""

    def __init__(self, picture: Picture, plan: RenditionPlan, *, sheet: Sheet) -> None:
        self._picture = picture
        self._plan = plan
        self._sheet = sheet
        self._done: list[Transform] = []
        self._size = sheet.size

    def run(self) -> Encoded:
        """Draw and encode it. Raises as rendering one frame does."""
        image = self._drawn()
        encoded = encode(
            lambda scale: self._scaled(image, scale),
            self._plan.media_types,
            wish=Wish(is_flat(image)),
            max_bytes=self._plan.max_bytes,
            by=set_up_libvips(),
        )
        whole = self._scaled(image, encoded.scale)
        self._size = Size(whole.width, whole.height)
        if encoded.scale < 1:
            facts = {"kernel": _KERNEL, "from": str(self._sheet.size), "to": str(self._size)}
            self._done.append(Transform("scale", set_up_libvips(), facts))
        self._done.append(encoded.transform)
        return encoded

    def report(self, encoded: Encoded) -> dict[str, Any]:
        """The plain form of what was made and done; there is no one scale."""
        return {
            "media_type": str(encoded.media_type),
            "size": {"width_px": self._size.width_px, "height_px": self._size.height_px},
            "transforms": [{"step": each.step, "by": each.by, "facts": each.facts} for each in self._done],
            "scale": None,
        }

    def _drawn(self) -> pyvips.Image:
        picture, sheet = self._picture, self._sheet
        steps: list[Transform] = []
        cells: list[pyvips.Image] = []
        captions = self._captions()
        for frame, image in zip(sheet.frames, picture.frames_of(sheet.frames), strict=True):
            facts = picture.facts.at(frame)
            cells.append(cell(self._upright(image, facts, steps), sheet.cell, caption=captions[len(cells)]))
        kind = "pages" if picture.format.has_pages else "frames"
        said = {kind: f"{len(sheet.frames)} of {picture.facts.frames}"}
        self._done = [Transform("decode", picture.decoder, said), *_once(steps), self._montage(kind)]
        with decoding(picture.feed):
            return join_cells(cells, sheet)

    def _upright(self, image: pyvips.Image, facts: Container, steps: list[Transform]) -> pyvips.Image:
        """One frame upright in sRGB, no larger than its cell."""
        picture, cell = self._picture, self._sheet.cell
        by = picture.decoder
        coloured: list[Transform] = []
        flattened: list[Transform] = []
        with decoding(picture.feed):
            image = turn_upright(on_white(image, flattened, by=by).copy_memory(), orientation=facts.orientation)
            factor = min(1.0, cell.width_px / image.width, cell.height_px / image.height)
            if factor < 1:
                image = image.resize(factor, kernel=_KERNEL)
        image = to_srgb(image.copy_memory(), facts, done=coloured, by=by)
        if facts.orientation != 1:
            steps.append(Transform("orient", by, {"exif": str(facts.orientation)}))
        steps += coloured + flattened
        with decoding(picture.feed):
            return image.colourspace("srgb").copy_memory() if image.bands == 1 else image

    def _captions(self) -> list[str]:
        """What stands below each cell: its number, and when a frame begins to be shown."""
        if self._picture.format.has_pages:
            return [f"page {number}" for number in self._sheet.frames]
        times = shown_ms(self._picture.facts)
        return [f"frame {number}   {sum(times[: number - 1]) / 1000:.2f} s" for number in self._sheet.frames]

    def _montage(self, kind: str) -> Transform:
        sheet = self._sheet
        facts = {
            kind: ",".join(map(str, sheet.frames)),
            "grid": f"{sheet.columns}x{sheet.rows}",
            "cell": str(sheet.cell),
            "size": str(sheet.size),
            "captions": "ours",
        }
        return Transform("montage", set_up_libvips(), facts)

    def _scaled(self, image: pyvips.Image, scale: float) -> pyvips.Image:
        with decoding():
            return image if scale == 1 else image.resize(scale, kernel=_KERNEL).copy_memory()


def cell(image: pyvips.Image, room: Size, *, caption: str) -> pyvips.Image:
    """A picture in the middle of its room, with its caption below."""
    height = room.height_px + SHEET_CAPTION_PX
    with decoding():
        image = image.crop(0, 0, min(image.width, room.width_px), min(image.height, room.height_px))
        left, top = (room.width_px - image.width) // 2, (room.height_px - image.height) // 2
        placed = image.embed(left, top, room.width_px, height, extend="background", background=list(_GROUND))
        return placed.insert(_lettering(caption, room.width_px), 0, room.height_px).copy_memory()


def join_cells(cells: list[pyvips.Image], sheet: Sheet) -> pyvips.Image:
    """Cells with their captions, row by row on one sheet."""
    joined = pyvips.Image.arrayjoin(cells, across=sheet.columns, shim=SHEET_GAP_PX, background=list(_GROUND))
    return joined.embed(
        SHEET_GAP_PX,
        SHEET_GAP_PX,
        sheet.size.width_px,
        sheet.size.height_px,
        extend="background",
        background=list(_GROUND),
    ).copy_memory()


def _lettering(text: str, width: int) -> pyvips.Image:
    strip = Image.new("RGB", (width, SHEET_CAPTION_PX), _GROUND)
    ImageDraw.Draw(strip).text((width // 2, 2), text, font=ImageFont.load_default(13), fill=_INK, anchor="ma")
    pixels = pyvips.Image.new_from_memory(strip.tobytes(), width, SHEET_CAPTION_PX, 3, "uchar")
    return pixels.copy(interpretation="srgb")


def _once(steps: list[Transform]) -> list[Transform]:
    """Each different step once, in order."""
    kept: list[Transform] = []
    for step in steps:
        if step not in kept:
            kept.append(step)
    return kept
