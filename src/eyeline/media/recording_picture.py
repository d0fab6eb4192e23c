"""Pictures of a recording by a plan: a frame or a region of it, several frames on a sheet, the sound drawn."""

from __future__ import annotations

from typing import Any

import pyvips

from eyeline.errors import CorruptMedia, MediaError
from eyeline.media.classify import is_flat
from eyeline.media.picture_decode import decoding, set_up_libvips
from eyeline.media.picture_encode import Encoded, Wish, encode
from eyeline.media.picture_geometry import whole_pixels
from eyeline.media.picture_sheet import cell, join_cells
from eyeline.media.recording_frames import Frames
from eyeline.media.recording_open import DECODER, Recording
from eyeline.media.recording_spectrogram import clock, draw_spectrogram
from eyeline.model.geometry import Size
from eyeline.model.locator import Span
from eyeline.model.manifest import Transform
from eyeline.model.plan import RenditionPlan, Sheet

_KERNEL = "lanczos3"


class RecordingPicture:
    """One plan at work on one recording."""

    def __init__(self, recording: Recording, plan: RenditionPlan, *, max_pixels: int) -> None:
        self._recording = recording
        self._plan = plan
        self._max_pixels = max_pixels
        self._done: list[Transform] = []
        self._at_ms: int | None = None
        self._source: tuple[Size, float, float, float, float] | None = None

    def run(self) -> tuple[Encoded, dict[str, Any]]:
        """Draw and encode it; the encoded picture and the plain form of what was done."""
        plan = self._plan
        if plan.spectrogram is not None:
            image = self._sound(plan.spectrogram)
        elif plan.sheet is not None:
            image = self._sheet(plan.sheet)
        else:
            image = self._frame(plan.instant_ms or 0)
        encoded = encode(
            lambda scale: _at_scale(image, scale, least=plan.min_side_px),
            plan.media_types,
            wish=Wish(is_flat(image)),
            max_bytes=plan.max_bytes,
            by=set_up_libvips(),
        )
        size = _scaled(image, encoded.scale)
        if encoded.scale < 1:
            facts = {"kernel": _KERNEL, "from": f"{image.width}x{image.height}", "to": str(size)}
            self._done.append(Transform("scale", set_up_libvips(), facts))
        padded = _padded(size, plan.min_side_px)
        if padded != size:
            said = {"from": str(size), "to": str(padded), "with": "white", "where": "right and bottom"}
            self._done.append(Transform("pad", set_up_libvips(), said))
        self._done.append(encoded.transform)
        return encoded, self._report(encoded, size, padded)

    def _frame(self, instant_ms: int) -> pyvips.Image:
        """The frame that is shown at an instant, cut and scaled."""
        frames = Frames(self._recording, max_pixels=self._max_pixels)
        shown = frames.at(instant_ms)
        self._at_ms = shown.at_ms
        facts = {"codec": frames.stream.codec_context.name, "t": f"{shown.at_ms / 1000:.3f}"}
        self._done.append(Transform("decode", DECODER, facts))
        image = frames.upright(shown.frame, done=self._done)
        upright = Size(image.width, image.height)
        box = whole_pixels(self._plan.crop, upright, wanted=self._plan.size)
        by, size = set_up_libvips(), Size(min(self._plan.size.width_px, box.w), min(self._plan.size.height_px, box.h))
        with decoding():
            if (box.w, box.h) != (image.width, image.height):
                self._done.append(Transform("crop", by, {"box": f"{box.x},{box.y},{box.w},{box.h}"}))
                image = image.crop(box.x, box.y, box.w, box.h)
            if (image.width, image.height) != (size.width_px, size.height_px):
                said = {"kernel": _KERNEL, "from": f"{box.w}x{box.h}", "to": str(size)}
                self._done.append(Transform("scale", by, said))
                across, down = size.width_px / image.width, size.height_px / image.height
                image = image.resize(across, vscale=down, kernel=_KERNEL)
            image = image.copy_memory()
        self._source = (upright, float(box.x), float(box.y), float(box.w), float(box.h))
        return image

    def _sheet(self, sheet: Sheet) -> pyvips.Image:
        """Frames at instants, each with its true time below it; one that cannot be shown is an empty cell."""
        frames = Frames(self._recording, max_pixels=self._max_pixels)
        cells: list[pyvips.Image] = []
        times: list[str] = []
        for instant_ms in sheet.times_ms:
            try:
                shown = frames.at(instant_ms)
                image, at_ms = frames.upright(shown.frame, done=[]), shown.at_ms
            except MediaError:
                image, at_ms = _nothing(sheet.cell), instant_ms
            times.append(f"{at_ms / 1000:.3f}")
            caption = f"{clock(at_ms / 1000)}   t={at_ms / 1000:g}"
            with decoding():
                factor = min(1.0, sheet.cell.width_px / image.width, sheet.cell.height_px / image.height)
                small = image.resize(factor, kernel=_KERNEL).copy_memory() if factor < 1 else image
            cells.append(cell(small, sheet.cell, caption=caption))
        if not cells:
            raise CorruptMedia("a sheet needs frames", reason="no_frame")
        codec = frames.stream.codec_context.name
        self._done.append(Transform("decode", DECODER, {"codec": codec, "frames": str(len(cells))}))
        grid = {"t": ",".join(times), "grid": f"{sheet.columns}x{sheet.rows}", "cell": str(sheet.cell)}
        facts = {**grid, "size": str(sheet.size), "captions": "ours"}
        self._done.append(Transform("montage", set_up_libvips(), facts))
        with decoding():
            return join_cells(cells, sheet)

    def _sound(self, span: Span) -> pyvips.Image:
        facts = {"codec": self._recording.sound().codec_context.name}
        self._done.append(Transform("decode", DECODER, facts))
        image = draw_spectrogram(self._recording, span, size=self._plan.size)
        said = {"t": str(span), "shows": "peaks above, loudness of each pitch below", "captions": "ours"}
        self._done.append(Transform("render", "eyeline.recordings", said))
        return image

    def _report(self, encoded: Encoded, size: Size, padded: Size) -> dict[str, Any]:
        scale = None
        if self._source is not None:
            upright, x, y, w, h = self._source
            scale = {
                "source": _plain(upright),
                "delivered": _plain(padded),
                "offset_x": x,
                "offset_y": y,
                "factor_x": w / size.width_px,
                "factor_y": h / size.height_px,
            }
        return {
            "media_type": str(encoded.media_type),
            "size": _plain(padded),
            "transforms": [{"step": each.step, "by": each.by, "facts": each.facts} for each in self._done],
            "scale": scale,
            "at_ms": self._at_ms,
        }


def _at_scale(image: pyvips.Image, scale: float, *, least: int) -> pyvips.Image:
    size = _scaled(image, scale)
    padded = _padded(size, least)
    with decoding():
        if size != Size(image.width, image.height):
            across, down = size.width_px / image.width, size.height_px / image.height
            image = image.resize(across, vscale=down, kernel=_KERNEL)
        if padded != size:
            image = image.embed(0, 0, padded.width_px, padded.height_px, extend="white")
        return image.copy_memory()


def _scaled(image: pyvips.Image, scale: float) -> Size:
    return Size(max(1, round(image.width * scale)), max(1, round(image.height * scale)))


def _padded(size: Size, side: int) -> Size:
    return Size(max(size.width_px, side), max(size.height_px, side))


def _nothing(room: Size) -> pyvips.Image:
    grey = pyvips.Image.black(room.width_px, room.height_px, bands=3) + 128
    return grey.cast("uchar").copy(interpretation="srgb")


def _plain(size: Size) -> dict[str, int]:
    return {"width_px": size.width_px, "height_px": size.height_px}
