"""Encodes a finished picture within its bytes: which type, how good, and in what order it gives way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyvips

from eyeline.errors import MediaTooLarge, UnsupportedMedia
from eyeline.media.picture_decode import decoding
from eyeline.model.limits import JPEG, PNG, WEBP
from eyeline.model.manifest import Transform
from eyeline.model.media_type import MediaType

_PHOTO_QUALITIES = (85, 78, 70, 60, 50)
_FLAT_QUALITIES = (90, 82, 74, 64, 54)
_SIZE_STEP = 0.8
# how far over the limit no lower quality at the same size brings the bytes below it
_HOPELESS = 2.5
_SMALLEST_EDGE = 48
_NOTHING = 0
_NO_FILTER, _SUB_FILTER = 0x08, 0x10

_FINE_QUALITIES = (92,)
"""Where a picture begins from which others are made."""

At = Callable[[float], pyvips.Image]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded bytes, the share of the planned size they have per axis, and how they were encoded."""

    media_type: MediaType
    data: bytes
    scale: float
    transform: Transform


@dataclass(frozen=True, slots=True)
class Wish:
    """What decides how to encode: flat content, a picture from which others are made, transparency to be kept."""

    flat: bool
    lasting: bool = False
    alpha: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to encode: quality none is lossless; photographs store colour at half size."""

    media_type: MediaType
    scale: float
    quality: int | None = None
    flat: bool = False


def encode(at: At, media_types: tuple[MediaType, ...], *, wish: Wish, max_bytes: int, by: str) -> Encoded:
    """The first attempt whose bytes fit, in a fixed order: type and quality first, then smaller sizes.

    `at(scale)` gives the finished picture at a share of the planned size. Raises `UnsupportedMedia` where no offered
    type can be written and `MediaTooLarge` where nothing fits.
    """
    smallest, hopeless = 0, 0.0
    for attempt in attempts(media_types, wish=wish):
        if attempt.scale == hopeless:
            continue
        picture = at(attempt.scale)
        if attempt.scale < 1 and max(picture.width, picture.height) < _SMALLEST_EDGE:
            break
        data = _write(picture, attempt)
        smallest = min(smallest or len(data), len(data))
        if len(data) <= max_bytes:
            return Encoded(attempt.media_type, data, attempt.scale, _transform(attempt, by=by))
        if attempt.quality is not None and len(data) > _HOPELESS * max_bytes:
            hopeless = attempt.scale
    raise MediaTooLarge(
        f"no rendition fits into {max_bytes} bytes",
        hint="allow more bytes, or JPEG beside PNG",
        limit="max_bytes",
        allowed=max_bytes,
        asked=smallest,
    )


def attempts(media_types: tuple[MediaType, ...], *, wish: Wish) -> Iterator[Attempt]:
    """Every attempt in order; the list ends only because sizes shrink below any use."""
    flat, written = wish.flat, (PNG, WEBP) if wish.alpha else (PNG, JPEG, WEBP)
    offered = [each for each in media_types if each in written]
    if not offered:
        raise UnsupportedMedia(
            f"no picture can be written as {', '.join(map(str, media_types)) or 'nothing'}",
            hint=f"written are {', '.join(map(str, written))}",
            family="image",
        )
    lossless = _lossless(offered, flat=flat)
    lossy = next((each for each in offered if each != PNG), None)
    if lossless is not None:
        yield Attempt(lossless, 1.0, flat=flat)
    scale = 1.0
    for step in range(24):
        if lossy is None:
            if step:
                yield Attempt(PNG, scale, flat=flat)
        else:
            usual = _FLAT_QUALITIES if flat else _PHOTO_QUALITIES
            qualities = (*_FINE_QUALITIES, *usual) if wish.lasting else usual
            for quality in qualities if step == 0 else qualities[2::2]:
                yield Attempt(lossy, scale, quality, flat=flat)
        scale *= _SIZE_STEP


def _lossless(offered: list[MediaType], *, flat: bool) -> MediaType | None:
    """What to try without loss at full size: WebP where preferred, PNG for flat content or without JPEG on offer."""
    if offered[0] == WEBP:
        return WEBP if flat else None
    if PNG in offered and (flat or JPEG not in offered):
        return PNG
    return None


def _write(image: pyvips.Image, attempt: Attempt) -> bytes:
    quality = attempt.quality
    with decoding():
        if attempt.media_type == PNG:
            return _png(image, flat=attempt.flat)
        if attempt.media_type == JPEG and quality is not None:
            return image.jpegsave_buffer(
                Q=quality,
                subsample_mode="off" if attempt.flat else "on",
                keep=_NOTHING,
            )
        if quality is None:
            return image.webpsave_buffer(lossless=True, effort=0, keep=_NOTHING)
        return image.webpsave_buffer(Q=quality, effort=3, smart_subsample=attempt.flat, keep=_NOTHING)


def _png(image: pyvips.Image, *, flat: bool) -> bytes:
    """Flat content packs best unfiltered; for the rest one cheap filter wins most of what trying all would."""
    if flat:
        return image.pngsave_buffer(compression=6, filter=_NO_FILTER, keep=_NOTHING)
    return image.pngsave_buffer(compression=3, filter=_SUB_FILTER, keep=_NOTHING)


def _transform(attempt: Attempt, *, by: str) -> Transform:
    facts = {"type": str(attempt.media_type)}
    if attempt.quality is None:
        facts["lossless"] = "true"
    else:
        facts["quality"] = str(attempt.quality)
        facts["subsampling"] = "4:4:4" if attempt.flat and attempt.media_type == JPEG else "4:2:0"
    return Transform("encode", by, facts)
