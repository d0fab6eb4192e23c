"""What a converter is given and what it gives back. Converters assemble; every parser runs in the bounded child."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from eyeline.convert.document import DocumentBuilder
from eyeline.convert.lanes import Describer, OcrEngine, Transcriber, Typesetter
from eyeline.convert.scratch import Scratch
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.document import BlobRef
from eyeline.model.limits import Limits, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import Component, Coverage, Gap
from eyeline.render.renditions import Renditions
from eyeline.source.base import Source
from eyeline.toolkit.cancel import CancelToken

Progress = Callable[[int, int, str], None]


def no_progress(done: int, total: int, what: str) -> None:
    """Report to nobody."""


@dataclass(frozen=True, slots=True)
class Original:
    """Admitted bytes as a converter takes them."""

    content: BlobRef
    source: Source
    probe: Probe


@dataclass(frozen=True, slots=True)
class Bench:
    """The tools of a conversion: bounded pool, renditions, lanes, limits; scratch to go on with after a kill."""

    pool: BoundedPool
    renditions: Renditions
    limits: Limits
    served: ServedSet
    ocr: OcrEngine | None
    describer: Describer | None
    max_ocr_pages: int
    max_thumbnails: int
    transcriber: Transcriber | None = None
    max_transcript_ms: int = 12 * 3_600_000
    max_keyframes: int = 24
    cancel: CancelToken = field(default_factory=CancelToken)
    progress: Progress = no_progress
    scratch: Scratch | None = None
    typesetter: Typesetter | None = None


@dataclass(frozen=True, slots=True)
class AssetDraft:
    """A derived file: its path inside the representation, bytes, type, and which part of the version it shows."""

    path: str
    bytes: bytes
    media_type: MediaType
    locator: Locator


@dataclass(slots=True)
class Reading:
    """What a converter made: the document under construction and its account."""

    builder: DocumentBuilder = field(default_factory=DocumentBuilder)
    facts: dict[str, str | int] = field(default_factory=dict[str, str | int])
    assets: list[AssetDraft] = field(default_factory=list[AssetDraft])
    coverage: list[Coverage] = field(default_factory=list[Coverage])
    gaps: list[Gap] = field(default_factory=list[Gap])
    warnings: list[str] = field(default_factory=list[str])
    emphasis: dict[str, float] | None = None


class Converter(Protocol):
    """Reads one family of originals. `route` names it and its version; `components` enter the conversion key."""

    @property
    def route(self) -> str:
        """Name and version, for example `image/1`."""
        ...

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """Everything that decides the output, with versions."""
        ...

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read the original. A part that cannot be read is a gap; only our own faults and `Cancelled` raise."""
        ...
