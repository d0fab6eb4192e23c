"""Audit records of what leaves: written before the first byte does, or nothing is delivered."""

from __future__ import annotations

from collections.abc import Iterable

from eyeline.errors import InvalidLocator
from eyeline.model.audit import AuditOutcome, DeliveredPart
from eyeline.model.ids import is_id
from eyeline.model.locator import Locator
from eyeline.model.manifest import Part

REFUSED_CODES = frozenset(
    {
        "invalid_request",
        "invalid_locator",
        "invalid_media_type",
        "locator_unsupported",
        "locator_out_of_range",
        "representation_mismatch",
        "limit_exceeded",
        "unknown_input",
        "access_denied",
    }
)


def delivered(parts: Iterable[Part]) -> tuple[DeliveredPart, ...]:
    """What the audit log keeps of each part."""
    return tuple(
        DeliveredPart(part.entry.content_kind, part.entry.origin, part.entry.byte_count, part.entry.digest)
        for part in parts
    )


def outcome_of(code: str) -> AuditOutcome:
    """Whether a code is a refusal of the call or a failure of ours."""
    return AuditOutcome.REFUSED if code in REFUSED_CODES else AuditOutcome.FAILED


def known_id(text: str | None, prefix: str) -> str | None:
    """An id that has the right form; anything else is not kept in the log."""
    return text if text is not None and is_id(text, prefix) else None


def readable(locator: str | None) -> Locator:
    """A locator as far as it can be read; an unreadable one is recorded as none, beside its code."""
    try:
        return Locator.parse(locator or "")
    except InvalidLocator:
        return Locator()
