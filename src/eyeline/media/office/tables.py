"""Sheets as tables: letters of the columns above, numbers of the rows in front, used cells only.

A block of cells that is asked for is written in the same way, so that what stands in a reading and what is opened
name cells alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.errors import MediaError
from eyeline.media.markup_blocks import Place
from eyeline.media.office import script as kinds
from eyeline.media.office.grid import Book, Row, Sheet, place_of
from eyeline.media.office.package import Package
from eyeline.media.office.parts import drawn_text
from eyeline.media.office.script import Script, Section, rule_line, table_line
from eyeline.media.office.sheets import Workbook
from eyeline.media.office.trees import Tree, child, children
from eyeline.model.locator import cell_range, column_letters

MAX_TABLE_COLUMNS = 100
"""Columns of one sheet that stand in a reading."""

MAX_RANGE_COLUMNS = 256
"""Columns of one block of cells that is opened."""

DENSE_COLUMNS = 50
"""Up to so many columns of a block are written whether they are used or not."""

MAX_TABLE_CELLS = 500_000
LEAST_SHARE_CHARS = 2_000
SHOWN_MERGED = 50

Corner = tuple[int, int]
"""Row and column, from 1."""


@dataclass(slots=True)
class CellTable:
    """A block of cells as text. `next_row` and `next_column` say where it goes on; 0 for nowhere.

    `merged` are the ranges that touch it; `hidden` counts its characters in rows and columns that are not shown,
    `cut` its cells that are shown in part; `rows` counts its rows that hold something.
    """

    text: str = ""
    next_row: int = 0
    next_column: int = 0
    merged: list[str] = field(default_factory=list[str])
    hidden: int = 0
    cut: int = 0
    rows: int = 0
    uncached: int = 0


def read_sheets(book: Book, script: Script, *, package: Package) -> None:
    """Write down every sheet, each with a share of the room; one that cannot be read costs itself alone."""
    for number, sheet in enumerate(book.sheets, 1):
        section = script.section(kinds.SHEET, number, name=sheet.name)
        script.pictures.begin_place()
        left = script.writer.max_chars - script.writer.chars
        share = max(left // (len(book.sheets) - number + 1), LEAST_SHARE_CHARS)
        _sheet(book, sheet, script, section, share=share)
        if isinstance(book, Workbook) and sheet.part:
            _beside(package, sheet, script, number)
    script.counts["dde"] += book.dde
    script.counts["outside"] += book.outside
    script.counts["formulas_without_values"] += book.uncached


def write_cells(book: Book, at: int, *, first: Corner, last: Corner, max_chars: int) -> CellTable:
    """A block of cells of a sheet, as far as it fits, with where it goes on. Raises `CorruptMedia`."""
    sheet = book.sheets[at]
    last_column = min(last[1], first[1] + MAX_RANGE_COLUMNS - 1)
    rows: list[Row] = []
    chars = 0

    def take(row: Row) -> bool:
        nonlocal chars
        if row.number > last[0] or chars > max_chars:
            return False
        if row.number >= first[0]:
            cells = {column: text for column, text in row.cells.items() if first[1] <= column <= last_column}
            rows.append(Row(row.number, row.is_hidden, cells))
            chars += sum(map(len, cells.values())) + 4
        return True

    book.rows(sheet, take)
    is_dense = last_column - first[1] < DENSE_COLUMNS
    used = range(first[1], last_column + 1) if is_dense else sorted({column for row in rows for column in row.cells})
    table = _fitted(rows, list(used), max_chars)
    table.next_column = last_column + 1 if last_column < last[1] else 0
    table.merged = [each for each in sheet.merged if _touches(each, first, last)][:SHOWN_MERGED]
    written = [row for row in rows if not table.next_row or row.number < table.next_row]
    table.hidden = _hidden_chars(sheet, written)
    table.uncached = book.uncached
    return table


def _fitted(rows: list[Row], columns: list[int], max_chars: int) -> CellTable:
    """The rows that fit, the first of them in any case, with long cells cut where it alone would not."""
    table = CellTable()
    lines = [_head(columns)]
    chars = len(lines[0])
    most = max(max_chars // max(len(columns), 1) - 8, 16)
    for row in rows:
        texts = [row.cells.get(column, "") for column in columns]
        if not any(texts):
            continue
        line = table_line([str(row.number), *texts])
        if chars + len(line) > max_chars:
            if table.rows:
                table.next_row = row.number
                break
            table.cut += sum(len(text) > most for text in texts)
            line = table_line([str(row.number), *(text if len(text) <= most else f"{text[:most]}…" for text in texts)])
        lines.append(line)
        chars += len(line) + 1
        table.rows += 1
    table.text = "\n".join([*lines, ""]) if table.rows else ""
    return table


def _head(columns: list[int]) -> str:
    return f"{table_line(['', *map(column_letters, columns)])}\n{rule_line(len(columns) + 1)}"


def _touches(merged: str, first: Corner, last: Corner) -> bool:
    corners = [place_of(each) for each in merged.split(":")]
    if len(corners) != 2 or corners[0] is None or corners[1] is None:
        return False
    (top, left), (bottom, right) = corners[0], corners[1]
    return top <= last[0] and bottom >= first[0] and left <= last[1] and right >= first[1]


def _sheet(book: Book, sheet: Sheet, script: Script, section: Section, *, share: int) -> None:
    """The cells of one sheet, and in its section what lies beyond the bounds, is hidden, or is merged."""
    if sheet.is_hidden:
        script.say_hidden(section)
    script.heading(sheet.name, 1)
    rows: list[Row] = []
    chars = cells = 0
    beyond = 0

    def take(row: Row) -> bool:
        nonlocal chars, cells, beyond
        if chars > share or cells > MAX_TABLE_CELLS:
            beyond = row.number
            return False
        rows.append(row)
        chars += sum(map(len, row.cells.values())) + 4 * len(row.cells)
        cells += len(row.cells)
        return True

    try:
        book.rows(sheet, take)
    except MediaError:
        section.is_read = False
    section.is_read = section.is_read and not sheet.is_cut
    columns = sorted({column for row in rows for column in row.cells})
    kept, over = columns[:MAX_TABLE_COLUMNS], columns[MAX_TABLE_COLUMNS:]
    head = _head(kept)
    for row in rows:
        texts = [row.cells.get(column, "") for column in kept]
        if any(texts):
            line = table_line([str(row.number), *texts])
            place: Place = (row.number, row.number + 1)
            script.row(f"{head}\n{line}" if head else line, place, group=f"sheet {section.number}")
            head = ""
    if script.writer.is_full and not beyond:
        beyond = max(script.writer.stopped_at[0], 1)
    section.rest = beyond, over[0] if over else 0
    section.hidden = _hidden_chars(sheet, rows)
    section.facts = sheet.merged[:SHOWN_MERGED]


def _hidden_chars(sheet: Sheet, rows: list[Row]) -> int:
    return sum(
        len(text)
        for row in rows
        for column, text in row.cells.items()
        if sheet.is_hidden or row.is_hidden or sheet.hides(column)
    )


def _beside(package: Package, sheet: Sheet, script: Script, number: int) -> None:
    """Comments, pictures and charts of a sheet, each with its cell."""
    comments: list[str] = []
    for relation in list(package.relations(sheet.part).values()):
        if relation.is_external:
            continue
        if relation.kind in ("comments", "threadedComment"):
            tree = package.side_tree(relation.target)
            comments += [] if tree is None else _comments(tree)
        elif relation.kind == "drawing":
            tree = package.side_tree(relation.target)
            if tree is not None:
                _drawings(package, tree, script, relation.target, number=number)
    if comments:
        script.section(kinds.COMMENTS, number, name=sheet.name)
    for comment in dict.fromkeys(comments):
        script.paragraph(comment)


def _comments(tree: Tree) -> Iterator[str]:
    for each in tree.iter():
        if each.tag in ("s:comment", "tc:threadedComment"):
            text = "".join(part.text or "" for part in each.iter() if part.tag in ("s:t", "tc:text"))
            if place_of(each.get("ref", "")) and text.strip():
                yield f"{each.get('ref', '')}: {text}"


def _drawings(package: Package, tree: Tree, script: Script, part: str, *, number: int) -> None:
    relations = package.relations(part)
    for anchor in tree:
        corner = child(anchor, "xdr:from")
        cell = _anchor(corner)
        alt = next((each.get("descr", "") for each in anchor.iter("xdr:cNvPr")), "")
        for blip in anchor.iter("a:blip"):
            relation = relations.get(blip.get("r:embed", ""))
            if relation is None or relation.is_external:
                is_lost = relation is None and "r:embed" in blip.attrib
                script.counts["unreadable_pictures" if is_lost else "outside"] += 1
                continue
            try:
                mark = script.picture(package.part(relation.target), alt, spot=[number, cell])
            except MediaError:
                script.counts["unreadable_pictures"] += 1
            else:
                script.paragraph(f"{cell}: {mark}" if mark else "")
        for told in drawn_text(anchor, relations, package=package, script=script):
            script.paragraph(f"{cell}: {told}")


def _anchor(corner: Tree | None) -> str:
    texts = [next(children(corner, name), None) for name in ("xdr:row", "xdr:col")]
    row, column = (each.text or "" if each is not None else "" for each in texts)
    if not (row.isascii() and row.isdigit() and column.isascii() and column.isdigit() and len(row + column) < 14):
        return "A1"
    return cell_range((int(row) + 1, int(column) + 1), (int(row) + 1, int(column) + 1))
