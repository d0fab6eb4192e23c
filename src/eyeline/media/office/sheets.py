"""Workbooks (OOXML): the used cells of each sheet as they are shown, row by row, however large a sheet is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.errors import CorruptMedia, MediaTooLarge
from eyeline.media.office.grid import MAX_COLUMNS, MAX_ROWS, OnRow, Row, Sheet, place_of
from eyeline.media.office.numbers import BUILT_IN, GENERAL, format_number
from eyeline.media.office.package import Package, Relation
from eyeline.media.office.trees import Tree, child, children, parse_events

MAX_STRINGS_CHARS = 64 << 20
MAX_MERGED = 1000
MAX_CELL_CHARS = 32_767
READ_ON_BYTES = 8 << 20


_LOST = "?"
"""Where a sheet is kept that the workbook lists and does not lead to: a part that is not there."""


class _Stop(Exception):
    """Ends the reading of a part from inside it."""


@dataclass(slots=True)
class Workbook:
    """The sheets of a workbook in order, and how their cells are shown."""

    package: Package
    sheets: list[Sheet]
    relations: dict[str, Relation]
    from_1904: bool
    uncached: int = 0
    dde: int = 0
    outside: int = 0
    _strings: list[str] | None = None
    _formats: list[str] = field(default_factory=list[str])

    def rows(self, sheet: Sheet, on_row: OnRow, *, strings: bool = True) -> None:
        """Give each row that has used cells. `strings`: texts that cells share are wanted.

        Raises `CorruptMedia` where the sheet cannot be read to where it was wanted. What stands behind the last wanted
        row (which cells are merged) is read, too, where the sheet is not large.
        """
        if strings and self._strings is None:
            self._strings = self._shared_strings()
            self._formats = self._number_formats()
        if not sheet.part:
            return
        goes_on = self.package.size_of(sheet.part) <= READ_ON_BYTES
        reading = _SheetReading(self, sheet, on_row, wants_text=strings, goes_on=goes_on)
        try:
            parse_events(self.package.pieces(sheet.part), start=reading.start, end=reading.end, text=reading.text)
        except _Stop:
            return

    def shown(self, text: str, *, kind: str, style: str) -> str:
        """A cell's value as it is shown, by its kind and style."""
        if kind == "s":
            return self.shared(text) or ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        if kind in ("str", "inlineStr", "e", "d"):
            return text
        at = int(style) if style.isascii() and style.isdigit() and len(style) < 6 else 0
        code = self._formats[at] if at < len(self._formats) else GENERAL
        return format_number(text, code, from_1904=self.from_1904)

    def shared(self, text: str) -> str | None:
        """A text that cells share, by its number; none where it is not there."""
        strings = self._strings or []
        return strings[int(text)] if text.isascii() and text.isdigit() and int(text) < len(strings) else None

    def _part(self, kind: str) -> str | None:
        relations = (each for each in self.relations.values() if each.kind == kind and not each.is_external)
        return next((each.target for each in relations), None)

    def _shared_strings(self) -> list[str]:
        name = self._part("sharedStrings")
        if name is None:
            return []
        reading = _Strings()
        try:
            parse_events(self.package.pieces(name), start=reading.start, end=reading.end, text=reading.text)
        except (CorruptMedia, MediaTooLarge):
            self.package.lost.add(name)
        return reading.found

    def _number_formats(self) -> list[str]:
        """The format of each cell style; all general where the styles cannot be read."""
        name = self._part("styles")
        tree = None if name is None else self.package.side_tree(name)
        own = {each.get("numFmtId", ""): each.get("formatCode", GENERAL) for each in _listed(tree, "numFmts", "numFmt")}
        ids = [each.get("numFmtId", "0") for each in _listed(tree, "cellXfs", "xf")]
        return [own.get(each) or BUILT_IN.get(int(each) if each.isdigit() else 0, GENERAL) for each in ids]


def workbook_of(package: Package) -> Workbook:
    """The workbook of a package. Raises `CorruptMedia` where its main part cannot be read."""
    main = package.main_part()
    tree, relations = package.tree(main), package.relations(main)
    if tree.tag != "s:workbook":
        raise CorruptMedia("the main part is no workbook")
    look = child(tree, "s:workbookPr")
    sheets: list[Sheet] = []
    for each in _listed(tree, "sheets", "sheet"):
        relation = relations.get(each.get("r:id", ""))
        is_sheet = relation is not None and relation.kind == "worksheet" and not relation.is_external
        part = _LOST if relation is None else relation.target if is_sheet else ""
        sheets.append(Sheet(each.get("name", ""), part, each.get("state", "visible") != "visible"))
    return Workbook(package, sheets, relations, look is not None and look.get("date1904") in ("1", "true"))


def _listed(tree: Tree | None, listing: str, name: str) -> Iterator[Tree]:
    return children(child(tree, f"s:{listing}"), f"s:{name}")


@dataclass(slots=True)
class _Strings:
    """Collects the texts that cells share; how they are to be spoken is left out."""

    found: list[str] = field(default_factory=list[str])
    _parts: list[str] = field(default_factory=list[str])
    _is_text: bool = False
    _is_spoken: bool = False
    _chars: int = 0

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        if name == "s:t":
            self._is_text = not self._is_spoken
        elif name == "s:rPh":
            self._is_spoken = True

    def end(self, name: str) -> None:
        if name == "s:t":
            self._is_text = False
        elif name == "s:rPh":
            self._is_spoken = False
        elif name == "s:si":
            self.found.append("".join(self._parts)[:MAX_CELL_CHARS])
            self._parts.clear()

    def text(self, text: str) -> None:
        if self._is_text and self._chars < MAX_STRINGS_CHARS:
            self._chars += len(text)
            self._parts.append(text)


class _SheetReading:
    """The state of reading one sheet."""

    def __init__(self, book: Workbook, sheet: Sheet, on_row: OnRow, *, wants_text: bool, goes_on: bool) -> None:
        self._book, self._sheet, self._on_row = book, sheet, on_row
        self._wants_text, self._goes_on, self._is_over = wants_text, goes_on, False
        self._row = Row(0, is_hidden=False, cells={})
        self._column = 0
        self._kind = self._style = ""
        self._value: list[str] = []
        self._formula: list[str] | None = None
        self._into: list[str] | None = None
        self._is_spoken = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._is_over and name in ("s:c", "s:row", "s:v", "s:t", "s:f"):
            return
        if name == "s:c":
            self._cell(attributes)
        elif name == "s:row":
            number = attributes.get("r", "")
            known = int(number) if number.isascii() and number.isdigit() and len(number) < 8 else self._row.number + 1
            if not 0 < known <= MAX_ROWS:
                raise CorruptMedia("a row of a sheet has a number that no row has")
            self._row = Row(known, attributes.get("hidden") in ("1", "true"), {})
            self._column = 0
        elif name == "s:v" or (name == "s:t" and not self._is_spoken):
            self._into = self._value
        elif name == "s:f":
            self._formula = self._into = []
        elif name == "s:rPh":
            self._is_spoken = True
        elif name == "s:mergeCell" and len(self._sheet.merged) < MAX_MERGED:
            corners = attributes.get("ref", "").split(":")
            if len(corners) == 2 and all(map(place_of, corners)):
                self._sheet.merged.append(":".join(corners))
        elif name == "s:col" and attributes.get("hidden") in ("1", "true"):
            first, last = attributes.get("min", ""), attributes.get("max", "")
            if first.isdigit() and last.isdigit():
                self._sheet.hidden_columns.append((int(first), int(last)))

    def end(self, name: str) -> None:
        if self._is_over:
            return
        if name in ("s:v", "s:f", "s:t"):
            self._into = None
        elif name == "s:rPh":
            self._is_spoken = False
        elif name == "s:c":
            self._finish_cell()
        elif name == "s:row" and self._row.cells and not self._on_row(self._row):
            self._is_over = True
            if not self._goes_on:
                raise _Stop

    def text(self, text: str) -> None:
        if self._into is not None:
            self._into.append(text)

    def _cell(self, attributes: dict[str, str]) -> None:
        place = place_of(attributes["r"]) if "r" in attributes else None
        self._column = self._column + 1 if place is None else place[1]
        if self._column > MAX_COLUMNS:
            raise CorruptMedia("a cell of a sheet has a column that no cell has")
        self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
        self._value, self._formula = [], None

    def _finish_cell(self) -> None:
        text = "".join(self._value)
        formula = self._formula
        if formula is not None and self._wants_text:
            written = "".join(formula)
            self._book.dde += "|" in written and "!" in written
            if not text:
                self._book.uncached += 1
                text, self._kind = f"={written or '(shared formula)'}", "str"
        if self._kind == "s" and text and self._wants_text and self._book.shared(text) is None:
            self._sheet.is_cut = True
        if text or formula is not None:
            shown = self._book.shown(text, kind=self._kind, style=self._style) if self._wants_text else "."
            if shown:
                self._row.cells[self._column] = shown[:MAX_CELL_CHARS]
