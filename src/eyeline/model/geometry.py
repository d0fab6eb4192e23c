"""Rectangles and sizes in the upright frame: orientation applied, origin top left, x right, y down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.errors import InvalidLocator


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in whole pixels."""

    width_px: int
    height_px: int

    @property
    def long_edge(self) -> int:
        """The longer side, in pixels."""
        return max(self.width_px, self.height_px)

    @property
    def pixels(self) -> int:
        """Area in pixels."""
        return self.width_px * self.height_px

    def __str__(self) -> str:
        return f"{self.width_px}x{self.height_px}"


class RegionUnit(StrEnum):
    """What the numbers of a region count."""

    PIXEL = "pixel"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of one page, picture or frame.

    Numbers are thousandths of the unit, so that equality is exact: `percent` of the upright width and height, or
    `pixel` — a pixel of the upright picture, 1/72 inch of a page's upright crop box.
    """

    unit: RegionUnit
    x: int
    y: int
    w: int
    h: int

    def __post_init__(self) -> None:
        if min(self.x, self.y) < 0 or min(self.w, self.h) <= 0:
            raise InvalidLocator("a region needs x and y of at least 0 and a width and height above 0")
        if self.unit is RegionUnit.PERCENT and (self.x + self.w > 100_000 or self.y + self.h > 100_000):
            raise InvalidLocator("a percent region ends past 100", hint="x+w and y+h are at most 100")

    @classmethod
    def percent(cls, x: float, y: float, w: float, h: float) -> Region:
        """A region in percent of the upright frame, rounded to three decimals."""
        return cls(RegionUnit.PERCENT, *(round(value * 1000) for value in (x, y, w, h)))

    @classmethod
    def pixel(cls, x: float, y: float, w: float, h: float) -> Region:
        """A region in pixels (pictures) or 1/72 inch (pages)."""
        return cls(RegionUnit.PIXEL, *(round(value * 1000) for value in (x, y, w, h)))

    def with_margin(self, *, across: int, down: int) -> Region:
        """The region with room around it, in thousandths of its unit; a percent region stays inside its frame."""
        x, y = max(0, self.x - across), max(0, self.y - down)
        right, bottom = self.x + self.w + across, self.y + self.h + down
        if self.unit is RegionUnit.PERCENT:
            right, bottom = min(right, 100_000), min(bottom, 100_000)
        return Region(self.unit, x, y, right - x, bottom - y)

    def within(self, width: float, height: float) -> tuple[float, float, float, float]:
        """The rectangle (x, y, w, h) in the units of a frame of this width and height; may end outside it."""
        if self.unit is RegionUnit.PIXEL:
            return self.x / 1000, self.y / 1000, self.w / 1000, self.h / 1000
        return (
            self.x * width / 100_000,
            self.y * height / 100_000,
            self.w * width / 100_000,
            self.h * height / 100_000,
        )

    def __str__(self) -> str:
        return f"{self.unit.value}:" + ",".join(thousandths(value) for value in (self.x, self.y, self.w, self.h))


def thousandths(value: int) -> str:
    """Print thousandths as the shortest decimal: 40500 → `40.5`, 20000 → `20`."""
    whole, rest = divmod(value, 1000)
    return str(whole) if rest == 0 else f"{whole}.{rest:03d}".rstrip("0")
