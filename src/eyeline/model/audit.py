"""`AuditRecord`: what left, to whom and over which surface, or why nothing did, and what was forgotten.

Records say *delivered*.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.locator import Locator
from eyeline.model.manifest import ContentKind, Origin


class AuditAction(StrEnum):
    """What was asked for."""

    OPEN = "open"
    FETCH = "fetch"
    DOWNLOAD = "download"
    FORGET = "forget"


class AuditOutcome(StrEnum):
    """What it came to. `released`: about to be delivered; `failed` alone or as completion: it did not arrive whole.

    `forgotten`: about to be removed for good; with a completion that says `failed`, it was not.
    """

    RELEASED = "released"
    FORGOTTEN = "forgotten"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DeliveredPart:
    """One part that was delivered: kind, bytes, digest, and the rendition plan's key unless it is the original."""

    kind: ContentKind
    origin: Origin
    byte_count: int
    digest: Digest
    rendition: Digest | None = None


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One line of the audit log. `code` is the error, boundary or negative code of what was not delivered.

    A completion names with `completion_of` the record whose transfer it ends.
    """

    at_ms: int
    principal: str
    surface: str
    action: AuditAction
    outcome: AuditOutcome
    version_id: str | None = None
    representation_id: str | None = None
    locator: Locator | None = None
    parts: tuple[DeliveredPart, ...] = ()
    code: str | None = None
    completion_of: int | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A record in its place in the chain: its hash covers the record, its number and the hash before it."""

    seq: int
    record: AuditRecord
    previous: Digest
    digest: Digest


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some audit entries, newest first, and the cursor for older ones."""

    entries: tuple[AuditEntry, ...]
    cursor: str | None = None
