"""Text parts: slices of a reading, and ranges of a text original with the lines around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eyeline.errors import LocatorOutOfRange
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.model.digest import Digest
from eyeline.model.envelope import Truncation
from eyeline.model.limits import PLAIN, Limits
from eyeline.model.locator import Chars, Locator
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

    def chars(self, subject: Subject, start: int, end: int, *, room: Room) -> Window:
        """Characters `start` to `end` of the decoded text."""
        return self._read(subject, {"chars": [start, end]}, room=room)

    def lines(self, subject: Subject, first: int, last: int, *, room: Room) -> Window:
        """Lines `first` to `last`, both included, as a character window."""
        return self._read(subject, {"lines": [first, last]}, room=room)

    def _read(self, subject: Subject, wanted: dict[str, Any], *, room: Room) -> Window:
        params = {"media_type": str(subject.content.media_type), "max_chars": room.answer.max_text_chars + 1, **wanted}
        with subject.source.open() as source:
            result = self._pool.run(
                "eyeline.media.text:read_text",
                params,
                source=source,
                limits=job_limits(self._limits),
                cancel=room.cancel,
            )
        start, end = result.value["range"]
        return Window(start, end, result.outputs[0].decode("utf-8"))


def open_text(subject: Subject, locator: Locator, *, room: Room, reader: TextReader) -> Answer:
    """A text: the whole within the answer's bound, or a range with its surroundings; what is left has a locator."""
    native = subject.content.media_type if subject.content.media_type in room.served.texts else PLAIN
    media_type = room.acceptance.text(native, served=room.served.texts)
    answer = Answer()
    if media_type is None:
        return answer
    asked = _asked(subject, locator, room=room, reader=reader)
    kept = Window(asked.start, min(asked.end, asked.start + room.answer.max_text_chars), asked.text)
    kept = Window(kept.start, kept.end, kept.text[: kept.end - kept.start])
    total = subject.probe.chars or kept.end
    transforms = _transforms(subject.probe, kept, total)
    main = text_part(
        kept.text,
        role=Role.SOURCE_TEXT,
        locator=locator or Locator(),
        media_type=media_type,
        kind=DerivationKind.PASSTHROUGH,
        transforms=transforms,
    )
    if main.entry.digest == subject.content.digest and media_type == native:
        main = Part(main.bytes, _as_original(main.entry))
    answer.parts.append(main)
    last = asked.end if locator else total
    if kept.end < last:
        rest = Locator(chars=Chars(kept.end, last))
        answer.truncation.append(Truncation("answer_text_chars", f"{last - kept.end} characters", rest))
    elif locator:
        _surround(answer, subject, kept, total=total, media_type=media_type, room=room, reader=reader)
    return answer


def _asked(subject: Subject, locator: Locator, *, room: Room, reader: TextReader) -> Window:
    total_chars, total_lines = subject.probe.chars or 0, subject.probe.lines or 0
    if locator.lines is not None:
        if locator.lines.first > max(total_lines, 1):
            raise _outside(locator, f"lines 1 to {total_lines}")
        return reader.lines(subject, locator.lines.first, min(locator.lines.last, total_lines), room=room)
    if locator.chars is not None:
        if locator.chars.start > total_chars or (locator.chars.start == total_chars and total_chars > 0):
            raise _outside(locator, f"characters 0 to {total_chars}")
        return reader.chars(subject, locator.chars.start, min(locator.chars.end, total_chars), room=room)
    return reader.chars(subject, 0, room.answer.max_text_chars + 1, room=room)


def _outside(locator: Locator, extent: str) -> LocatorOutOfRange:
    return LocatorOutOfRange(f"{locator} starts past the end", hint=f"the text has {extent}", asked=str(locator))


def _transforms(probe: Probe, kept: Window, total: int) -> tuple[Transform, ...]:
    by = "eyeline.text"
    steps = [Transform("decode", by, {"encoding": probe.encoding or "utf-8"})]
    if "newlines_normalised" in probe.notes:
        steps.append(Transform("normalise", by, {"newlines": "lf"}))
    if kept.start > 0 or kept.end < total:
        steps.append(Transform("excerpt", by, {"characters": f"{kept.start},{kept.end}", "of": str(total)}))
    return tuple(steps)


def _as_original(entry: ManifestEntry) -> ManifestEntry:
    return ManifestEntry(
        role=entry.role,
        content_kind=entry.content_kind,
        media_type=entry.media_type,
        byte_count=entry.byte_count,
        digest=entry.digest,
        origin=Origin.ORIGINAL,
        locator=entry.locator,
        derivation_kind=entry.derivation_kind,
        evidence_mode=entry.evidence_mode,
    )


def _surround(
    answer: Answer, subject: Subject, kept: Window, *, total: int, media_type: MediaType, room: Room, reader: TextReader
) -> None:
    """Add the characters just before and after a range, as far as the answer has room."""
    left = room.answer.max_text_chars - len(kept.text)
    reach = min(CONTEXT_CHARS, left // 2)
    before, after = max(0, kept.start - reach), min(total, kept.end + reach)
    for start, end, place in ((before, kept.start, 0), (kept.end, after, len(answer.parts) + 1)):
        if start < end:
            window = reader.chars(subject, start, end, room=room)
            where = Locator(chars=Chars(window.start, window.end))
            part = text_part(
                window.text, role=Role.CONTEXT, locator=where, media_type=media_type, kind=DerivationKind.PASSTHROUGH
            )
            answer.parts.insert(place, part)


def reading_parts(subject: Subject, locator: Locator, *, room: Room) -> Answer:
    """The derived text of a part of a source, one part for each label that occurs, within the answer's bound."""
    answer = Answer()
    media_type = room.acceptance.text(PLAIN, served=room.served.texts)
    if subject.reading is None or media_type is None:
        return answer
    left = room.answer.max_text_chars
    for kind, text in _slices(subject, locator):
        kept = text[:left]
        left -= len(kept)
        if kept.strip():
            answer.parts.append(
                text_part(kept, role=Role.SOURCE_TEXT, locator=locator, media_type=media_type, kind=kind)
            )
        if len(kept) < len(text):
            missing = f"{len(text) - len(kept)} characters of derived text"
            answer.truncation.append(Truncation("answer_text_chars", missing, None))
            break
    return answer


def _slices(subject: Subject, locator: Locator) -> list[tuple[DerivationKind, str]]:
    reading = subject.reading
    if reading is None:
        return []
    slices: list[tuple[DerivationKind, str]] = []
    for segment in reading.source_map.segments:
        if segment.derivation_kind is DerivationKind.SYSTEM or not touches(segment.locator, locator, subject.probe):
            continue
        text = reading.text[segment.start : segment.end]
        if slices and slices[-1][0] is segment.derivation_kind:
            slices[-1] = (segment.derivation_kind, slices[-1][1] + text)
        else:
            slices.append((segment.derivation_kind, text))
    return slices


def touches(read: Locator, asked: Locator, probe: Probe) -> bool:
    """Whether what a segment reads belongs to what was asked: same page and frame, centre inside the region."""
    if asked.page is not None and read.page != asked.page:
        return False
    if asked.frame is not None and read.frame not in (None, asked.frame):
        return False
    if asked.region is None or read.region is None:
        return True
    if probe.pages:
        size = probe.page_size(asked.page or 1)
        width, height = size.width_pt, size.height_pt
    elif probe.size is not None:
        width, height = float(probe.size.width_px), float(probe.size.height_px)
    else:
        return True
    x, y, w, h = read.region.within(width, height)
    left, top, wide, high = asked.region.within(width, height)
    return left <= x + w / 2 <= left + wide and top <= y + h / 2 <= top + high
