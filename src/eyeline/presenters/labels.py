"""The one-line label that stands before a part on every channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.model.viewing import Viewed, ViewRecord

if TYPE_CHECKING:
    from eyeline.model.envelope import Opened


def label(answer: Opened | Viewed, place: int) -> str:
    """`part 2 of 3: detail, page=3&xywh=…, image/png, sha256:…` for the part at a place counted from 0.

    A part of a batch says first which item it belongs to: `part 2 of 5: item 1, page, page=2, …`.
    """
    entry = answer.parts[place].entry
    item = f"item {answer.item_of(place)}, " if isinstance(answer, Viewed) else ""
    where = f", {entry.locator}" if entry.locator else ""
    what = f"{item}{entry.role.value}{where}, {entry.media_type}, {entry.digest}"
    return f"part {place + 1} of {len(answer.parts)}: {what}"


def item_line(item: ViewRecord) -> str:
    """`2. nope.png: failed, path_refused: no file …` for one item of a batch."""
    hint = "" if item.hint is None else f" ({item.hint})"
    same = "" if item.same_as is None else f", the same as item {item.same_as}"
    return f"{item.index}. {item.source}: {item.status.value}, {item.code}: {item.message}{hint}{same}"
