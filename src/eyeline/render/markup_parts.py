"""Parts of markup: opened whole, what it says; with a locator, how it is written."""

from __future__ import annotations

from eyeline.model.envelope import Truncation
from eyeline.model.limits import MARKDOWN
from eyeline.model.locator import Chars, Locator
from eyeline.model.manifest import Role
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import HIDDEN_TEXT, DerivationKind, Segment
from eyeline.render.embedded_parts import EmbeddedPictures, has_embedded
from eyeline.render.subject import Answer, Room, StoredReading, Subject
from eyeline.render.text_parts import TextReader, asked_chars, open_text, text_part

_HIDDEN = (f"{HIDDEN_TEXT}:elements:", f"{HIDDEN_TEXT}:comments:")


def open_written(
    subject: Subject, locator: Locator, *, room: Room, reader: TextReader, pictures: EmbeddedPictures
) -> Answer:
    """The characters of the original and the pictures that begin among them.

    With a note where it holds text that a picture of it would not show.
    """
    answer = open_text(subject, locator, room=room, reader=reader)
    if has_embedded(subject):
        asked = asked_chars(subject, locator, room=room, reader=reader)
        pictures.add(answer, subject, among=asked, room=room)
    warnings = () if subject.reading is None else subject.reading.account.warnings
    if any(warning.startswith(_HIDDEN) for warning in warnings):
        answer.notes.append(HIDDEN_TEXT)
    return answer


def open_markup(subject: Subject, *, room: Room, reader: TextReader, pictures: EmbeddedPictures) -> Answer:
    """The readable text within the answer's bound, and the pictures in it; what is left has a locator in the original.

    Without a readable text the original's characters are opened, as they are with a locator.
    """
    reading = subject.reading
    segments = [] if reading is None else _extracted(reading)
    if reading is None or not segments:
        answer = open_written(subject, Locator(), room=room, reader=reader, pictures=pictures)
        answer.notes.append("no_readable_text")
        return answer
    answer = Answer()
    media_type = room.acceptance.text(MARKDOWN, served=room.served.texts)
    if media_type is not None:
        _readable(answer, subject, segments, media_type=media_type, room=room)
    pictures.add(answer, subject, among=Chars(0, subject.probe.chars or 0), room=room)
    return answer


def _readable(answer: Answer, subject: Subject, segments: list[Segment], *, media_type: MediaType, room: Room) -> None:
    reading = subject.reading
    assert reading is not None, "segments are those of a reading"
    text = "".join(reading.text[segment.start : segment.end] for segment in segments)
    kept = text[: room.answer.max_text_chars]
    answer.parts.append(
        text_part(kept, role=Role.SOURCE_TEXT, locator=Locator(), media_type=media_type, kind=DerivationKind.EXTRACTION)
    )
    if len(kept) < len(text):
        rest = _rest(segments, len(kept), subject.probe)
        answer.truncation.append(
            Truncation("answer_text_chars", f"{len(text) - len(kept)} characters of readable text", rest)
        )


def _extracted(reading: StoredReading) -> list[Segment]:
    return [each for each in reading.source_map.segments if each.derivation_kind is DerivationKind.EXTRACTION]


def _rest(segments: list[Segment], kept: int, probe: Probe) -> Locator | None:
    """Where the original goes on after so many characters of its readable text."""
    for segment in segments:
        kept -= segment.end - segment.start
        if kept < 0 and segment.locator.chars is not None:
            return Locator(chars=Chars(segment.locator.chars.start, probe.chars or segment.locator.chars.end))
    return None
