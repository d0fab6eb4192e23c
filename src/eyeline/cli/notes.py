"""Sentences about an answer, for standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyeline.model.envelope import Truncation


def left_out(truncation: Truncation, way: str | None) -> str:
    """What an answer left out, and the option that gets the rest."""
    said = f"left out ({truncation.reason}): {truncation.left_out}"
    return said if way is None else f"{said}; go on with {way}"
