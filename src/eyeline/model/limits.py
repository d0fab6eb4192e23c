"""Limits as data: what is taken in, decoded, served and answered. Every number is a setting."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import LimitExceeded
from eyeline.model.media_type import MediaType

MIB = 1 << 20
PNG, JPEG, WEBP = MediaType("image/png"), MediaType("image/jpeg"), MediaType("image/webp")
MARKDOWN, PLAIN = MediaType("text/markdown"), MediaType("text/plain")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is taken in and decoded.

    Bytes of an original, pixels of one picture or frame, counts of frames and pages, and per bounded job: wall and CPU
    time in milliseconds, memory and output in bytes.
    """

    max_bytes: int = 8 << 30
    max_pixels: int = 120_000_000
    max_frames: int = 2_000
    max_pages: int = 20_000
    max_text_bytes: int = 64 * MIB
    job_wall_ms: int = 60_000
    job_cpu_ms: int = 60_000
    job_memory_bytes: int = 1536 * MIB
    job_output_bytes: int = 128 * MIB


@dataclass(frozen=True, slots=True)
class ServedSet:
    """What `source_open` may deliver: media types per family in order of how widely they are taken, and their bounds.

    Edges and pixels bound delivered pictures; an overview beside a detail has the smaller edge; `max_page_dpi` and
    `max_region_dpi` cap how far a page is drawn up; `min_side_px` is what a thin picture is padded to; `max_parts`
    counts the parts of one answer.
    """

    pictures: tuple[MediaType, ...] = (PNG, JPEG, WEBP)
    texts: tuple[MediaType, ...] = (MARKDOWN, PLAIN)
    target_edge_px: int = 1568
    overview_edge_px: int = 784
    max_edge_px: int = 2000
    max_pixels: int = 4_000_000
    max_page_dpi: int = 300
    max_region_dpi: int = 600
    min_side_px: int = 28
    max_parts: int = 8

    def all_types(self) -> tuple[MediaType, ...]:
        """Every served media type, in order."""
        return self.pictures + self.texts


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """What one answer of a surface may hold: serialised bytes, raw media bytes, characters of text."""

    max_bytes: int = 20 * MIB
    max_media_bytes: int = 14 * MIB
    max_text_chars: int = 200_000


MCP_ANSWER = AnswerLimit(max_bytes=1_000_000, max_media_bytes=600_000, max_text_chars=24_000)


@dataclass(slots=True)
class Budget:
    """A counter that one call shares between its parts: what is allowed, and what has been taken of it."""

    allowed: int
    taken: int = field(default=0)

    @property
    def left(self) -> int:
        """What may still be taken."""
        return self.allowed - self.taken

    def fits(self, amount: int) -> bool:
        """Whether this much may still be taken."""
        return amount <= self.left

    def take(self, amount: int) -> None:
        """Take an amount, or raise `LimitExceeded` and take nothing."""
        if not self.fits(amount):
            raise LimitExceeded("the budget is spent", allowed=self.allowed, asked=amount, left=self.left)
        self.taken += amount
