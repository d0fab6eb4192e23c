"""Samples that are neither 8 nor 16 bits, and channels that mean nothing: brought into a form that can be shown."""

from __future__ import annotations

import pyvips

from eyeline.media.containers.facts import Container

_KNOWN = ("uchar", "ushort")
_PLAIN = ("b-w", "grey16", "srgb", "rgb", "rgb16", "cmyk", "multiband")
_INTERPRETATIONS = {"grey": "b-w", "rgb": "srgb", "cmyk": "cmyk"}


def showable(image: pyvips.Image, facts: Container) -> pyvips.Image:
    """8 or 16 bits, in the channels that the container speaks of; Lab becomes sRGB.

    Floating point from 0 to 1 is taken as dark to light. Any other range is stretched from its least to its greatest
    value, which the note `range_stretched` tells.
    """
    if image.interpretation not in _PLAIN:
        image = image.colourspace("srgb")
    if 0 < facts.channels < image.bands:
        image = image.extract_band(0, n=facts.channels)
    if image.format in _KNOWN:
        return image
    image = image.copy_memory()
    measured = image.stats()
    least, most = measured.getpoint(0, 0)[0], measured.getpoint(1, 0)[0]
    if image.format in ("float", "double") and least >= 0 and most <= 1:
        least, most = 0.0, 1.0
    factor = 255 / (most - least) if most > least else 0.0
    shown = image.linear([factor], [-least * factor]).cast("uchar")
    return shown.copy(interpretation=_INTERPRETATIONS.get(facts.colour, "srgb"))
