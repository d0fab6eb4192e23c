"""`Rendition`: one encoded picture made from a plan, and what was done to make it."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.manifest import Scale, Transform
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class RenditionFacts:
    """Everything about a rendition but its bytes; `size` is in delivered pixels, padding included.

    A contact sheet has no `scale`: its pixels come from several frames. `at_ms` is when the frame of a video
    that it shows begins.
    """

    digest: Digest
    media_type: MediaType
    size: Size
    transforms: tuple[Transform, ...]
    scale: Scale | None = None
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Rendition:
    """Encoded bytes with their facts."""

    bytes: bytes
    facts: RenditionFacts
