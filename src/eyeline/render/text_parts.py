"""Text parts: slices of a reading, and ranges of a text original with the lines around them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from eyeline.errors import LocatorOutOfRange
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.model.digest import Digest
from eyeline.model.envelope import Truncation
from eyeline.model.limits import PLAIN, Limits
from eyeline.model.locator import Chars, Locator, Span
from eyeline.model.manifest import ContentKind, ManifestEntry, Origin, Part, Role, Transform
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import EVIDENCE_OF, DerivationKind
from eyeline.render.subject import Answer, Room, Subject

CONTEXT_CHARS = 400


def text_part(
    text: str,
    *,
    role: Role,
    locator: Locator,
    media_type: MediaType,
    kind: DerivationKind | None,
    transforms: tuple[Transform, ...] = (),
) -> Part:
    """A text part with its label; a text of several labels has none of its own."""
    data = text.encode("utf-8")
    entry = ManifestEntry(
        role=role,
        content_kind=ContentKind.TEXT,
        media_type=media_type,
        byte_count=len(data),
        digest=Digest.of(data),
        origin=Origin.AGENT_RENDITION,
        locator=locator,
        transforms=transforms,
        derivation_kind=None if kind is None else kind.value,
        evidence_mode=None if kind is None else EVIDENCE_OF[kind].value,
    )
    return Part(data, entry)


@dataclass(frozen=True, slots=True)
class Window:
    """Decoded characters of a text original: half-open range, and the characters in it."""

    start: int
    end: int
    text: str


class TextReader:
    """Reads ranges of text originals in the bounded child."""

    def __init__(self, pool: BoundedPool, limits: Limits) -> None:
        self._pool = pool
        self._limits = limits

    def chars(self, subject: Subject, wanted: Chars, *, room: Room) -> Window:
        """A range of characters of the decoded text."""
        return self._read(subject, {"chars": [wanted.start, wanted.end]}, room=room)

    def start_of_line(self, subject: Subject, line: int, *, room: Room) -> int:
        """Where a line of the text begins, in characters."""
        return self._read(subject, {"lines": [line, line], "max_chars": 1}, room=room).start

    def _read(self, subject: Subject, wanted: dict[str, Any], *, room: Room) -> Window:
        params: dict[str, Any] = {"media_type": str(subject.content.media_type), **wanted}
        if subject.probe.encoding is not None:
            params["encoding"] = subject.probe.encoding
        with subject.source.open() as source:
            result = self._pool.run(
                "eyeline.media.text:read_text",
                params,
                source=source,
                limits=job_limits(self._limits),
                cancel=room.cancel,
            )
        text = result.outputs[0].decode("utf-8")
        start = int(result.value["start"])
        return Window(start, start + len(text), text)


def open_text(subject: Subject, locator: Locator, *, room: Room, reader: TextReader) -> Answer:
    """A text: the whole within the answer's bound, or a range with its surroundings; what is left has a locator."""
    native = subject.content.media_type if subject.content.media_type in room.served.texts else PLAIN
    media_type = room.acceptance.text(native, served=room.served.texts)
    answer = Answer()
    if media_type is None:
        return answer
    total = subject.probe.chars or 0
    asked = asked_chars(subject, locator, room=room, reader=reader)
    kept = reader.chars(
        subject, Chars(asked.start, min(asked.end, asked.start + room.answer.max_text_chars)), room=room
    )
    main = text_part(
        kept.text,
        role=Role.SOURCE_TEXT,
        locator=locator,
        media_type=media_type,
        kind=DerivationKind.PASSTHROUGH,
        transforms=_transforms(subject.probe, kept, total),
    )
    if main.entry.digest == subject.content.digest and media_type == subject.content.media_type:
        main = Part(main.bytes, replace(main.entry, origin=Origin.ORIGINAL, transforms=()))
    answer.parts.append(main)
    if kept.end < asked.end:
        rest = Locator(chars=Chars(kept.end, asked.end))
        answer.truncation.append(Truncation("answer_text_chars", f"{asked.end - kept.end} characters", rest))
    elif locator:
        _surround(answer, subject, kept, total=total, media_type=media_type, room=room, reader=reader)
    if _reaches_past(subject.probe, locator):
        answer.notes.append("clipped_to_extent")
    return answer


def asked_chars(subject: Subject, locator: Locator, *, room: Room, reader: TextReader) -> Chars:
    """The characters that a locator means, clipped at the end of the text; `LocatorOutOfRange` past it."""
    total_chars, total_lines = subject.probe.chars or 0, subject.probe.lines or 0
    if locator.lines is not None:
        if locator.lines.first > max(total_lines, 1):
            raise _outside(locator, "lines, counted from 1", total_lines)
        first = reader.start_of_line(subject, locator.lines.first, room=room)
        if locator.lines.last >= total_lines:
            return Chars(first, total_chars)
        return Chars(first, reader.start_of_line(subject, locator.lines.last + 1, room=room) - 1)
    if locator.chars is not None:
        if locator.chars.start >= max(total_chars, 1):
            raise _outside(locator, "characters, counted from 0", total_chars)
        return Chars(locator.chars.start, min(locator.chars.end, total_chars))
    return Chars(0, total_chars)


def _reaches_past(probe: Probe, locator: Locator) -> bool:
    past_chars = locator.chars is not None and locator.chars.end > (probe.chars or 0)
    return past_chars or (locator.lines is not None and locator.lines.last > (probe.lines or 0))


def _outside(locator: Locator, unit: str, extent: int) -> LocatorOutOfRange:
    hint = f"the text has {extent} {unit}"
    return LocatorOutOfRange(f"{locator} starts past the end", hint=hint, asked=str(locator), extent=extent)


def _transforms(probe: Probe, kept: Window, total: int) -> tuple[Transform, ...]:
    by = "eyeline.text"
    steps = [Transform("decode", by, {"encoding": probe.encoding or "utf-8"})]
    newlines = next((note for note in probe.notes if note.startswith("newline_")), None)
    if newlines is not None:
        steps.append(Transform("normalise", by, {"newlines": f"{newlines.removeprefix('newline_')} to lf"}))
    if kept.start > 0 or kept.end < total:
        steps.append(Transform("excerpt", by, {"characters": f"{kept.start},{kept.end}", "of": str(total)}))
    return tuple(steps)


def _surround(
    answer: Answer, subject: Subject, kept: Window, *, total: int, media_type: MediaType, room: Room, reader: TextReader
) -> None:
    """Add the characters just before and after a range, as far as the answer has room."""
    left = room.answer.max_text_chars - len(kept.text)
    reach = min(CONTEXT_CHARS, left // 2)
    before, after = max(0, kept.start - reach), min(total, kept.end + reach)
    for start, end, place in ((before, kept.start, 0), (kept.end, after, len(answer.parts) + 1)):
        if start < end:
            window = reader.chars(subject, Chars(start, end), room=room)
            where = Locator(chars=Chars(window.start, window.end))
            part = text_part(
                window.text, role=Role.CONTEXT, locator=where, media_type=media_type, kind=DerivationKind.PASSTHROUGH
            )
            answer.parts.insert(place, part)


def reading_parts(subject: Subject, locator: Locator, *, room: Room, role: Role = Role.SOURCE_TEXT) -> Answer:
    """The derived text of a part of a source, one part for each label that occurs, within the answer's bound.

    `char` counts the characters of this text; what is left has the locator of its characters. Raises
    `LocatorOutOfRange` for characters past its end.
    """
    answer = Answer()
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    if subject.reading is None or media_type is None:
        return answer
    slices = _slices(subject, locator)
    total = sum(len(text) for _, text in slices)
    asked = locator.chars or Chars(0, total)
    if asked.start > 0 and asked.start >= total:
        raise _outside(locator, "characters here, counted from 0", total)
    end = min(asked.end, total)
    kept_end = min(end, asked.start + room.answer.max_text_chars)
    at = 0
    for kind, text in slices:
        kept = text[max(asked.start - at, 0) : max(kept_end - at, 0)]
        at += len(text)
        if kept.strip():
            answer.parts.append(text_part(kept, role=role, locator=locator, media_type=media_type, kind=kind))
    if kept_end < end:
        rest = replace(locator, chars=Chars(kept_end, end))
        answer.truncation.append(Truncation("answer_text_chars", f"{end - kept_end} characters of derived text", rest))
    return answer


def _slices(subject: Subject, locator: Locator) -> list[tuple[DerivationKind, str]]:
    reading = subject.reading
    if reading is None:
        return []
    slices: list[tuple[DerivationKind, str]] = []
    for segment in reading.source_map.segments:
        if segment.derivation_kind is DerivationKind.SYSTEM or not touches(
            segment.locator, locator, probe=subject.probe
        ):
            continue
        text = reading.text[segment.start : segment.end]
        if slices and slices[-1][0] is segment.derivation_kind:
            slices[-1] = (segment.derivation_kind, slices[-1][1] + text)
        else:
            slices.append((segment.derivation_kind, text))
    return slices


def _overlap(read: Span | None, asked: Span) -> bool:
    if read is None:
        return False
    read_end = read.start_ms + 1 if read.end_ms is None else read.end_ms
    asked_end = asked.start_ms + 1 if asked.end_ms is None else asked.end_ms
    return read.start_ms < asked_end and asked.start_ms < read_end


def touches(read: Locator, asked: Locator, *, probe: Probe) -> bool:
    """Whether what a segment reads belongs to what was asked: same page and frame, centre inside the region, heard or
    shown within the span."""
    if asked.span is not None and not _overlap(read.span, asked.span):
        return False
    if asked.track is not None and read.track not in (None, asked.track):
        return False
    if asked.page is not None and read.page != asked.page:
        return False
    if asked.frame is not None and read.frame not in (None, asked.frame):
        return False
    if asked.region is None or read.region is None:
        return True
    if probe.pages:
        size = probe.page_size(asked.page or 1)
        width, height = size.width_pt, size.height_pt
    else:
        frame = probe.frame_size(asked.page or asked.frame or 1)
        if frame is None:
            return True
        width, height = float(frame.width_px), float(frame.height_px)
    x, y, w, h = read.region.within(width, height)
    left, top, wide, high = asked.region.within(width, height)
    return left <= x + w / 2 <= left + wide and top <= y + h / 2 <= top + high
