"""Colour of decoded pictures: through the right profile to 8-bit sRGB (or plain grey), on white where transparent."""

from __future__ import annotations

from typing import Any

import pyvips

from eyeline.media.containers import icc
from eyeline.media.containers.facts import Container
from eyeline.media.picture_decode import decoding
from eyeline.model.manifest import Transform

_PROFILE = "icc-profile-data"
_CMYK_FALLBACK = "cmyk"
_HOLDS = 255
"""What libvips makes of a comparison that holds."""


def usable_profile(facts: Container) -> icc.Profile | None:
    """The profile to convert through; none, with the note `profile_ignored`, where it does not fit the pixels or fails.

    Also tries the profile on one pixel: some profiles read well and convert nothing.
    """
    if facts.profile is None:
        return None
    profile = icc.read_profile(facts.profile)
    if profile is None or profile.space != facts.colour:
        facts.note("profile_ignored")
        return None
    if profile.equals_srgb or _converts(facts):
        return profile
    facts.note("profile_ignored")
    return None


def colour_name(facts: Container) -> str:
    """Short name of the colour space as the file says it: srgb, grey, cmyk, display_p3, adobe_rgb, bt2020, rgb."""
    profile = usable_profile(facts)
    if facts.colour != "rgb" or profile is None:
        return "srgb" if facts.colour == "rgb" else facts.colour
    return profile.name


def is_srgb(facts: Container) -> bool:
    """Whether the samples already are sRGB, or grey with its curve."""
    profile = usable_profile(facts)
    return facts.colour in ("rgb", "grey") and (profile is None or profile.equals_srgb)


def on_white(image: pyvips.Image, done: list[Transform], *, by: str) -> pyvips.Image:
    """Composite on white; done before scaling, which comes to the same and leaves no fringe."""
    if not image.hasalpha():
        return image
    done.append(Transform("flatten", by, {"background": "white"}))
    white = 65535 if image.format == "ushort" else 255
    return image.flatten(background=[white], max_alpha=white)


def without_idle_alpha(image: pyvips.Image) -> pyvips.Image:
    """The picture without its transparency, where none of it is transparent."""
    if not image.hasalpha():
        return image
    image = image.copy_memory()
    full = 65535 if image.format == "ushort" else 255
    alpha = image[image.bands - 1]
    return image[: image.bands - 1] if alpha.relational_const("equal", [full]).avg() == _HOLDS else image


def to_srgb(image: pyvips.Image, facts: Container, *, done: list[Transform], by: str) -> pyvips.Image:
    """8 bits in sRGB, or one band of grey; the transform is left out where the profile is sRGB in all but name."""
    profile = usable_profile(facts)
    if image.format == "ushort":
        done.append(Transform("depth", by, {"from_bits": "16", "to_bits": "8", "method": "scaled"}))
    if facts.colour == "cmyk" or (profile is not None and not profile.equals_srgb):
        origin = profile.name if profile is not None else "cmyk (libvips default profile)"
        done.append(Transform("colour", by, {"from": origin, "to": "srgb", "intent": "relative colorimetric"}))
        with decoding():
            return _convert(image, None if profile is None else facts.profile)
    if image.format == "ushort":
        image = image.cast("uchar", shift=True)
    plain = "b-w" if image.bands < 3 else "srgb"
    return image if image.interpretation == plain else image.copy(interpretation=plain)


def _convert(image: pyvips.Image, profile: bytes | None) -> pyvips.Image:
    image = image.copy()
    if profile is None:
        image.remove(_PROFILE)
    else:
        blob: Any = profile
        image.set_type(pyvips.GValue.blob_type, _PROFILE, blob)
    if profile is None:
        return image.icc_transform(
            "srgb", input_profile=_CMYK_FALLBACK, intent="relative", black_point_compensation=True, depth=8
        )
    return image.icc_transform("srgb", embedded=True, intent="relative", black_point_compensation=True, depth=8)


def _converts(facts: Container) -> bool:
    bands, interpretation = {"rgb": (3, "srgb"), "grey": (1, "b-w"), "cmyk": (4, "cmyk")}[facts.colour]
    pixel = pyvips.Image.new_from_memory(bytes(bands), 1, 1, bands, "uchar").copy(interpretation=interpretation)
    try:
        _convert(pixel, facts.profile).avg()
    except pyvips.Error:
        return False
    return True
