"""Readable text in blocks, each with its place in the source: the bound on it, and what is cleaned out of it.

Text and blocks leave a job as two outputs: UTF-8, and JSON rows of section, kind, end in the text and place in the
source (`-1, -1` where it cannot be told). Rows follow each other from the start of the text to its end.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from eyeline.model.plain_text import UNSEEN

Place = tuple[int, int]
"""A half-open range of code points of the decoded source."""

NOWHERE: Place = (-1, -1)
MAX_ROWS = 20_000
PIECE_CHARS = 600

_UNSEEN = re.compile("[" + "".join(map(chr, sorted(UNSEEN))) + "]")
_BROKEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ANSI = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


@dataclass(slots=True)
class _Row:
    section: int
    kind: str
    start: int
    end: int
    place: Place


def united(places: list[Place]) -> Place:
    """The smallest place that covers all that are known."""
    known = [place for place in places if place != NOWHERE]
    return (min(start for start, _ in known), max(end for _, end in known)) if known else NOWHERE


@dataclass(slots=True)
class BlockWriter:
    """Collects blocks up to `max_chars`; then it is full, says where the source was left, and takes no more.

    `fixed` is the place of all that is written while it is set, for text that stands inside another text.
    """

    max_chars: int
    is_full: bool = False
    stopped_at: Place = NOWHERE
    unseen: int = 0
    fixed: Place | None = None
    _parts: list[str] = field(default_factory=list[str])
    _rows: list[_Row] = field(default_factory=list[_Row])
    _chars: int = 0
    _section: int = 0
    _tight: str = ""
    _begun: tuple[str, str] | None = None
    _is_open: bool = False
    _last: Place = (0, 0)

    @property
    def chars(self) -> int:
        """Characters written."""
        return self._chars

    def section(self) -> int:
        """Begin a new section and return its number, from 1."""
        self.end()
        self._section += 1
        self._tight = ""
        return self._section

    def begin(self, kind: str, *, tight: str = "") -> None:
        """Begin a block. An empty line parts it from the one before, unless both are `tight` by the same word."""
        self.end()
        self._begun = (kind, tight)

    def write(self, text: str, place: Place) -> None:
        """Add cleaned text to the block that was begun; a block that gets none leaves nothing."""
        text, place = self._cleaned(text), self.fixed or place
        if not text or self.is_full:
            return
        if self._begun is not None:
            kind, tight = self._begun
            if self._rows and not (tight and tight == self._tight):
                self._put("\n", NOWHERE)
            if self._is_at_bound(place):
                return
            self._add_row(kind)
            self._begun, self._tight, self._is_open = None, tight, True
        row = self._rows[-1]
        is_long = row.end - row.start >= PIECE_CHARS and place not in (NOWHERE, row.place)
        if is_long and not self._is_at_bound(place):
            self._add_row(row.kind)
        self._put(text, place)

    def end(self) -> None:
        """End the block with a new line."""
        self._begun = None
        if self._is_open:
            self._is_open = False
            self._put("\n", NOWHERE)

    def block(self, kind: str, text: str, place: Place, *, tight: str = "") -> None:
        """A block of one text."""
        self.begin(kind, tight=tight)
        self.write(text, place)
        self.end()

    def outputs(self) -> tuple[bytes, bytes]:
        """The text, and the rows; so many rows that they would burden a reader are joined where they are short."""
        self.end()
        rows = self._rows if len(self._rows) <= MAX_ROWS else _joined(self._rows)
        plain = [[row.section, row.kind, row.end, *row.place] for row in rows]
        return "".join(self._parts).encode(), json.dumps(plain, separators=(",", ":")).encode()

    def _add_row(self, kind: str) -> None:
        self._rows.append(_Row(self._section, kind, self._chars, self._chars, NOWHERE))

    def _is_at_bound(self, place: Place) -> bool:
        """Whether not even one character of what stands at a place fits; then the writer is full."""
        if self._chars >= self.max_chars and not self.is_full:
            self.is_full, self.stopped_at = True, place if place != NOWHERE else self._last
        return self.is_full

    def _put(self, text: str, place: Place) -> None:
        room = self.max_chars - self._chars
        if self.is_full or len(text) > room:
            if not self.is_full:
                self.stopped_at = place if place != NOWHERE else self._last
            self.is_full = True
            text = text[:room]
        elif place != NOWHERE:
            self._last = (place[1], place[1])
        row = self._rows[-1]
        self._parts.append(text)
        self._chars += len(text)
        row.end = self._chars
        if place not in (NOWHERE, row.place):
            row.place = place if row.place == NOWHERE else united([row.place, place])

    def _cleaned(self, text: str) -> str:
        if text.isascii() and text.isprintable():
            return text
        if "\x1b" in text:
            text = _ANSI.sub("", text)
        text, unseen = _UNSEEN.subn("", text)
        self.unseen += unseen
        return _BROKEN.sub("\ufffd", text)


def _joined(rows: list[_Row]) -> list[_Row]:
    joined: list[_Row] = []
    for row in rows:
        last = joined[-1] if joined else None
        if last is not None and last.section == row.section and row.end - last.start < PIECE_CHARS:
            last.end, last.place = row.end, united([last.place, row.place])
        else:
            joined.append(row)
    return joined
