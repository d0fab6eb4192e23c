"""Cells of a workbook: their names, the rows a reader gives, and how far they are used."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
MAX_COLUMNS, MAX_ROWS = 16_384, 1_048_576


@dataclass(slots=True)
class Sheet:
    """A sheet: its name as the document spells it, where it is kept, and whether it is hidden.

    Reading it fills in `merged` ranges, hidden columns, and whether cells were left out because there are too many.
    """

    name: str
    part: str
    is_hidden: bool = False
    merged: list[str] = field(default_factory=list[str])
    hidden_columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    is_cut: bool = False

    def hides(self, column: int) -> bool:
        """Whether a column is hidden."""
        return any(first <= column <= last for first, last in self.hidden_columns)


@dataclass(slots=True)
class Row:
    """A row with its used cells by column; rows and columns count from 1."""

    number: int
    is_hidden: bool
    cells: dict[int, str]


OnRow = Callable[[Row], bool]
"""Takes a row with used cells; false ends the reading of the sheet."""


class Book(Protocol):
    """What the readers of workbooks give."""

    sheets: list[Sheet]

    @property
    def uncached(self) -> int:
        """Formulas without a value that were met."""
        ...

    @property
    def dde(self) -> int:
        """Formulas that ask another program that were met."""
        ...

    @property
    def outside(self) -> int:
        """What of the cells is taken from elsewhere, as far as the reader of a workbook counts it."""
        ...

    def rows(self, sheet: Sheet, on_row: OnRow, *, strings: bool = True) -> None:
        """Give each row of a sheet that has used cells, until enough is known."""
        ...


@dataclass(slots=True)
class Extent:
    """How far cells are used."""

    rows: int = 0
    columns: int = 0

    def add(self, row: Row) -> bool:
        """Take a row into account."""
        self.rows = max(self.rows, row.number)
        self.columns = max(self.columns, *row.cells)
        return True


def number_of(text: str) -> int:
    """1 for `A`, 27 for `AA`."""
    number = 0
    for each in text.upper():
        number = number * 26 + ord(each) - 64
    return number


def place_of(reference: str) -> tuple[int, int] | None:
    """Row and column of a cell's name; none for what is no name."""
    match = CELL.fullmatch(reference)
    return None if match is None else (int(match[2]), number_of(match[1]))
