"""`Probe`: what a full decode in the bounded child found out about some bytes."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.geometry import Size
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class PageSize:
    """A run of equal pages: how many, and their upright crop box in points (1/72 inch)."""

    count: int
    width_pt: float
    height_pt: float


@dataclass(frozen=True, slots=True)
class Probe:
    """Facts about media, in the upright frame. Fields that a family does not have stay at their defaults.

    `plain_pixels`: sRGB or grey, 8 bits, one frame, upright, and nothing in the container but pixel and colour data, so
    that the bytes may go out untouched. `flat`: few colours or hard edges (text, screenshots, diagrams), so lossless
    encoding pays. `chars` and `lines` count the decoded text. `notes` are short codes for what was odd but harmless.
    """

    media_type: MediaType
    size: Size | None = None
    orientation: int = 1
    bits: int = 8
    has_alpha: bool = False
    colour: str = "srgb"
    frames: int = 1
    pages: tuple[PageSize, ...] = ()
    duration_ms: int | None = None
    tracks: tuple[str, ...] = ()
    chars: int | None = None
    lines: int | None = None
    encoding: str | None = None
    plain_pixels: bool = False
    flat: bool = False
    notes: tuple[str, ...] = ()

    @property
    def page_count(self) -> int:
        """Number of pages; 0 for media without pages."""
        return sum(run.count for run in self.pages)

    def page_size(self, page: int) -> PageSize:
        """The size of one page (1-based); `IndexError` outside the document."""
        first = 1
        for run in self.pages:
            if first <= page < first + run.count:
                return run
            first += run.count
        raise IndexError(page)
