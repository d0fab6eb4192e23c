"""Files at a provider: pictures that were uploaded to its Files API, so that requests name them by an id."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One upload. `scope` names provider, address and account without holding a key; an id means something only there.

    `digest` is that of the uploaded bytes. `expires_ms` is in milliseconds since 1970 by our own clock; None: it stays.
    """

    scope: str
    variant_id: Digest
    digest: Digest
    remote_id: str
    byte_count: int
    expires_ms: int | None = None

    def is_usable(self, now_ms: int, *, margin_ms: int) -> bool:
        """Whether the provider still has it for longer than the margin, as far as is known here."""
        return self.expires_ms is None or self.expires_ms - now_ms > margin_ms


class WhyInline(StrEnum):
    """Why all pictures of a request go with their bytes, though there is a Files API."""

    NO_FILES_API = "no_files_api"
    """The route has none, or another one."""

    UNREACHABLE = "unreachable"
    """It did not answer, or not in time."""

    BUSY = "busy"
    """It asked to come back later, or failed."""

    DENIED = "denied"
    """It does not take the key."""

    REFUSED = "refused"
    """It does not take one of the pictures."""

    FULL = "full"
    """There was no room, also after clearing out."""

    STALE = "stale"
    """Ids were unknown to the provider again after their pictures had been uploaded anew."""


@dataclass(frozen=True, slots=True)
class RemotePolicy:
    """How uploads are kept and used."""

    lifetime_s: int = 7 * 24 * 3600
    """How long an upload is asked to live, where the provider lets us choose."""

    margin_s: int = 3600
    """An upload with less than this left is not used any more, so that a conversation can go on for a while."""

    max_parallel: int = 4
    """Uploads at the same time."""

    timeout_ms: int = 60_000
    """How long one exchange with a Files API may take."""

    clear_share_percent: int = 25
    """Share of our uploads, by bytes, that is deleted at least when there is no room."""
