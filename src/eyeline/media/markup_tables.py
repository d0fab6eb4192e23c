"""Tables of a page: which of them hold data, and their rows as lines with pipes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from eyeline.media.markup_blocks import NOWHERE, Place, united
from eyeline.media.markup_scan import Token, attributes_of
from eyeline.media.markup_tree import ENTER, LEAVE, Event

MAX_COLUMNS = 64
MAX_SPAN_ROWS = 1000
_NOT_IN_CELLS = frozenset("h1 h2 h3 h4 h5 h6 pre hr listing xmp article section main".split())


@dataclass(slots=True)
class TableFacts:
    """Whether a table only lays out a page, how many columns its widest row has, and those of the row last begun."""

    is_layout: bool = False
    columns: int = 0
    columns_now: int = 0


def table_facts(events: Iterable[Event], text: str, tokens: list[Token]) -> list[TableFacts]:
    """The facts of every table, in the order they begin.

    A table that holds a table, a heading or preformatted text, or has one column, lays out the page.
    """
    found: list[TableFacts] = []
    open_tables: list[TableFacts] = []
    for kind, name, number in events:
        table = open_tables[-1] if open_tables else None
        if kind == ENTER and name == "table":
            if table is not None:
                table.is_layout = True
            is_presented = attributes(text, tokens, number, "role").get("role") in ("presentation", "none")
            open_tables.append(TableFacts(is_layout=is_presented))
            found.append(open_tables[-1])
        elif table is None:
            continue
        elif kind == LEAVE and name == "table":
            open_tables.pop()
            table.is_layout = table.is_layout or table.columns < 2
        elif kind == ENTER and name == "tr":
            table.columns_now = 0
        elif kind == ENTER and name in ("td", "th"):
            table.columns_now += spans(attributes(text, tokens, number, "span"))[0]
            table.columns = min(max(table.columns, table.columns_now), MAX_COLUMNS)
        elif kind == ENTER and name in _NOT_IN_CELLS:
            table.is_layout = True
    return found


def attributes(text: str, tokens: list[Token], number: int, word: str) -> dict[str, str]:
    """The attributes of a token whose tag holds a word; none are read where it does not."""
    if number < 0 or text.find(word, tokens[number].start, tokens[number].end) < 0:
        return {}
    return attributes_of(text, tokens[number])


def spans(attributes: dict[str, str]) -> tuple[int, int]:
    """Columns and rows that a cell covers, each at least one and bounded."""
    if not attributes:
        return 1, 1
    columns, rows = (attributes.get(name, "").strip() for name in ("colspan", "rowspan"))
    return _number(columns, MAX_COLUMNS), _number(rows, MAX_SPAN_ROWS)


def _number(text: str, most: int) -> int:
    return min(max(int(text), 1), most) if text.isascii() and text.isdigit() and len(text) < 10 else 1


@dataclass(slots=True)
class DataTable:
    """Rows of a data table as they are met: cells that reach down leave blanks in the rows below."""

    facts: TableFacts
    group: str
    has_rows: bool = False
    _cells: list[str] = field(default_factory=list[str])
    _places: list[Place] = field(default_factory=list[Place])
    _below: dict[int, int] = field(default_factory=dict[int, int])

    def add_cell(self, pieces: list[tuple[str, Place]], *, columns: int, rows: int) -> None:
        """Add a cell: its text on one line, pipes escaped."""
        self._skip_covered()
        columns = max(1, min(columns, MAX_COLUMNS - len(self._cells)))
        text = "".join(piece for piece, _ in pieces).replace("\n", " ").replace("|", "\\|")
        if rows > 1:
            self._below.update({len(self._cells) + column: rows for column in range(columns)})
        self._cells += [text, *[""] * (columns - 1)]
        self._places += [place for _, place in pieces]

    def take_row(self) -> tuple[str, Place] | None:
        """The row as a line, with the delimiter row after the first; none where no cell has text."""
        self._skip_covered()
        cells, place = self._cells, united(self._places)
        self._cells, self._places = [], []
        self._below = {column: rows - 1 for column, rows in self._below.items() if rows > 1}
        if not any(cells):
            return None
        cells += [""] * (self.facts.columns - len(cells))
        line = f"| {' | '.join(cells)} |"
        if not self.has_rows:
            self.has_rows = True
            line += f"\n|{' --- |' * len(cells)}"
        return line, place

    def _skip_covered(self) -> None:
        while self._below.get(len(self._cells), 0) > 0:
            self._below[len(self._cells)] -= 1
            self._cells.append("")
            self._places.append(NOWHERE)
