"""What the catalogue takes and answers beside the values of `eyeline.model`. Loads no database library."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.attachment import AttachmentRef
from eyeline.model.audit import AuditAction, AuditOutcome
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, BlobRef, Document, Enclosed, Representation, SourceKind, Version
from eyeline.model.locator import Locator
from eyeline.model.media_type import Family, MediaType


class BlobState(StrEnum):
    """How far a blob is: announced before its bytes are looked for, kept, or on its way out."""

    PINNED = "pinned"
    STORED = "stored"
    DELETING = "deleting"


PIN_LOST = "pin_lost"
"""The `reason` of a `StoreError` that says: these bytes went away meanwhile, look for them again."""

CLAIM_LOST = "claim_lost"
"""The `reason` of a `StoreError` that says: this conversion is not yours any more."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A blob that was announced, and the incarnation of its record; good until that incarnation is let go."""

    ref: BlobRef
    incarnation: str


@dataclass(frozen=True, slots=True)
class KeptBlob:
    """The record of a blob. Named by nothing, it is somebody's pin or a leftover; `pinned_ms` says since when."""

    digest: Digest
    byte_count: int
    state: BlobState
    pinned_ms: int
    is_original: bool
    is_derived: bool
    is_named: bool


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A version that was forgotten while traces of it are left. `token` tells two forgettings of one version apart.

    Collection and reference are there as long as tree, cache or store may hold something of it; without them, only
    the database file itself is still to be cleaned.
    """

    token: str
    version_id: str
    doc_id: str
    content: Digest
    collection: str | None
    reference: str | None
    forgotten_ms: int

    @property
    def is_open(self) -> bool:
        """Whether tree, cache or store may still hold something."""
        return self.reference is not None


class ConversionState(StrEnum):
    """How far a conversion is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CameIn:
    """What a document came in: a version of a mail, and its number among what that encloses, from 1."""

    mail_version_id: str
    number: int


@dataclass(frozen=True, slots=True)
class NewVersion:
    """What is recorded when a document is taken in. `place` is where on the host it came from; it is never shown."""

    collection: str
    source_kind: SourceKind
    reference: str
    title: str
    pin: Pin
    route: str | None
    place: str | None
    now_ms: int
    came_in: CameIn | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """A version as it stands at one moment: with its document, its admission, and its current representation.

    `stored`: its bytes are kept, and not on their way out. `came_in` is the mail it came in, `enclosures` what came in
    it.
    """

    document: Document
    version: Version
    admission: Admission | None
    representation: Representation | None
    stored: bool
    came_in: Enclosed | None = None
    enclosures: tuple[Enclosed, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedVersion:
    """What recording a version came to.

    `was_current`: it already was the current one before. `moved`: the document came from another place before.
    """

    document: Document
    version: Version
    created_document: bool
    created_version: bool
    was_current: bool
    moved: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """The right of this process to run one conversion until `expires_ms`; `attempt` counts from 1."""

    conversion_key: Digest
    content: Digest
    route: str
    attempt: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """How far a conversion is; `code` says why it failed, `retryable` whether trying again may help."""

    conversion_key: Digest
    content: Digest
    route: str
    state: ConversionState
    attempts: int
    retryable: bool
    code: str | None
    representation_id: str | None


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A stretch of `document.md` that is searched as one: code points `start` to `end`, and what it reads."""

    ordinal: int
    start: int
    end: int
    locator: Locator
    text: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What is listed or searched. `collections` are those the caller may see; none stands for all of them.

    `name` is any part of the title or the reference, whatever its case and diacritics.
    """

    collections: frozenset[str] | None = None
    family: Family | None = None
    media_type: MediaType | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A document at its current version, with the representation that is current for it."""

    document: Document
    version: Version
    representation_id: str | None


@dataclass(frozen=True, slots=True)
class Listing:
    """Some documents, ordered by collection and reference, and the cursor for more."""

    entries: tuple[Entry, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Match:
    """Where a search matched: a passage, or the title and reference alone.

    `at` is the index into the passage's text where the first term stands. A higher score is a better match; scores of
    different searches do not compare.
    """

    entry: Entry
    passage: IndexedPassage | None
    at: int
    score: float


@dataclass(frozen=True, slots=True)
class Matches:
    """Some matches, best first, and the cursor for more."""

    matches: tuple[Match, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """Which audit entries are listed: fields that must be equal, and a half-open stretch of time."""

    principal: str | None = None
    surface: str | None = None
    action: AuditAction | None = None
    outcome: AuditOutcome | None = None
    version_id: str | None = None
    completion_of: int | None = None
    since_ms: int | None = None
    before_ms: int | None = None


@dataclass(frozen=True, slots=True)
class AuditChain:
    """A chain that holds: how many entries, and the digest of the last one."""

    entries: int
    head: Digest | None


@dataclass(frozen=True, slots=True)
class KeptObject:
    """One object that attachments need: its place below their folder, its digest and size."""

    place: str
    digest: Digest
    byte_count: int


@dataclass(frozen=True, slots=True)
class SavedAttachment:
    """An attachment with the places of its objects; where both are the same, the upload is the object itself."""

    ref: AttachmentRef
    object: KeptObject
    upload: KeptObject
