"""Laying out readable text: running lines, headings, lists, quotations, code and tables become blocks of a writer.

What begins something returns what ends it. Text stays as it is; only the pipes inside table cells are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from eyeline.media.markup_blocks import NOWHERE, BlockWriter, Place
from eyeline.media.markup_inline import Inline
from eyeline.media.markup_tables import DataTable, TableFacts

MAX_CONTAINERS = 12
PARAGRAPH, HEADING, ITEM, TABLE, CODE, RULE = "paragraph", "heading", "item", "table", "code", "rule"

Undo = Callable[[], None]

_BACKTICKS = re.compile(r"`{3,}")


@dataclass(slots=True)
class _Container:
    """What stands before the lines of a quotation or a list item: before its first, and before the others."""

    first: str
    rest: str


@dataclass(slots=True)
class _List:
    group: str
    next_number: int | None


class Layout:
    """Lays out one text. `inline` is the line under construction."""

    def __init__(self, writer: BlockWriter) -> None:
        self.inline = Inline()
        self._writer = writer
        self._containers: list[_Container] = []
        self._lists: list[_List] = []
        self._tables: list[DataTable | None] = []
        self._level = 0
        self._groups = 0
        self._is_in_cell = False
        self._code: list[tuple[str, Place]] | None = None

    def text(self, text: str, place: Place) -> None:
        """Add running text, or characters of code where code is open."""
        if self._code is None:
            self.inline.add(text, place)
        else:
            self._code.append((text, place))

    def line_break(self) -> None:
        """Begin a new line in the same block."""
        if self._code is not None:
            self._code.append(("\n", NOWHERE))
        else:
            self.inline.line_break()

    def flush(self) -> None:
        """End the block that is under construction, if it holds anything; in a cell of data only a word ends."""
        if self._is_in_cell or self._code is not None:
            self.text(" " if self._is_in_cell else "\n", NOWHERE)
            return
        pieces = self.inline.take()
        if pieces:
            kind = HEADING if self._level else ITEM if self._lists else PARAGRAPH
            pieces.insert(0, ("#" * self._level + " " * bool(self._level), NOWHERE))
            self._write(kind, pieces, tight=self._lists[0].group if self._lists else "")

    def block(self) -> Undo:
        """A block of its own."""
        self.flush()
        return self.flush

    def heading(self, level: int) -> Undo:
        """A heading of a level from 1 to 6."""
        self.flush()
        outer, self._level = self._level, level

        def end() -> None:
            self.flush()
            self._level = outer

        return end

    def rule(self, place: Place) -> None:
        """A line across the page."""
        self.flush()
        if not self._is_in_cell and self._code is None:
            self._write(RULE, [("---", place)])

    def contained(self, first: str, rest: str) -> Undo:
        """Blocks whose lines begin alike, the first of them in its own way; very deep ones are not moved further in."""
        self.flush()
        container = _Container(first, rest)
        is_kept = len(self._containers) < MAX_CONTAINERS
        if is_kept:
            self._containers.append(container)

        def end() -> None:
            self.flush()
            if is_kept:
                self._containers.pop()

        return end

    def listing(self, start: int | None) -> Undo:
        """A list, numbered from `start` or with dashes."""
        self.flush()
        self._groups += 1
        self._lists.append(_List(f"list {self._groups}", start))

        def end() -> None:
            self.flush()
            self._lists.pop()

        return end

    def item(self) -> Undo:
        """An item of the innermost list."""
        number = self._lists[-1].next_number if self._lists else None
        if number is not None:
            self._lists[-1].next_number = number + 1
        marker = "- " if number is None else f"{number}. "
        return self.contained(marker, " " * len(marker))

    def code(self, language: str) -> Undo:
        """Text whose blanks and lines count."""
        if self._code is not None:
            return lambda: None
        if self._is_in_cell:
            return self.block()
        self.flush()
        self._code = []

        def end() -> None:
            pieces, self._code = self._code or [], None
            self.write_code(pieces, language)

        return end

    def write_code(self, pieces: list[tuple[str, Place]], language: str) -> None:
        """A block of code between fences that no run of backticks in it can end."""
        body = "".join(text for text, _ in pieces)
        if not body.strip():
            return
        fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(body)), default=2))
        if body.startswith("\n"):
            pieces = [(pieces[0][0].removeprefix("\n"), pieces[0][1]), *pieces[1:]]
        ending = fence if body.endswith("\n") else f"\n{fence}"
        self._write(CODE, [(f"{fence}{language}\n", NOWHERE), *pieces, (ending, NOWHERE)])

    def table(self, facts: TableFacts) -> Undo:
        """A table: rows with pipes where it holds data, else only blocks."""
        self.flush()
        self._groups += 1
        self._tables.append(None if facts.is_layout else DataTable(facts, f"table {self._groups}"))

        def end() -> None:
            self.flush()
            self._tables.pop()

        return end

    def row(self) -> Undo:
        """A row of the innermost table."""
        table = self._tables[-1] if self._tables else None
        if table is None:
            return self.block()
        self.flush()

        def end() -> None:
            row = table.take_row()
            if row is not None:
                self._write(TABLE, [row], tight=table.group)

        return end

    def cell(self, spans: tuple[int, int]) -> Undo:
        """A cell of the innermost table, over that many columns and rows."""
        table = self._tables[-1] if self._tables else None
        if table is None or self._is_in_cell:
            return self.block()
        self.flush()
        outer, self.inline = self.inline, Inline()
        self._is_in_cell = True

        def end() -> None:
            table.add_cell(self.inline.take(), columns=spans[0], rows=spans[1])
            self.inline, self._is_in_cell = outer, False

        return end

    def _write(self, kind: str, pieces: list[tuple[str, Place]], *, tight: str = "") -> None:
        before = "".join(each.first for each in self._containers)
        for each in self._containers:
            each.first = each.rest
        rest = "\n" + "".join(each.rest for each in self._containers)
        self._writer.begin(kind, tight=tight)
        self._writer.write(before, NOWHERE)
        for text, place in pieces:
            self._writer.write(text.replace("\n", rest), place)
        self._writer.end()
