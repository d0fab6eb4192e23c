"""Sentences about an answer, for standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.cli.failing import note

if TYPE_CHECKING:
    from eyeline.model.envelope import Envelope, Truncation


def left_out(truncation: Truncation, way: str | None) -> str:
    """What an answer left out, and the option that gets the rest."""
    said = f"left out ({truncation.reason}): {truncation.left_out}"
    return said if way is None else f"{said}; go on with {way}"


def print_what_it_says_of_itself(envelope: Envelope) -> None:
    """The notes of an answer, and whether it is of an older version."""
    for text in envelope.notes:
        note(text)
    freshness = envelope.freshness
    if freshness is not None and not freshness.is_current:
        note(f"this is an older version; the current one is {freshness.current_version_id}")
