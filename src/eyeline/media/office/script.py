"""What an office document says, as its reader writes it down: sections of blocks, tables, pictures, and what is hidden.

Readers write; what becomes of it is told in `media.office.engine`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from eyeline.media.markup_blocks import NOWHERE, BlockWriter, Place
from eyeline.media.markup_inline import read_url
from eyeline.media.markup_layout import HEADING, ITEM, PARAGRAPH, TABLE
from eyeline.media.markup_pictures import Pictures

TEXT, HIDDEN, NOTES, COMMENTS, MARGINS = "text", "hidden", "notes", "comments", "margins"
SLIDE, SPEAKER, SHEET = "slide", "speaker", "sheet"
"""Kinds of sections."""

_LABELS = {
    HIDDEN: "[hidden text]",
    NOTES: "[notes]",
    COMMENTS: "[comments]",
    MARGINS: "[headers and footers]",
    SPEAKER: "[speaker notes]",
}
"""What stands before such a section in the text itself, so that it is told apart wherever the text goes."""

MAX_COLUMNS = 64
MAX_PICTURES, MAX_PICTURE_TOTAL = 400, 64 << 20
MAX_INDENT = 8

_BLANKS = re.compile("[ \t\r\f\v\u00a0]+")


@dataclass(slots=True)
class Section:
    """A part of a document: its kind, its number where it has one, the name of a sheet, and how it went.

    `hidden` counts its characters that are not shown where the document is opened; `is_read` is false where it could
    not be read, `rest` is what lies beyond the bound (rows from, columns from; 0 for none).
    """

    kind: str
    number: int = 0
    name: str = ""
    hidden: int = 0
    is_hidden: bool = False
    is_read: bool = True
    rest: tuple[int, int] = (0, 0)
    facts: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Script:
    """The writing of one document. `counts` tells what was left out, by what it is called in a warning."""

    writer: BlockWriter
    pictures: Pictures
    sections: list[Section] = field(default_factory=list[Section])
    counts: Counter[str] = field(default_factory=Counter[str])
    spots: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    hidden: list[str] = field(default_factory=list[str])
    _groups: int = 0

    def section(self, kind: str, number: int = 0, *, name: str = "") -> Section:
        """Begin a section."""
        self.writer.section()
        self.sections.append(Section(kind, number, name))
        if kind in _LABELS:
            self.writer.block(PARAGRAPH, _LABELS[kind], NOWHERE)
        return self.sections[-1]

    def paragraph(self, text: str, *, place: Place = NOWHERE) -> None:
        """A paragraph; line breaks stay, other blanks fold."""
        self._block(PARAGRAPH, folded(text), place)

    def say_hidden(self, section: Section) -> None:
        """Say in the text itself that a slide or sheet is hidden."""
        section.is_hidden = True
        self.writer.block(PARAGRAPH, f"[hidden {section.kind}]", NOWHERE)

    def heading(self, text: str, level: int, *, place: Place = NOWHERE) -> None:
        """A heading of a level from 1 to 6."""
        line = folded(text).replace("\n", " ")
        if line:
            self._block(HEADING, f"{'#' * max(1, min(level, 6))} {line}", place)

    def item(self, text: str, *, marker: str = "-", depth: int = 0, group: str = "list") -> None:
        """An item of a list, moved in by its depth."""
        before = "  " * min(depth, MAX_INDENT)
        body = folded(text).replace("\n", f"\n{before}{' ' * (len(marker) + 1)}")
        if body:
            self._block(ITEM, f"{before}{marker} {body}", NOWHERE, tight=group)

    def table(self, rows: list[list[str]]) -> None:
        """A table as rows with pipes; one of a single column is only its paragraphs."""
        rows = [row for row in rows if any(cell.strip() for cell in row)]
        columns = min(max((len(row) for row in rows), default=0), MAX_COLUMNS)
        if columns < 2:
            for row in rows:
                self.paragraph(row[0])
            return
        self.counts["cut"] += sum(len(row) > columns for row in rows)
        self._groups += 1
        for number, row in enumerate(rows):
            line = table_line([*row[:columns], *[""] * (columns - len(row))])
            self._block(TABLE, line if number else f"{line}\n{rule_line(columns)}", NOWHERE, tight=f"t{self._groups}")

    def row(self, line: str, place: Place, *, group: str) -> None:
        """A row of a table that is written row by row."""
        self._block(TABLE, line, place, tight=group)

    def picture(self, data: bytes, alt: str, *, spot: list[Any]) -> str:
        """Keep a picture of the document and give the mark that stands for it; `spot` says where it is."""
        path = self.pictures.keep_bytes(data, (self.writer.chars, self.writer.chars + 1))
        if path is None:
            return f"[picture: {_plain(alt)}]" if alt else ""
        self.spots.setdefault(path, spot)
        return f"![{_plain(alt)}]({path})"

    def hide(self, text: str) -> None:
        """Put aside text that is not shown."""
        if text.strip():
            self.hidden.append(folded(text))

    def end(self) -> None:
        """Write down at the end, apart, what was put aside."""
        if self.hidden:
            section = self.section(HIDDEN)
            for text in self.hidden:
                self.paragraph(text)
            section.hidden = sum(map(len, self.hidden))

    def _block(self, kind: str, text: str, place: Place, *, tight: str = "") -> None:
        if text.strip():
            self.writer.block(kind, text, place, tight=tight)


def folded(text: str) -> str:
    """Text with its blanks folded and none at the ends of lines."""
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(lines).strip("\n")


def table_line(cells: list[str]) -> str:
    """A row with pipes: each cell on one line, pipes escaped."""
    texts = (folded(cell).replace("\n", " ").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(texts)} |"


def rule_line(columns: int) -> str:
    """The line below the first row of a table."""
    return f"|{' --- |' * columns}"


def link(text: str, url: str) -> str:
    """Text with the address that it leads to, where it leads outside."""
    address = read_url(url)
    bare = text.strip()
    return f"[{bare}]({address})" if address and bare and address.strip("<>") != bare else text


def _plain(alt: str) -> str:
    return folded(alt).replace("\n", " ").replace("]", ")").replace("[", "(")[:200]
