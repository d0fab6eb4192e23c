"""Documents, versions, representations and what became of bytes at the gate and at admission."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe

DEFAULT_COLLECTION = "default"


class SourceKind(StrEnum):
    """Where a document came from."""

    PATH = "path"
    UPLOAD = "upload"
    URL = "url"
    ENCLOSED = "enclosed"


class GateRefusal(StrEnum):
    """Why a file was not taken in; a closed list."""

    NO_ROUTE = "no_route"
    """Nothing here reads this media type; `unroutable = "keep"` stores it all the same."""

    TOO_LARGE = "too_large"
    """More bytes than `limits.max_bytes`."""

    EMPTY = "empty"
    """No bytes."""

    NOT_REGULAR = "not_regular"
    """A device, a FIFO or a socket."""

    OUTSIDE_ROOT = "outside_root"
    """A symbolic link that leads out of the folder that was named."""

    UNREADABLE = "unreadable"
    """Nothing is there, links lead in a circle, or the file system does not hand it out."""


class AdmissionOutcome(StrEnum):
    """What a full decode in the bounded child came to; a closed list. The original is kept in every case."""

    ADMITTED = "admitted"
    """It decodes in full and is viewable."""

    MALFORMED = "malformed"
    """It is not what its signature says."""

    TRUNCATED = "truncated"
    """It is cut short."""

    ENCRYPTED = "encrypted"
    """It needs a password."""

    OVER_PIXELS = "over_pixels"
    """A picture or frame is larger than `limits.max_pixels`."""

    OVER_FRAMES = "over_frames"
    """It has more frames than `limits.max_frames`."""

    OVER_PAGES = "over_pages"
    """It has more pages than `limits.max_pages`."""

    OVER_DURATION = "over_duration"
    """It is longer than what is decoded."""

    OVER_MEMORY = "over_memory"
    """Decoding needs more than `limits.job_memory_bytes`, or hands back more than `limits.job_output_bytes`."""

    TIMEOUT = "timeout"
    """Decoding takes longer than `limits.job_wall_ms` or `limits.job_cpu_ms`."""

    CRASHED = "crashed"
    """The decoder died of it."""

    UNSUPPORTED = "unsupported"
    """No decoder takes it."""


@dataclass(frozen=True, slots=True)
class BlobRef:
    """Enough to fetch a blob and check it."""

    digest: Digest
    byte_count: int
    media_type: MediaType


@dataclass(frozen=True, slots=True)
class Document:
    """A named thing over time. `reference` is public; it never is a host path."""

    doc_id: str
    collection: str
    source_kind: SourceKind
    reference: str
    title: str
    created_ms: int
    current_version_id: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a document: the bytes of one original."""

    version_id: str
    doc_id: str
    content: BlobRef
    created_ms: int
    route: str | None = None


@dataclass(frozen=True, slots=True)
class Enclosed:
    """One side of what came inside what: a version with its document, its title, and its number in the mail, from 1.

    The title came from outside.
    """

    number: int
    doc_id: str
    version_id: str
    title: str
    media_type: MediaType


@dataclass(frozen=True, slots=True)
class Admission:
    """Outcome of decoding bytes under one policy version: reason and probe, by which decoder."""

    content: Digest
    policy: str
    outcome: AdmissionOutcome
    decoder: str
    decided_ms: int
    reason: str | None = None
    probe: Probe | None = None


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of a representation: its path inside the representation's folder and its blob."""

    path: str
    content: BlobRef
    locator: str


@dataclass(frozen=True, slots=True)
class Representation:
    """One reading of the bytes, complete and immutable: `document.md`, `source_map.json`, `manifest.json`, assets."""

    representation_id: str
    content: Digest
    conversion_key: Digest
    route: str
    manifest: BlobRef
    assets: tuple[Asset, ...]
    created_ms: int

    def asset(self, path: str) -> Asset | None:
        """The asset at a path inside the representation, if it has one."""
        return next((asset for asset in self.assets if asset.path == path), None)
