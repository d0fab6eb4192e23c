"""What the sections of a check share: the parts they look at, what was asked, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from eyeline.catalog.audit import AuditLog
from eyeline.errors import BlobNotFound, IntegrityError
from eyeline.model.digest import Digest
from eyeline.operations.advancing import Advancing
from eyeline.operations.forgetting import ForgetParts
from eyeline.request.attachments import AttachmentStore
from eyeline.request.variants import VariantCache
from eyeline.toolkit.cancel import CancelToken

GRACE_MS = 60 * 60_000
"""How long something that nothing names yet may belong to a call that is still running."""


@dataclass(frozen=True, slots=True)
class CheckParts:
    """Everything a home consists of."""

    advancing: Advancing
    forgetting: ForgetParts
    audit: AuditLog
    attachments: AttachmentStore
    variants: VariantCache


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Whether to repair, how young is too young to be a leftover, and whom to tell how far it is."""

    repair: bool = False
    grace_ms: int = GRACE_MS
    progress: Callable[[int, int, str], None] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


@dataclass(slots=True)
class Checking:
    """One check while it runs.

    `broken`: digests of files of representations that are missing or damaged. `old_ms`: what is older may be a
    leftover.
    """

    parts: CheckParts
    options: CheckOptions
    old_ms: int
    total: int
    done: int = 0
    broken: set[Digest] = field(default_factory=set[Digest])

    def has(self, digest: Digest) -> bool:
        """Whether the store has anything under a digest, whole or not."""
        try:
            self.parts.advancing.store.size(digest)
        except BlobNotFound:
            return False
        except IntegrityError:
            return True
        return True

    def step(self, what: str) -> None:
        """One more blob or document was looked at. Raises `Cancelled`."""
        self.options.cancel.raise_if_cancelled()
        self.done += 1
        if self.options.progress is not None:
            self.options.progress(self.done, max(self.done, self.total), what)
