"""What emphasis buys in each lane. Every budget has a floor: emphasis weighs, it never switches a lane off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from eyeline.errors import InvalidRequest

MEGAPIXEL = 1_000_000


@dataclass(frozen=True, slots=True)
class OcrBudget:
    """What reading one picture or page may cost.

    `max_pixels` bounds the grey picture that is read: a larger original is scaled down to it, small text is scaled up
    within it. `cpu_ms` is when reading stops and hands over what it has.
    """

    max_pixels: int
    cpu_ms: int

    @classmethod
    def of(cls, emphasis: float) -> Self:
        """The budget for an emphasis from 0 to 1."""
        share = clamped(emphasis)
        return cls(max_pixels=round((5 + 75 * share**2) * MEGAPIXEL), cpu_ms=round(15_000 + 75_000 * share))


@dataclass(frozen=True, slots=True)
class DescriptionBudget:
    """What describing one picture may cost: tokens of the answer, and the longer edge of the picture that is sent."""

    max_tokens: int
    edge_px: int

    @classmethod
    def of(cls, emphasis: float) -> Self:
        """The budget for an emphasis from 0 to 1."""
        share = clamped(emphasis)
        return cls(max_tokens=round(160 + 640 * share), edge_px=round(768 + 800 * share))


def clamped(emphasis: float) -> float:
    """An emphasis as it is used; `InvalidRequest` unless it is a number from 0 to 1."""
    if not 0.0 <= emphasis <= 1.0:
        raise InvalidRequest(f"emphasis {emphasis!r} is not between 0 and 1")
    return float(emphasis)
