"""OpenDocument spreadsheets: the used cells as the document itself says they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import CorruptMedia
from eyeline.media.office.grid import MAX_COLUMNS, MAX_ROWS, OnRow, Row, Sheet
from eyeline.media.office.odf import CONTENT, LINKING, check_open, leads_outside
from eyeline.media.office.package import Package
from eyeline.media.office.sheets import MAX_CELL_CHARS, MAX_MERGED
from eyeline.media.office.trees import parse_events, short_attributes
from eyeline.model.locator import cell_range

MAX_CELLS = 2_000_000
MAX_REPEATED_ROWS, MAX_REPEATED_COLUMNS = 10_000, 1_000
"""How often a row or a cell that holds something is repeated; empty ones are only counted."""


@dataclass(slots=True)
class OdfBook:
    """The sheets of a document in order; their cells are read once, for all of them."""

    sheets: list[Sheet]
    uncached: int
    dde: int
    outside: int
    _rows: list[list[Row]]

    def rows(self, sheet: Sheet, on_row: OnRow, *, strings: bool = True) -> None:
        """Give each row that has used cells, until enough is known."""
        del strings
        at = next(number for number, each in enumerate(self.sheets) if each is sheet)
        for row in self._rows[at]:
            if not on_row(row):
                return


def odf_book(package: Package) -> OdfBook:
    """The book of a package. Raises `CorruptMedia` where it cannot be read."""
    check_open(package)
    reading = _Reading()
    parse_events(package.pieces(CONTENT), start=reading.start, end=reading.end, text=reading.text)
    if not reading.sheets:
        raise CorruptMedia("the document has no sheets")
    for sheet, look in zip(reading.sheets, reading.looks, strict=True):
        sheet.is_hidden = look in reading.hiding
    return OdfBook(reading.sheets, reading.uncached, reading.dde, reading.outside, reading.rows)


@dataclass(slots=True)
class _Reading:
    sheets: list[Sheet] = field(default_factory=list[Sheet])
    looks: list[str] = field(default_factory=list[str])
    rows: list[list[Row]] = field(default_factory=list[list[Row]])
    cells: int = 0
    uncached: int = 0
    dde: int = 0
    outside: int = 0
    hiding: set[str] = field(default_factory=set[str])
    _style: str = ""
    _row: Row = field(default_factory=lambda: Row(1, is_hidden=False, cells={}))
    _repeat_row: int = 1
    _column: int = 1
    _cell: dict[str, str] = field(default_factory=dict[str, str])
    _lines: list[str] = field(default_factory=list[str])
    _texts: int = 0
    _aside: int = 0
    _tables: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in LINKING:
            self.outside += leads_outside(short_attributes(attributes).get("xlink:href", ""))
        if self._aside or name in ("office:annotation", "table:shapes", "table:tracked-changes"):
            self._aside += 1
        elif name == "table:table":
            self._tables += 1
            if self._tables == 1:
                self._begin_sheet(short_attributes(attributes))
        elif self._tables != 1:
            if name.startswith("style:"):
                self._note_style(name, short_attributes(attributes))
        elif name == "table:table-row":
            self._begin_row(short_attributes(attributes))
        elif name in ("table:table-cell", "table:covered-table-cell"):
            self._cell, self._lines = short_attributes(attributes), []
        elif name == "text:p":
            self._texts += 1
            self._lines.append("")
        elif name == "text:s" and self._lines:
            self._lines[-1] += " "

    def end(self, name: str) -> None:
        if self._aside:
            self._aside -= 1
        elif name == "table:table":
            self._tables -= 1
        elif self._tables == 1 and name in ("table:table-cell", "table:covered-table-cell"):
            self._end_cell()
        elif self._tables == 1 and name == "table:table-row":
            self._end_row()
        elif self._tables == 1 and name == "text:p":
            self._texts -= 1

    def text(self, text: str) -> None:
        if self._texts and not self._aside and self._lines and len(self._lines[-1]) < MAX_CELL_CHARS:
            self._lines[-1] += text

    def _note_style(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style:style":
            self._style = attributes.get("style:name", "")
        elif attributes.get("table:display") == "false":
            self.hiding.add(self._style)

    def _begin_sheet(self, attributes: dict[str, str]) -> None:
        self.sheets.append(Sheet(attributes.get("table:name", ""), CONTENT))
        self.looks.append(attributes.get("table:style-name", ""))
        self.rows.append([])
        self._row = Row(0, is_hidden=False, cells={})
        self._repeat_row = 1

    def _begin_row(self, attributes: dict[str, str]) -> None:
        number = self._row.number + self._repeat_row
        is_hidden = attributes.get("table:visibility", "visible") != "visible"
        self._row, self._column = Row(number, is_hidden, {}), 1
        self._repeat_row = _times(attributes.get("table:number-rows-repeated"), MAX_ROWS)

    def _end_row(self) -> None:
        if not self._row.cells:
            return
        sheet = self.sheets[-1]
        sheet.is_cut = sheet.is_cut or self._repeat_row > MAX_REPEATED_ROWS
        for offset in range(min(self._repeat_row, MAX_REPEATED_ROWS)):
            number = self._row.number + offset
            self.cells += len(self._row.cells)
            if self.cells > MAX_CELLS:
                sheet.is_cut = True
                return
            if number <= MAX_ROWS:
                self.rows[-1].append(Row(number, self._row.is_hidden, self._row.cells))

    def _end_cell(self) -> None:
        attributes, text = self._cell, "\n".join(self._lines)[:MAX_CELL_CHARS]
        times = _times(attributes.get("table:number-columns-repeated"), MAX_COLUMNS)
        formula = attributes.get("table:formula", "")
        self.dde += "dde(" in formula.lower()
        if formula and not text and "office:value-type" not in attributes:
            self.uncached += 1
            text = "=" + formula.partition(":=")[2] if ":=" in formula else formula
        if text:
            last = min(self._column + min(times, MAX_REPEATED_COLUMNS), MAX_COLUMNS + 1)
            self._row.cells |= dict.fromkeys(range(self._column, last), text)
            self.sheets[-1].is_cut = self.sheets[-1].is_cut or times > MAX_REPEATED_COLUMNS
            self._merge(attributes)
        self._column += times
        self._lines = []

    def _merge(self, attributes: dict[str, str]) -> None:
        columns = _times(attributes.get("table:number-columns-spanned"), MAX_COLUMNS)
        rows = _times(attributes.get("table:number-rows-spanned"), MAX_ROWS)
        if (columns > 1 or rows > 1) and len(self.sheets[-1].merged) < MAX_MERGED:
            corner = self._row.number, self._column
            last = self._row.number + rows - 1, self._column + columns - 1
            self.sheets[-1].merged.append(cell_range(corner, last))


def _times(text: str | None, most: int) -> int:
    return min(max(int(text), 1), most) if text and text.isascii() and text.isdigit() and len(text) < 9 else 1
