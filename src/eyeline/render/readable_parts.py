"""Parts of sources that open as what they say: readable text, the pictures that stand in it, a cover and a contents."""

from __future__ import annotations

import json
from typing import Any

from eyeline.model.display import shown
from eyeline.model.limits import PLAIN
from eyeline.model.locator import Chars, Locator
from eyeline.model.manifest import ContentKind, Role
from eyeline.model.reading import HIDDEN_TEXT, DerivationKind
from eyeline.render.embedded_parts import EmbeddedPictures
from eyeline.render.subject import Answer, Room, StoredReading, Subject
from eyeline.render.text_parts import reading_parts, text_part

OUTLINE = "assets/outline.json"
MAX_CONTENTS_CHARS = 4_000


def open_readable(subject: Subject, locator: Locator, *, room: Room, pictures: EmbeddedPictures) -> Answer:
    """The readable text within the answer's bound, or a range of it, and the pictures that begin there.

    Without a locator also its contents, where it has chapters. Raises `LocatorOutOfRange` with the real extent.
    """
    answer = reading_parts(subject, locator, room=room)
    reading = subject.reading
    if reading is None:
        answer.notes.append("no_representation")
        return answer
    chars = extent_of(reading)
    asked = locator.chars or Chars(0, chars)
    if asked.end > chars:
        answer.notes.append("clipped_to_extent")
    if not locator:
        _contents(answer, reading, room=room)
    pictures.add(answer, subject, among=Chars(asked.start, max(asked.start, min(asked.end, chars))), room=room)
    if any(warning.startswith(f"{HIDDEN_TEXT}:") for warning in reading.account.warnings):
        answer.notes.append(HIDDEN_TEXT)
    return answer


def extent_of(reading: StoredReading) -> int:
    """How many characters the readable text of a source has."""
    segments = reading.source_map.segments
    return sum(each.end - each.start for each in segments if each.derivation_kind is not DerivationKind.SYSTEM)


def _contents(answer: Answer, reading: StoredReading, *, room: Room) -> None:
    """List the chapters with the characters each has, as far as the answer has room."""
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    used = sum(len(part.text) for part in answer.parts if part.entry.content_kind is ContentKind.TEXT)
    room_left = min(MAX_CONTENTS_CHARS, room.answer.max_text_chars + MAX_CONTENTS_CHARS - used)
    if media_type is None or room_left <= 0 or not reading.has(OUTLINE):
        return
    entries: list[dict[str, Any]] = json.loads(reading.file(OUTLINE))
    lines = [f"{'  ' * int(each['level'])}- {shown(str(each['title']))} ({each['locator']})" for each in entries]
    text = "contents:\n" + "\n".join(lines)
    kept = text if len(text) <= room_left else text[:room_left].rsplit("\n", 1)[0] + "\n…"
    answer.parts.append(
        text_part(kept, role=Role.CONTEXT, locator=Locator(), media_type=media_type, kind=DerivationKind.EXTRACTION)
    )
