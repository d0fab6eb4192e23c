"""`ItemRecord`: what became of one item of a batch, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.media_type import MediaType


class IngestStatus(StrEnum):
    """What became of one file that was offered."""

    TAKEN = "taken"
    DEDUPLICATED = "deduplicated"
    UNCHANGED = "unchanged"
    PASSED_OVER = "passed_over"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One item: its place in the batch, its public reference, what became of it and why.

    `code` is a gate refusal, an admission outcome or an error code; `message` is safe to show. `notes` are short codes
    such as `type_mismatch`, each explained by `message` or `detail`. What a mail encloses follows its own
    record, under the same index; `came_in` is the mail's version and `depth` how many mails are around it.
    """

    index: int
    source: str
    status: IngestStatus
    code: str
    message: str
    media_type: MediaType | None = None
    byte_count: int | None = None
    digest: Digest | None = None
    doc_id: str | None = None
    version_id: str | None = None
    representation_id: str | None = None
    route: str | None = None
    tree_path: str | None = None
    retryable: bool = False
    notes: tuple[str, ...] = ()
    detail: dict[str, str] | None = None
    came_in: str | None = None
    depth: int = 0
