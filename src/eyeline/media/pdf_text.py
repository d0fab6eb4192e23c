"""Text of a PDF page: lines in the order of the page's content, each with its box, cleaned of what is no text.

The text layer of a page is

- `absent` when it holds nothing but white space,
- `unusable` when more than a fifth of its other characters are replacement, private-use or control characters: the
  font does not say what its shapes mean,
- `usable` otherwise.

A word that the page breaks at a hyphen stays broken, as it is shown: `-` and a new line.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eyeline.errors import CorruptMedia
from eyeline.media.pdf_document import OpenPage, raw

MAX_PAGE_CHARS = 200_000
UNUSABLE_SHARE = 0.2

_HYPHEN_BREAK = "\ufffe"
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_NO_TEXT = [*range(0x09), *range(0x0A, 0x20), *range(0x7F, 0xA0), 0xAD, 0xFEFF, 0xFFFE, 0xFFFF]
_CLEAN: dict[int, str | None] = {**dict.fromkeys(_NO_TEXT), 0x09: " ", **_LIGATURES}
_GARBAGE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffd\udb80-\udbff\U000f0000-\U0010ffff]")


# Bound once: these run for every line of every page.
_count_boxes, _get_box = raw.FPDFText_CountRects, raw.FPDFText_GetRect


@dataclass(frozen=True, slots=True)
class PageText:
    """Text of one page. A line is (start, end, box): code points of `text`, and [x, y, w, h] in upright points."""

    text: str
    lines: list[tuple[int, int, list[float]]]
    text_layer: str
    chars_left_out: int


@contextmanager
def text_of(page: OpenPage) -> Generator[Any]:
    """The handle of a page's text. Raises `CorruptMedia` when pdfium cannot make one."""
    handle = raw.FPDFText_LoadPage(page.handle)
    if not handle:
        raise CorruptMedia(f"the text of page {page.number} cannot be read", reason="unreadable_page", page=page.number)
    try:
        yield handle
    finally:
        raw.FPDFText_ClosePage(handle)


def read_lines(page: OpenPage, text_handle: Any) -> PageText:
    """Read at most 200 000 characters of a page."""
    found = max(int(raw.FPDFText_CountChars(text_handle)), 0)
    count = min(found, MAX_PAGE_CHARS)
    units = _units(text_handle, count)
    places = _Places(text_handle, is_plain=len(units) == count)
    pieces: list[str] = []
    lines: list[tuple[int, int, list[float]]] = []
    length = 0
    for start, line in _split(units):
        text = _cleaned(line)
        if not text:
            continue
        box = places.box(start, len(line), page)
        lines.append((length, length + len(text), box))
        pieces.append(text)
        length += len(text) + 1
    return PageText("\n".join(pieces), lines, judge(units), found - count)


def judge(text: str) -> str:
    """`usable`, `absent` or `unusable`: see the rule above."""
    letters = len("".join(text.split()))
    if not letters:
        return "absent"
    return "unusable" if len(_GARBAGE.findall(text)) > UNUSABLE_SHARE * letters else "usable"


def _units(text_handle: Any, count: int) -> str:
    """The text with one character for each unit that pdfium counts (a half of a surrogate pair is one)."""
    if not count:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = int(raw.FPDFText_GetText(text_handle, 0, count, buffer))
    data = bytes(buffer)[: max(written - 1, 0) * 2]
    text = data.decode("utf-16-le", "surrogatepass")
    return text if len(text) * 2 == len(data) else "".join(map(chr, memoryview(data).cast("H")))


def _split(units: str) -> Iterator[tuple[int, str]]:
    """Lines with their start; a hyphen that ends a line is put back and ends it."""
    start = 0
    for whole in units.split("\r\n"):
        at = start
        for piece in whole.split(_HYPHEN_BREAK):
            is_broken = at + len(piece) < start + len(whole)
            yield at, piece + "\xad" * is_broken
            at += len(piece) + 1
        start += len(whole) + 2


def _cleaned(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line.strip()
    if line.rstrip().endswith("\xad"):
        line = line.rstrip()[:-1] + "-"
    whole = line.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.translate(_CLEAN).strip()


class _Places:
    """Boxes of ranges of a page's text."""

    def __init__(self, text_handle: Any, *, is_plain: bool) -> None:
        self._handle = text_handle
        self._is_plain = is_plain
        self._edges = tuple(ctypes.c_double() for _ in range(4))
        self._pointers = tuple(ctypes.byref(edge) for edge in self._edges)

    def box(self, start: int, length: int, page: OpenPage) -> list[float]:
        """The smallest box around all shapes of a range, in the upright frame."""
        if not self._is_plain:
            first, last = self._place(start), self._place(start + length - 1)
            start, length = first, max(last - first + 1, 1)
        boxes: list[tuple[float, ...]] = []
        for index in range(_count_boxes(self._handle, start, length)):
            _get_box(self._handle, index, *self._pointers)
            boxes.append(tuple([edge.value for edge in self._edges]))
        if not boxes:
            return [0.0, 0.0, 0.0, 0.0]
        left, top, right, bottom = boxes[0]
        for x_low, y_high, x_high, y_low in boxes[1:]:
            left, bottom = min(left, x_low), min(bottom, y_low)
            right, top = max(right, x_high), max(top, y_high)
        return page.frame.cut((left, bottom, right, top))

    def _place(self, unit: int) -> int:
        return max(int(raw.FPDFText_GetCharIndexFromTextIndex(self._handle, unit)), 0)
