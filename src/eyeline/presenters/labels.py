"""The one-line label that stands before a part on every channel."""

from __future__ import annotations

from eyeline.model.envelope import Opened


def label(opened: Opened, place: int) -> str:
    """`part 2 of 3: detail, page=3&xywh=…, sha256:…` for the part at a place counted from 0."""
    entry = opened.parts[place].entry
    where = f", {entry.locator}" if entry.locator else ""
    return f"part {place + 1} of {len(opened.parts)}: {entry.role.value}{where}, {entry.media_type}, {entry.digest}"
