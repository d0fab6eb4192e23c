"""Holds the pictures of one request against the rules of its provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyeline.testing.provider_double.refusing import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyeline.testing.provider_double.looking import Looking
    from eyeline.testing.provider_double.refusing import Place
    from eyeline.testing.provider_double.rules import Rules


@dataclass(frozen=True, slots=True)
class SentPicture:
    """One picture of a request as it arrived: inline, or by the id of an uploaded file.

    `encoded_bytes` is the length of its base64 text, 0 for a file. `in_result`: it stands inside a tool result.
    """

    place: Place
    bytes: bytes
    declared: str
    encoded_bytes: int = 0
    file_id: str | None = None
    in_result: bool = False
    fits_model: bool = False
    """Whether the request asks for a refusal where the model's own size is exceeded."""


def judge(pictures: Sequence[SentPicture], rules: Rules, *, looking: Looking) -> None:
    """Raise `Refusal` for the first rule that a request breaks."""
    if rules.max_images is not None and len(pictures) > rules.max_images:
        raise Refusal("too_many_images", f"{len(pictures)} pictures, at most {rules.max_images}")
    for picture in pictures:
        _check_bytes(picture, rules)
        _check_kind(picture, rules, looking)
        _check_sides(picture, rules, looking)
    total = sum(len(picture.bytes) for picture in pictures if picture.file_id is None)
    if rules.max_total_raw_bytes is not None and total > rules.max_total_raw_bytes:
        raise Refusal("images_too_large", f"{total} bytes of pictures, at most {rules.max_total_raw_bytes}")
    _check_many(pictures, rules, looking)


def _check_bytes(picture: SentPicture, rules: Rules) -> None:
    if rules.max_base64_bytes is not None and picture.encoded_bytes > rules.max_base64_bytes:
        message = f"{picture.encoded_bytes} characters of base64, at most {rules.max_base64_bytes}"
        raise Refusal("image_too_large", message, picture.place)
    is_inline = picture.file_id is None
    if is_inline and rules.max_raw_bytes is not None and len(picture.bytes) > rules.max_raw_bytes:
        message = f"{len(picture.bytes)} bytes, at most {rules.max_raw_bytes}"
        raise Refusal("image_too_large", message, picture.place)


def _check_kind(picture: SentPicture, rules: Rules, looking: Looking) -> None:
    look = looking.at(picture.bytes)
    if picture.declared not in rules.media_types:
        raise Refusal("media_type_refused", f"{picture.declared!r} is not taken", picture.place)
    if look.media_type != picture.declared:
        message = f"declared as {picture.declared}, but the bytes are {look.media_type}"
        raise Refusal("media_type_mismatch", message, picture.place)
    if not look.whole:
        raise Refusal("undecodable", "the picture cannot be decoded", picture.place)
    if look.frames > 1 and not rules.animated:
        raise Refusal("animated", f"{look.frames} frames; only still pictures are taken", picture.place)


def _check_sides(picture: SentPicture, rules: Rules, looking: Looking) -> None:
    look = looking.at(picture.bytes)
    size = f"{look.width_px}x{look.height_px}"
    if rules.max_side_px is not None and look.long_edge > rules.max_side_px:
        raise _too_wide([picture.place], f"{size}, at most {rules.max_side_px} px a side", rules.max_side_px)
    if look.short_edge < rules.min_side_px:
        message = f"{size}, at least {rules.min_side_px} px a side"
        raise Refusal("side_too_small", message, picture.place)


def _check_many(pictures: Sequence[SentPicture], rules: Rules, looking: Looking) -> None:
    if rules.many_above is None or rules.many_side_px is None or len(pictures) <= rules.many_above:
        return
    places = [each.place for each in pictures if looking.at(each.bytes).long_edge > rules.many_side_px]
    if places:
        message = f"at most {rules.many_side_px} px a side in a request of more than {rules.many_above} pictures"
        raise _too_wide(places, message, rules.many_side_px)


def _too_wide(places: list[Place], message: str, allowed: int) -> Refusal:
    return Refusal("side_too_large", message, places[0], facts={"allowed": allowed, "places": places})
