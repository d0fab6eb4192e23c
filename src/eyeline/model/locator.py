"""`Locator`: which part of a pinned version, one product with one canonical string.

`page=3` · `frame=7` · `xywh=percent:10,20,40.5,15` · `xywh=pixel:0,0,200,80` · `t=12.5,18` ·
`t=12.5` (an instant) · `track=2` · `char=0,120` · `line=10,40` · `sheet=Q3&cell=A1:C9`, joined by `&` in this order.
Names follow RFC 8118, Media Fragments, RFC 5147 and RFC 7111. Pages, frames, tracks and lines count from 1, characters
from 0; `char` and `t` are half-open, `line` is inclusive at both ends. `parse(str(x)) == x` for every locator.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote, unquote

from eyeline.errors import InvalidLocator
from eyeline.model.geometry import Region, RegionUnit, thousandths

T = TypeVar("T")

MAX_LOCATOR_CHARS = 1024
_INTEGER = re.compile(r"\d{1,12}")
_DECIMAL = re.compile(r"(\d{1,9})(?:\.(\d{1,3}))?")
_CELL = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})(?::([A-Z]{1,3})([1-9]\d{0,6}))?")
_HINT = "for example page=3&xywh=percent:10,20,40,15, t=12.5,18, char=0,120, line=10,40 or sheet=Q3&cell=A1:C9"


@dataclass(frozen=True, slots=True)
class Span:
    """Time in whole milliseconds on the decoded timeline, half-open; an instant has no end."""

    start_ms: int
    end_ms: int | None = None

    def __post_init__(self) -> None:
        if self.start_ms < 0 or (self.end_ms is not None and self.end_ms <= self.start_ms):
            raise InvalidLocator("a span needs a start of at least 0 and an end after it", hint=_HINT)

    def __str__(self) -> str:
        start = thousandths(self.start_ms)
        return start if self.end_ms is None else f"{start},{thousandths(self.end_ms)}"


@dataclass(frozen=True, slots=True)
class Chars:
    """Code points `start` up to, not including, `end`, counted from 0."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 0 or self.end < self.start:
            raise InvalidLocator("a character range needs 0 <= start <= end", hint=_HINT)

    def __str__(self) -> str:
        return f"{self.start},{self.end}"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines `first` to `last`, both included, counted from 1."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if self.first < 1 or self.last < self.first:
            raise InvalidLocator("a line range needs 1 <= first <= last", hint=_HINT)

    def __str__(self) -> str:
        return f"{self.first},{self.last}"


@dataclass(frozen=True, slots=True)
class SheetRange:
    """A sheet by name, and optionally a block of its cells (`A1` or `A1:C9`)."""

    sheet: str
    cells: str | None = None

    def __post_init__(self) -> None:
        if not self.sheet:
            raise InvalidLocator("a sheet needs a name", hint=_HINT)
        if self.cells is not None and not _CELL.fullmatch(self.cells):
            raise InvalidLocator(f"{self.cells[:40]!r} is not a cell range", hint="write A1 or A1:C9")

    @property
    def corners(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Row and column, from 1, of the first and the last cell, whichever way round it is written; none without."""
        match = None if self.cells is None else _CELL.fullmatch(self.cells)
        if match is None:
            return None
        first = int(match[2]), _column(match[1])
        last = first if match[3] is None else (int(match[4]), _column(match[3]))
        return (min(first[0], last[0]), min(first[1], last[1])), (max(first[0], last[0]), max(first[1], last[1]))


@dataclass(frozen=True, slots=True)
class Locator:
    """Which part: any of page × frame × region × span × track × characters × lines × sheet range. Empty: the whole."""

    page: int | None = None
    frame: int | None = None
    region: Region | None = None
    span: Span | None = None
    track: int | None = None
    chars: Chars | None = None
    lines: Lines | None = None
    sheet: SheetRange | None = None

    def __post_init__(self) -> None:
        for name, value in (("page", self.page), ("frame", self.frame), ("track", self.track)):
            if value is not None and value < 1:
                raise InvalidLocator(f"{name}={value} is below 1", hint=f"{name}s count from 1")

    @classmethod
    def parse(cls, text: str) -> Locator:
        """Read a locator string; raises `InvalidLocator` saying which part cannot be read."""
        if len(text) > MAX_LOCATOR_CHARS:
            raise InvalidLocator(
                f"a locator of {len(text)} characters is too long", hint=f"at most {MAX_LOCATOR_CHARS}"
            )
        values = _pairs(text)
        if "cell" in values and "sheet" not in values:
            raise InvalidLocator("cell needs a sheet", hint="write sheet=Q3&cell=A1:C9")

        def part(name: str, read: Callable[[str], T]) -> T | None:
            return read(values[name]) if name in values else None

        return cls(
            page=part("page", _integer),
            frame=part("frame", _integer),
            region=part("xywh", _region),
            span=part("t", _span),
            track=part("track", _integer),
            chars=part("char", _chars),
            lines=part("line", _lines),
            sheet=part("sheet", lambda sheet: SheetRange(_unescape(sheet), values.get("cell"))),
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the parts that are set, as they are written, in canonical order."""
        return tuple(name for name, field in _FIELDS if getattr(self, field) is not None) + ("sheet",) * bool(
            self.sheet
        )

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, field)}" for name, field in _FIELDS if getattr(self, field) is not None]
        if self.sheet is not None:
            parts.append(f"sheet={quote(self.sheet.sheet, safe='')}")
            parts += [] if self.sheet.cells is None else [f"cell={self.sheet.cells}"]
        return "&".join(parts)


def cell_range(first: tuple[int, int], last: tuple[int, int]) -> str:
    """The name of a block of cells by row and column of its corners, from 1: `A1`, or `A1:C9`."""
    corner = f"{column_letters(first[1])}{first[0]}"
    return corner if first == last else f"{corner}:{column_letters(last[1])}{last[0]}"


def column_letters(column: int) -> str:
    """`A` for 1, `AA` for 27."""
    text = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def _column(text: str) -> int:
    number = 0
    for each in text:
        number = number * 26 + ord(each) - 64
    return number


def _pairs(text: str) -> dict[str, str]:
    """The `name=value` pairs of a locator text, each name known and there once."""
    values: dict[str, str] = {}
    for pair in text.strip().removeprefix("#").split("&") if text.strip() else ():
        name, equals, value = pair.partition("=")
        if not equals or name not in _NAMES:
            raise InvalidLocator(f"{pair[:80]!r} is not a locator part", hint=_HINT)
        if name in values:
            raise InvalidLocator(f"{name!r} stands twice in a locator", hint="name each part once")
        values[name] = value
    return values


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text) or not text.isascii():
        raise InvalidLocator(f"{text[:40]!r} is not a whole number", hint=_HINT)
    return int(text)


def _decimal(text: str) -> int:
    match = _DECIMAL.fullmatch(text)
    if match is None or not text.isascii():
        raise InvalidLocator(f"{text[:40]!r} is not a number of at most three decimals", hint=_HINT)
    return int(match.group(1)) * 1000 + int((match.group(2) or "0").ljust(3, "0"))


def _region(text: str) -> Region:
    unit, colon, numbers = text.partition(":")
    if not colon:
        unit, numbers = RegionUnit.PIXEL.value, text
    values = numbers.split(",")
    if unit not in (RegionUnit.PIXEL.value, RegionUnit.PERCENT.value) or len(values) != 4:
        raise InvalidLocator(
            f"xywh={text[:80]!r} is not a region", hint="write xywh=percent:x,y,w,h or xywh=pixel:x,y,w,h"
        )
    return Region(RegionUnit(unit), *(_decimal(value) for value in values))


def _span(text: str) -> Span:
    start, comma, end = text.removeprefix("npt:").partition(",")
    return Span(_decimal(start) if start else 0, _decimal(end) if comma else None)


def _chars(text: str) -> Chars:
    start, _, end = text.partition(",")
    return Chars(_integer(start), _integer(end))


def _lines(text: str) -> Lines:
    first, comma, last = text.partition(",")
    return Lines(_integer(first), _integer(last if comma else first))


def _unescape(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as exc:
        raise InvalidLocator(f"sheet={text[:80]!r} is not percent-encoded UTF-8", hint=_HINT) from exc


_FIELDS = (
    ("page", "page"),
    ("frame", "frame"),
    ("xywh", "region"),
    ("t", "span"),
    ("track", "track"),
    ("char", "chars"),
    ("line", "lines"),
)
_NAMES = frozenset(name for name, _ in _FIELDS) | {"sheet", "cell"}
