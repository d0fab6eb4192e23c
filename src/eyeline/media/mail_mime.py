"""The parts of a mail by their places in its bytes: split in one pass, however many and however deep they stand.

Nothing is copied and nothing is decoded here. A delimiter ends everything that stands open inside its part, so a part
whose own delimiter is missing ends where the one around it does. Headers are cut where they are longer than any that is
meant to be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.media.mail_header import PartHeader, fields_of

MAX_PARTS = 10_000
MAX_DEPTH = 100
MAX_HEADER_BYTES = 4 << 20
MAX_PART_HEADER_BYTES = 64 << 10

_DELIMITER = re.compile(rb"^--[^\r\n]*", re.MULTILINE)
_BLANK_LINE = re.compile(rb"(?:\A|\n)\r?\n")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part that holds no others: what its header says, where its body stands, and in which containers it does.

    `containers` are numbers of containers, the outermost first; `is_closed` is false where the mail ends inside it.
    """

    header: PartHeader
    start: int
    end: int
    containers: tuple[int, ...]
    is_closed: bool = True


@dataclass(slots=True)
class Split:
    """A mail in parts: the fields of its own header, its leaves in order, and the subtype of each container."""

    fields: list[tuple[str, bytes]]
    leaves: list[Leaf] = field(default_factory=list[Leaf])
    containers: list[str] = field(default_factory=list[str])
    is_cut: bool = False
    left_out: int = 0


@dataclass(slots=True)
class _Open:
    """A container that is open: its delimiter, and the numbers of the containers around it and of itself."""

    delimiter: bytes
    chain: tuple[int, ...]


@dataclass(slots=True)
class _Begun:
    header: PartHeader
    start: int
    chain: tuple[int, ...]


def split_mail(data: bytes) -> Split:
    """The parts of a mail. Never fails: bytes without any structure are one part."""
    start = _after_envelope(data)
    return _Splitter(data, start).split()


def _after_envelope(data: bytes) -> int:
    """Behind the line with which mailbox files begin a mail, and behind blank lines."""
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while data[start : start + 1] in (b"\r", b"\n"):
        start += 1
    if data.startswith((b"From ", b">From "), start):
        return (data.find(b"\n", start) + 1) or len(data)
    return start


class _Splitter:
    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._body = body = self._body_of(start, MAX_HEADER_BYTES)
        self._made = Split(fields_of(data[start:body]))
        self._open: list[_Open] = []
        self._levels: dict[bytes, list[int]] = {}
        self._begun: _Begun | None = None
        self._begin(PartHeader.of(self._made.fields), body, chain=())

    def split(self) -> Split:
        for found in _DELIMITER.finditer(self._data, self._body):
            line = found[0].rstrip(b" \t")
            level, is_last = self._level_of(line)
            if level is None:
                continue
            self._end_at(self._before(found.start()))
            if is_last:
                self._close(level)
                continue
            self._close(level + 1)
            if len(self._made.leaves) >= MAX_PARTS:
                self._made.left_out += 1
                continue
            self._begin_part(found.end(), self._open[level].chain)
        self._made.is_cut = bool(self._open)
        self._end_at(len(self._data), is_closed=not self._open)
        return self._made

    def _level_of(self, line: bytes) -> tuple[int | None, bool]:
        """Which open container a line belongs to, and whether it ends that one."""
        levels = self._levels.get(line)
        if levels:
            return levels[-1], False
        levels = self._levels.get(line[:-2]) if line.endswith(b"--") else None
        return (levels[-1], True) if levels else (None, False)

    def _begin_part(self, line_end: int, chain: tuple[int, ...]) -> None:
        start = self._data.find(b"\n", line_end, line_end + 2) + 1 or line_end
        body = self._body_of(start, MAX_PART_HEADER_BYTES)
        self._begin(PartHeader.of(fields_of(self._data[start:body])), body, chain=chain)

    def _begin(self, header: PartHeader, body: int, *, chain: tuple[int, ...]) -> None:
        """Begin a part; a container opens, and what stands before its first delimiter is no part."""
        boundary = header.boundary
        if not (header.media_type.startswith("multipart/") and boundary and len(self._open) < MAX_DEPTH):
            self._begun = _Begun(header, body, chain)
            return
        number = len(self._made.containers)
        self._made.containers.append(header.media_type.removeprefix("multipart/"))
        opened = _Open(b"--" + boundary, (*chain, number))
        self._levels.setdefault(opened.delimiter, []).append(len(self._open))
        self._open.append(opened)

    def _end_at(self, end: int, *, is_closed: bool = True) -> None:
        if self._begun is not None:
            begun, self._begun = self._begun, None
            stop = max(begun.start, end)
            self._made.leaves.append(Leaf(begun.header, begun.start, stop, begun.chain, is_closed))

    def _close(self, level: int) -> None:
        while len(self._open) > level:
            closed = self._open.pop()
            self._levels[closed.delimiter].pop()

    def _before(self, place: int) -> int:
        """The end of a part whose delimiter begins at a place: the new line before it belongs to the delimiter."""
        if place and self._data[place - 1 : place] == b"\n":
            place -= 1
            if place and self._data[place - 1 : place] == b"\r":
                place -= 1
        return place

    def _body_of(self, start: int, bound: int) -> int:
        """Where the body begins, behind the blank line that ends a header; a header without one ends at the bound."""
        stop = min(len(self._data), start + bound)
        if self._data.startswith((b"\r\n", b"\n"), start):
            return start + (2 if self._data.startswith(b"\r\n", start) else 1)
        found = _BLANK_LINE.search(self._data, start, stop)
        return stop if found is None else found.end()


def alternatives_of(split: Split) -> Iterator[int | None]:
    """For each leaf the innermost container of alternatives that it stands in, or none."""
    for leaf in split.leaves:
        yield next((number for number in reversed(leaf.containers) if split.containers[number] == "alternative"), None)
