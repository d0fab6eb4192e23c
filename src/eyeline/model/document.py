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
    ATTACHED = "attached"


class GateRefusal(StrEnum):
    """Why a file was not taken in; a closed list."""

    NO_ROUTE = "no_route"
    TOO_LARGE = "too_large"
    EMPTY = "empty"
    NOT_REGULAR = "not_regular"
    OUTSIDE_ROOT = "outside_root"
    UNREADABLE = "unreadable"


class AdmissionOutcome(StrEnum):
    """What a full decode in the bounded child came to; a closed list. The original is kept in every case."""

    ADMITTED = "admitted"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    ENCRYPTED = "encrypted"
    OVER_PIXELS = "over_pixels"
    OVER_FRAMES = "over_frames"
    OVER_PAGES = "over_pages"
    OVER_DURATION = "over_duration"
    OVER_MEMORY = "over_memory"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"


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
    current_version_id: str | None
    created_ms: int


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a document: the bytes of one original."""

    version_id: str
    doc_id: str
    content: BlobRef
    route: str | None
    created_ms: int


@dataclass(frozen=True, slots=True)
class Admission:
    """Outcome of decoding bytes under one policy version: reason and probe, by which decoder."""

    content: Digest
    policy: str
    outcome: AdmissionOutcome
    reason: str | None
    decoder: str
    probe: Probe | None
    decided_ms: int


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
