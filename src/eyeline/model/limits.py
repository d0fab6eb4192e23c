"""Limits as data: what is taken in, decoded, served and answered. Every number is a setting."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import LimitExceeded
from eyeline.model.media_type import MediaType

MIB = 1 << 20
PNG, JPEG, WEBP = MediaType("image/png"), MediaType("image/jpeg"), MediaType("image/webp")
MP3, WAV, MP4 = MediaType("audio/mpeg"), MediaType("audio/wav"), MediaType("video/mp4")
MARKDOWN, PLAIN = MediaType("text/markdown"), MediaType("text/plain")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is taken in and decoded. Another value is another admission policy: what is kept is due again."""

    max_bytes: int = 8 << 30
    """Size of one original."""

    max_pixels: int = 120_000_000
    """Area of one picture or frame."""

    max_frames: int = 2_000
    """Frames of one animation, or pages of one picture file."""

    max_pages: int = 20_000
    """Pages of one document."""

    max_text_bytes: int = 64 * MIB
    """Size above which the probe of a text notes `over_text_bound`."""

    max_duration_ms: int = 24 * 3_600_000
    """Duration of one recording."""

    job_wall_ms: int = 60_000
    """How long one decoding process may take."""

    recording_wall_ms: int = 1_800_000
    """How long it may take to look at the whole of a recording."""

    job_cpu_ms: int = 60_000
    """How much time of a processor it may use."""

    job_memory_bytes: int = 1536 * MIB
    """How much memory it may have."""

    job_output_bytes: int = 128 * MIB
    """How much it may hand back."""


@dataclass(frozen=True, slots=True)
class ServedSet:
    """What `source_open` may deliver: media types in order of how widely they are taken, and their bounds."""

    pictures: tuple[MediaType, ...] = (PNG, JPEG, WEBP)
    """Media types of pictures."""

    texts: tuple[MediaType, ...] = (MARKDOWN, PLAIN)
    """Media types of texts."""

    target_edge_px: int = 1568
    """Longer edge that a picture is scaled down to, and a page drawn at."""

    overview_edge_px: int = 784
    """Longer edge of an overview that stands beside a detail."""

    max_edge_px: int = 2000
    """Longer edge that no picture exceeds."""

    max_pixels: int = 4_000_000
    """Area that no picture exceeds."""

    max_page_dpi: int = 300
    """Resolution up to which a page is drawn."""

    max_region_dpi: int = 600
    """Resolution up to which a region of a page is drawn."""

    min_side_px: int = 28
    """Width and height that a thin picture is padded to."""

    max_parts: int = 8
    """Parts of one answer."""

    sounds: tuple[MediaType, ...] = (MP3, WAV)
    """Media types of sound."""

    clips: tuple[MediaType, ...] = (MP4,)
    """Media types of moving pictures with their sound; delivered where they are asked for by name."""

    max_sound_ms: int = 60_000
    """Duration that no sound exceeds."""

    max_clip_ms: int = 30_000
    """Duration that no clip exceeds."""

    clip_edge_px: int = 854
    """Longer edge of the pictures of a clip."""

    def all_types(self) -> tuple[MediaType, ...]:
        """Every served media type, in order."""
        return self.pictures + self.texts + self.sounds + self.clips


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """What one answer of a surface may hold."""

    max_bytes: int = 20 * MIB
    """The whole message, on a surface that answers with one."""

    max_media_bytes: int = 14 * MIB
    """All its pictures together, before any encoding for transport."""

    max_text_chars: int = 200_000
    """All its text together, an outline apart."""


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
