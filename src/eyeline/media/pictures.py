"""The picture engine: admits picture files and renders them. Its jobs run in the bounded child.

Order of work: region → scale → colour → encode. The region is cut from the original pixels, in whole pixels, before
anything is scaled; orientation is applied to the small result, which comes to the same.
"""

from __future__ import annotations

from typing import Any, Protocol

import pyvips

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaError, UnsupportedMedia
from eyeline.media.classify import is_flat
from eyeline.media.containers.facts import damaged
from eyeline.media.containers.view import Reader
from eyeline.media.fonts import fonts_version
from eyeline.media.picture_colour import on_white, to_srgb, without_idle_alpha
from eyeline.media.picture_decode import DRAWING_DPI, Picture, decode_in_full, decoding, set_up_libvips
from eyeline.media.picture_drawing import drawn
from eyeline.media.picture_encode import Encoded, Wish, encode
from eyeline.media.picture_geometry import (
    ON_ITS_SIDE,
    Box,
    in_tiles,
    shrink_for,
    shrunk,
    to_coded,
    turn_upright,
    upright_size,
    whole_pixels,
)
from eyeline.media.picture_grid import EIGHTH, LEAST_PX, grid_of, grid_of_eighth, is_same
from eyeline.media.picture_probe import probe_of
from eyeline.media.picture_sheet import SheetRendering
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, Limits
from eyeline.model.locator import Span
from eyeline.model.manifest import Transform
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CropBox, RenditionPlan, Sheet

_KERNEL = "lanczos3"


class Output(Protocol):
    """Where a job puts the bytes it makes."""

    def add(self, data: bytes, /) -> None:
        """Append one output."""
        ...


def admit(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: walk the container, check the limits, decode every pixel of every frame.

    Returns outcome (admitted, malformed, truncated, over_pixels, over_frames, unsupported), reason, decoder and probe.
    """
    del out
    media_type = MediaType.parse(params["media_type"])
    decoder = set_up_libvips()
    try:
        picture = Picture(
            reader, media_type, max_pixels=params["max_pixels"], max_frames=params["max_frames"], full=True
        )
        seen = decode_in_full(picture)
    except MediaError as exc:
        return {"outcome": _outcome(exc), "reason": exc.detail.get("reason") or exc.message, "decoder": decoder}
    return {
        "outcome": "admitted",
        "reason": None,
        "decoder": picture.decoder,
        "probe": probe_of(picture, media_type, seen=seen),
    }


def look(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: what the container says, without decoding a pixel; `flat` is not known.

    Returns the probe. Raises `CorruptMedia`, `UnsupportedMedia` and `MediaTooLarge`.
    """
    del out
    media_type = MediaType.parse(params["media_type"])
    picture = Picture(reader, media_type, max_pixels=params["max_pixels"], max_frames=params["max_frames"], full=True)
    if picture.facts.is_cut:
        raise damaged("pixels_end_early", outcome="truncated")
    return {"probe": probe_of(picture, media_type)}


def reread(reader: Reader, params: dict[str, Any], out: object) -> dict[str, Any]:
    """Job: read a picture that was made here again, every coded value of it, and compare it with its `grid`.

    Returns the probe, and whether it `is_same`. Raises what `look` raises; what a decoder only warns of is damage.
    """
    del out
    media_type = MediaType.parse(params["media_type"])
    picture = Picture(reader, media_type, max_pixels=params["max_pixels"], max_frames=params["max_frames"], full=True)
    if picture.facts.is_cut:
        raise damaged("pixels_end_early", outcome="truncated")
    size = picture.coded_size
    by_eighths = picture.format.shrinks_by_blocks and min(size.width_px, size.height_px) >= LEAST_PX
    image = picture.load(shrink=EIGHTH if by_eighths else 1, fail_on="warning")
    with decoding(picture.feed):
        image = image.copy_memory()
        found = grid_of_eighth(image, width=size.width_px, height=size.height_px) if by_eighths else grid_of(image)
    return {"probe": probe_of(picture, media_type), "is_same": is_same(params["grid"], found)}


def bare(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: the file without its metadata, byte for byte as it was besides; adds it to `out`.

    Raises `UnsupportedMedia` for a type of which that is not known, and what `look` raises.
    """
    media_type = MediaType.parse(params["media_type"])
    if media_type != JPEG:
        raise UnsupportedMedia(f"metadata of {media_type} is not taken out of its file", family="image")
    picture = Picture(reader, media_type, max_pixels=params["max_pixels"], max_frames=params["max_frames"], full=True)
    out.add(picture.feed.file(picture.facts.bare_pieces).read())
    return {}


def render(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Job: make one picture by a plan; adds its bytes to `out` and returns media type, size, transforms and scale.

    `params`: `media_type`, `plan`, and optionally `max_pixels`, `max_frames` and `strict`: every pixel is decoded, what
    a decoder only warns of is damage, and the `grid` that `reread` wants comes back too. Raises `CorruptMedia`,
    `UnsupportedMedia`, `MediaTooLarge` (also where nothing fits into the plan's bytes) and `LocatorOutOfRange`.
    """
    limits, strict = Limits(), params.get("strict", False)
    picture = Picture(
        reader,
        MediaType.parse(params["media_type"]),
        max_pixels=params.get("max_pixels", limits.max_pixels),
        max_frames=params.get("max_frames", limits.max_frames),
        full=strict,
    )
    plan = plan_from(params["plan"])
    rendering = (
        _Rendering(picture, plan, strict=strict)
        if plan.sheet is None
        else SheetRendering(picture, plan, sheet=plan.sheet)
    )
    encoded = rendering.run()
    out.add(encoded.data)
    return rendering.report(encoded)


def plan_from(plain: dict[str, Any]) -> RenditionPlan:
    """A plan from its plain form."""
    crop, sheet = plain.get("crop"), plain.get("sheet")
    return RenditionPlan(
        size=Size(**plain["size"]),
        media_types=tuple(MediaType.parse(each) for each in plain["media_types"]),
        max_bytes=plain["max_bytes"],
        page=plain.get("page"),
        frame=plain.get("frame"),
        crop=None if crop is None else CropBox(**crop),
        min_side_px=plain.get("min_side_px", 1),
        sheet=None if sheet is None else _sheet_from(sheet),
        lasting=plain.get("lasting", False),
        instant_ms=plain.get("instant_ms"),
        spectrogram=None if plain.get("spectrogram") is None else Span(**plain["spectrogram"]),
    )


def _sheet_from(plain: dict[str, Any]) -> Sheet:
    cell = Size(**plain["cell"])
    return Sheet(tuple(plain["frames"]), plain["columns"], cell, times_ms=tuple(plain.get("times_ms", ())))


class _Rendering:
    """One plan at work on one picture."""

    def __init__(self, picture: Picture, plan: RenditionPlan, *, strict: bool = False) -> None:
        self._strict = strict
        if plan.page not in (None, 1):
            raise LocatorOutOfRange(f"page {plan.page} is outside 1 to 1", pages=1, asked=plan.page)
        frame, frames = plan.frame or 1, picture.facts.frames
        if not 1 <= frame <= frames:
            raise LocatorOutOfRange(f"frame {frame} is outside 1 to {frames}", frames=frames, asked=frame)
        self._facts = facts = picture.facts.at(frame)
        self._picture = picture
        self._plan = plan
        self._upright = upright_size(facts.width_px, facts.height_px, orientation=facts.orientation)
        self._box = whole_pixels(plan.crop, self._upright, wanted=plan.size)
        self._size = plan.size
        if not picture.format.is_drawing:
            self._size = Size(min(plan.size.width_px, self._box.w), min(plan.size.height_px, self._box.h))
        self._done: list[Transform] = []
        self._padded = self._size
        self._grid: list[int] | None = None

    def run(self) -> Encoded:
        coded = self._pixels()
        turned = turn_upright(coded, orientation=self._facts.orientation)
        image = in_tiles(turned) if self._facts.orientation in ON_ITS_SIDE else turned
        encoded = encode(
            lambda scale: self._finished(image, scale),
            self._plan.media_types,
            wish=Wish(is_flat(turned), self._plan.lasting, turned.hasalpha()),
            max_bytes=self._plan.max_bytes,
            by=set_up_libvips(),
        )
        if encoded.scale < 1:
            self._size = _scaled(self._size, encoded.scale)
            self._rescale()
        self._padded = _padded(self._size, self._plan.min_side_px)
        if self._strict:
            self._grid = self._grid_of(coded, image)
        return encoded

    def _grid_of(self, coded: pyvips.Image, image: pyvips.Image) -> list[int]:
        """The grid of what was encoded; of the picture as it lies in the file where that comes to the same."""
        with decoding():
            if (image.width, image.height) == (self._padded.width_px, self._padded.height_px):
                return grid_of(coded, orientation=self._facts.orientation)
            return grid_of(self._finished(image, 1).copy_memory())

    def _pixels(self) -> pyvips.Image:
        """8-bit sRGB or grey pixels of exactly the planned size, in memory, as they lie in the file."""
        picture, facts, box, target = self._picture, self._facts, self._box, self._size
        flattened: list[Transform] = []
        if picture.format.is_drawing:
            image = drawn(picture, box, size=target)
            self._say_drawn()
        else:
            coded = to_coded(box, orientation=facts.orientation, width=facts.width_px, height=facts.height_px)
            target = Size(target.height_px, target.width_px) if facts.orientation >= 5 else target
            shrink = self._shrink(coded, target)
            image = self._cut(coded, shrink)
            self._say_decode(picture.decoder, shrink)
        by = picture.decoder
        with decoding(picture.feed):
            image = without_idle_alpha(image) if self._plan.lasting else on_white(image, flattened, by=by)
            image = _resized(image, target)
        if not picture.format.is_drawing:
            self._rescale()
        coloured: list[Transform] = []
        # colour is a matter of each pixel alone: converted while the next ones are decoded, it comes to the same
        image = to_srgb(image, facts, done=coloured, by=by)
        self._done += coloured + flattened
        with decoding(picture.feed):
            return image.copy_memory()

    def _cut(self, coded: Box, shrink: int) -> pyvips.Image:
        """The wanted part of the coded picture, as the decoder shrank it."""
        facts, picture = self._facts, self._picture
        image = picture.load(frame=self._plan.frame, shrink=shrink, fail_on="warning" if self._strict else "truncated")
        if abs(image.width - facts.width_px / shrink) >= 1 or abs(image.height - facts.height_px / shrink) >= 1:
            raise CorruptMedia("the decoder found another size than the container says", reason="size_differs")
        part = shrunk(coded, shrink)
        if (coded.w, coded.h) == (facts.width_px, facts.height_px):
            return image
        with decoding(picture.feed):
            return image.crop(part.x, part.y, part.w, part.h)

    def _shrink(self, coded: Box, target: Size) -> int:
        picture = self._picture
        if self._strict or not (picture.format.shrinks_by_blocks or picture.format.shrinks_by_scale):
            return 1
        facts = self._facts
        return shrink_for(coded, width=facts.width_px, height=facts.height_px, target=target)

    def _say_decode(self, by: str, shrink: int) -> None:
        facts, box = self._facts, self._box
        said = {"size": f"{facts.width_px}x{facts.height_px}"}
        if shrink > 1:
            said["shrink_on_load"] = str(shrink)
        if facts.turned:
            said["turned"] = facts.turned
        if "range_stretched" in facts.notes:
            said["range"] = "least to greatest value, or 0 to 1"
        self._done.append(Transform("decode", by, {**said, **self._said_frame()}))
        if facts.orientation != 1:
            self._done.append(Transform("orient", by, {"exif": str(facts.orientation), "size": str(self._upright)}))
        if (box.w, box.h) != (self._upright.width_px, self._upright.height_px):
            self._done.append(Transform("crop", by, {"box": f"{box.x},{box.y},{box.w},{box.h}"}))

    def _said_frame(self) -> dict[str, str]:
        """Which frame or page of how many."""
        count = self._picture.facts.frames
        if count == 1 and self._plan.frame is None:
            return {}
        return {"page" if self._picture.format.has_pages else "frame": f"{self._plan.frame or 1} of {count}"}

    def _say_drawn(self) -> None:
        """State at which resolution a drawing was drawn, and with whose fonts."""
        box, size, scale = self._box, self._size, self._picture.facts.scale
        said = {"size": str(self._upright), "dpi": f"{DRAWING_DPI * scale * size.width_px / box.w:.4g}"}
        self._done.append(Transform("render", self._picture.decoder, {**said, "fonts": fonts_version()}))
        if (box.w, box.h) != (self._upright.width_px, self._upright.height_px):
            self._done.append(Transform("crop", self._picture.decoder, {"box": f"{box.x},{box.y},{box.w},{box.h}"}))

    def _rescale(self) -> None:
        """State the scaling; a later one, made to fit the bytes, takes the place of the planned one."""
        place = next((i for i, each in enumerate(self._done) if each.step == "scale"), len(self._done))
        del self._done[place : place + 1]
        if (self._size.width_px, self._size.height_px) == (self._box.w, self._box.h):
            return
        factors = {"x": _ratio(self._box.w, self._size.width_px), "y": _ratio(self._box.h, self._size.height_px)}
        facts = {"kernel": _KERNEL, "from": f"{self._box.w}x{self._box.h}", "to": str(self._size), **factors}
        self._done.insert(place, Transform("scale", set_up_libvips(), facts))

    def _finished(self, image: pyvips.Image, scale: float) -> pyvips.Image:
        size = self._size if scale == 1 else _scaled(self._size, scale)
        padded = _padded(size, self._plan.min_side_px)
        if (image.width, image.height) == (padded.width_px, padded.height_px):
            return image
        with decoding():
            image = _resized(image, size)
            if padded != size:
                image = image.embed(0, 0, padded.width_px, padded.height_px, extend="white")
            return image.copy_memory()

    def report(self, encoded: Encoded) -> dict[str, Any]:
        """The plain form of what was made and done."""
        by, box, size = set_up_libvips(), self._box, self._size
        if self._padded != size:
            said = {"from": str(size), "to": str(self._padded), "with": "white", "where": "right and bottom"}
            self._done.append(Transform("pad", by, said))
        if self._facts.held and not self._picture.format.is_drawing:
            self._done.append(Transform("strip", by, {"removed": ", ".join(sorted(self._facts.held))}))
        self._done.append(encoded.transform)
        return {
            "grid": self._grid,
            "media_type": str(encoded.media_type),
            "size": _plain_size(self._padded),
            "transforms": [{"step": each.step, "by": each.by, "facts": each.facts} for each in self._done],
            "scale": {
                "source": _plain_size(self._upright),
                "delivered": _plain_size(self._padded),
                "offset_x": float(box.x),
                "offset_y": float(box.y),
                "factor_x": box.w / size.width_px,
                "factor_y": box.h / size.height_px,
            },
        }


def _outcome(exc: MediaError) -> str:
    fallback = "unsupported" if isinstance(exc, UnsupportedMedia) else "malformed"
    return str(exc.detail.get("outcome", fallback))


def _resized(image: pyvips.Image, size: Size) -> pyvips.Image:
    if (image.width, image.height) == (size.width_px, size.height_px):
        return image
    across, down = size.width_px / image.width, size.height_px / image.height
    if image.hasalpha():
        # what is not seen must not bleed into what is
        seen = image.premultiply().resize(across, vscale=down, kernel=_KERNEL)
        scaled = seen.unpremultiply().rint().cast(image.format)
    else:
        scaled = image.resize(across, vscale=down, kernel=_KERNEL)
    if (scaled.width, scaled.height) == (size.width_px, size.height_px):
        return scaled
    return scaled.embed(0, 0, size.width_px, size.height_px, extend="copy")


def _scaled(size: Size, scale: float) -> Size:
    return Size(max(1, round(size.width_px * scale)), max(1, round(size.height_px * scale)))


def _padded(size: Size, side: int) -> Size:
    return Size(max(size.width_px, side), max(size.height_px, side))


def _ratio(source: int, delivered: int) -> str:
    return f"{source / delivered:.6g}"


def _plain_size(size: Size) -> dict[str, int]:
    return {"width_px": size.width_px, "height_px": size.height_px}
