"""What is not attached, and why, as an error of one kind."""

from __future__ import annotations

from eyeline.errors import AttachmentRefused
from eyeline.model.attachment import AttachmentRefusal


def refused(
    refusal: AttachmentRefusal, message: str, *, hint: str | None = None, **detail: str | int
) -> AttachmentRefused:
    """The error for something that is not attached."""
    made = AttachmentRefused(message, hint=hint, refusal=refusal.value)
    made.detail.update(detail)
    return made
