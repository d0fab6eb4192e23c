"""The text engine: jobs that admit a text and read it, or a range of it, in flat memory.

What is decoded how, and what an offset counts, is told in `media.text_decode`.
"""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eyeline.errors import InvalidRequest, LocatorOutOfRange
from eyeline.media.text_decode import ENCODINGS, Survey, pieces, survey
from eyeline.media.text_facts import facts_of
from eyeline.model.document import AdmissionOutcome
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

DECODER = f"{platform.python_implementation().lower()} {platform.python_version()}"
MAX_NOISE_SHARE = 0.05
DEFAULT_MAX_CHARS = 16 << 20


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Decode the whole text once; see `media.engines` for the contract. `params`: `media_type`, `max_text_bytes`.

    A text above `max_text_bytes` is admitted like any other, with the note `over_text_bound`: its conversion reads up
    to the bound. Where more than one character in twenty is a control character that no terminal takes, it is no text.
    Notes: `byte_order_mark`, `guessed_encoding`, `declared_encoding`, `invalid_bytes`, `control_characters`,
    `newline_crlf` (or `_cr`, `_mixed`), and those of `media.text_facts`.
    """
    found = survey(reader)
    if found.noise > MAX_NOISE_SHARE * found.chars:
        reason = f"the bytes are not text: {found.noise} of {found.chars} characters are control characters"
        return {"outcome": AdmissionOutcome.MALFORMED.value, "reason": reason, "decoder": DECODER, "probe": None}
    media_type = str(params["media_type"])
    notes = [
        *_notes(found),
        *["over_text_bound"] * (reader.size > int(params["max_text_bytes"])),
        *facts_of(reader, found.encoding, media_type=media_type, chars=found.chars),
    ]
    probe = Probe(
        media_type=MediaType(media_type),
        chars=found.chars,
        lines=found.lines,
        encoding=found.encoding,
        notes=tuple(notes),
    )
    plain = {**asdict(probe), "media_type": media_type}
    return {"outcome": AdmissionOutcome.ADMITTED.value, "reason": None, "decoder": DECODER, "probe": plain}


def read_text(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add the decoded text, or a range of it, to `out` as UTF-8.

    `params`: `chars` [start, end) from 0 or `lines` [first, last] from 1, none for the whole; `max_chars` bounds what
    is added (16 Mi when absent); `encoding` as the probe has it, found anew when absent. A range of lines leaves out
    the new line that ends it. Returns `start` and `end` of what was added in code points, `first_line` and
    `last_line`, `is_complete` (all that was asked for was added), `encoding`, and `newline` (none when `encoding` was
    given). Raises `LocatorOutOfRange` with the real extent in the detail: `chars` and `lines`.
    """
    found = None if "encoding" in params else survey(reader)
    encoding = str(params["encoding"]) if found is None else found.encoding
    if encoding not in ENCODINGS:
        raise InvalidRequest(f"{encoding!r} is not an encoding that is read here", hint="leave it out to have it found")
    start, end = _asked(reader, encoding, params)
    taken = _take(reader, encoding, start=start, end=end, bound=int(params.get("max_chars", DEFAULT_MAX_CHARS)))
    out.add(taken.data)
    return {
        "start": start,
        "end": taken.end,
        "first_line": taken.first_line,
        "last_line": taken.last_line,
        "is_complete": taken.is_complete,
        "encoding": encoding,
        "newline": None if found is None else found.newline,
    }


def _notes(found: Survey) -> list[str]:
    facts = {
        "byte_order_mark": found.has_mark,
        "guessed_encoding": found.is_guessed,
        "declared_encoding": found.is_declared,
        "invalid_bytes": found.invalid > 0,
        "control_characters": found.has_controls,
        f"newline_{found.newline}": found.newline not in ("lf", "none"),
    }
    return [name for name, holds in facts.items() if holds]


@dataclass(slots=True)
class _Taken:
    data: bytearray
    end: int
    first_line: int = 1
    last_line: int = 1
    is_complete: bool = True


def _asked(reader: Reader, encoding: str, params: dict[str, Any]) -> tuple[int, int | None]:
    """The range asked for, in code points; without an end it runs to the end of the text."""
    if "chars" in params:
        start, end = (int(value) for value in params["chars"])
        return start, end
    if "lines" in params:
        first, last = (int(value) for value in params["lines"])
        return _place_lines(reader, encoding, first=first, last=last)
    return 0, None


def _place_lines(reader: Reader, encoding: str, *, first: int, last: int) -> tuple[int, int]:
    """Start of a line, and end of another without its new line, in code points."""
    start = 0 if first == 1 else None
    passed = lines = 0
    ends_open = False
    for piece in pieces(reader, encoding):
        count = piece.count("\n")
        if start is None and lines + count >= first - 1:
            start = passed + _nth_newline(piece, first - 1 - lines) + 1
        if lines + count >= last:
            return start or 0, passed + _nth_newline(piece, last - lines)
        lines += count
        passed += len(piece)
        ends_open = not piece.endswith("\n") if piece else ends_open
    if last == lines + ends_open and start is not None:
        return start, passed
    raise _outside(f"lines {first} to {last}", chars=passed, lines=lines + ends_open)


def _nth_newline(text: str, number: int) -> int:
    """Place of the new line of this number, from 1."""
    at = -1
    for _ in range(number):
        at = text.index("\n", at + 1)
    return at


def _take(reader: Reader, encoding: str, *, start: int, end: int | None, bound: int) -> _Taken:
    stop = start + bound if end is None else min(end, start + bound)
    taken = _Taken(bytearray(), start)
    passed = 0
    for piece in pieces(reader, encoding):
        taken.first_line += piece.count("\n", 0, max(start - passed, 0))
        part = piece[max(start - passed, 0) : max(stop - passed, 0)]
        taken.data += part.encode()
        taken.last_line += part.count("\n")
        passed += len(piece)
        if passed > stop:
            break
    if start > passed or (end is not None and end > passed):
        lines = survey(reader).lines
        raise _outside(f"characters {start} to {end}", chars=passed, lines=lines)
    taken.end = min(stop, passed)
    taken.last_line += taken.first_line - 1 - taken.data.endswith(b"\n")
    taken.is_complete = taken.end == end if end is not None else passed <= stop
    return taken


def _outside(asked: str, *, chars: int, lines: int) -> LocatorOutOfRange:
    hint = f"the text has {chars} characters in {lines} lines"
    return LocatorOutOfRange(f"{asked} lie outside the text", hint=hint, chars=chars, lines=lines)
