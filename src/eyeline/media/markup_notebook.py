"""Notebooks as readable blocks: cells and their outputs, one section for each cell, places in the JSON source.

Markdown cells stand as they are written, code and printed output between fences, tables as tables. Pictures in outputs
and attachments are kept. What only a running notebook could show is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import unquote

from eyeline.errors import CorruptMedia
from eyeline.media.markup_blocks import NOWHERE, BlockWriter, Place, united
from eyeline.media.markup_html import read_html
from eyeline.media.markup_json import elements, members
from eyeline.media.markup_layout import PARAGRAPH, Layout
from eyeline.media.markup_pictures import DATA_URI, Pictures

MAX_CELLS = 5000
MAX_OUTPUT_CHARS = 20_000
MAX_HTML_CHARS = 400_000
KINDS = ("markdown", "code", "raw", "heading")

Pieces = list[tuple[str, Place]]
Found = dict[str, tuple[Any, Place]]

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "png", "jpeg")
_VECTORS = ("image/svg+xml", "svg")
_TEXTS = ("text/markdown", "text/latex", "text/plain", "latex", "text")
_PAGES = ("text/html", "html")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#]{1,20}")
_ATTACHMENT = re.compile(r"attachment:([^)\s\"'>]{1,200})")


@dataclass(slots=True)
class NotebookFacts:
    """What reading came to.

    `cells` are kinds of the cells read, in order; `total` counts all. `end` is where the source was left. `unseen`
    counts characters that HTML outputs hold and do not show; `cut` outputs were too long to give whole.
    """

    cells: list[str] = field(default_factory=list[str])
    total: int = 0
    end: int = 0
    unseen: Counter[str] = field(default_factory=Counter[str])
    outside: int = 0
    cut: int = 0


def read_notebook(text: str, *, writer: BlockWriter, pictures: Pictures) -> NotebookFacts:
    """Write the cells, until the end or until the writer is full. Raises `CorruptMedia` for what is no notebook."""
    top = _found(text, 0)
    cells = list(_cells(text, top))
    if "cells" not in top and "worksheets" not in top:
        raise CorruptMedia("the JSON is no notebook: it has no cells")
    book = _Book(text, writer=writer, pictures=pictures, language=_language(top))
    book.facts.total, book.facts.end = len(cells), len(text)
    for place in cells:
        if writer.is_full or len(book.facts.cells) >= MAX_CELLS:
            book.facts.end = writer.stopped_at[0] if writer.is_full else place[0]
            break
        book.cell(_found(text, place[0]))
    else:
        book.facts.end = writer.stopped_at[0] if writer.is_full else len(text)
    return book.facts


def _found(text: str, at: int) -> Found:
    return {name: (value, place) for name, value, place in members(text, at)}


def _cells(text: str, top: Found) -> Iterator[Place]:
    """Places of the cells; older notebooks hold them in worksheets."""
    if "cells" in top:
        yield from (place for _, place in elements(text, top["cells"][1][0]))
    elif "worksheets" in top:
        for _, sheet in elements(text, top["worksheets"][1][0]):
            yield from _cells(text, _found(text, sheet[0]))


def _language(top: Found) -> str:
    metadata = _dict(top.get("metadata", (None,))[0])
    names = (_dict(metadata.get("language_info")).get("name"), _dict(metadata.get("kernelspec")).get("language"))
    named = next((str(name) for name in names if name), "")
    return named.lower() if _LANGUAGE.fullmatch(named) else ""


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


class _Book:
    def __init__(self, text: str, *, writer: BlockWriter, pictures: Pictures, language: str) -> None:
        self.facts = NotebookFacts()
        self._text, self._writer, self._pictures, self._language = text, writer, pictures, language

    def cell(self, cell: Found) -> None:
        """Write one cell as a section."""
        kind = str(cell.get("cell_type", ("",))[0])
        self.facts.cells.append(kind if kind in KINDS else "other")
        self._writer.section()
        pieces = self._pieces(cell.get("source") or cell.get("input"))
        if kind == "code":
            Layout(self._writer).write_code(pieces, self._language)
        else:
            attached = _dict(cell.get("attachments", (None,))[0])
            self._markdown(pieces, attached, level="# " if kind == "heading" else "")
        for _, place in elements(self._text, cell["outputs"][1][0]) if "outputs" in cell else ():
            self._output(_found(self._text, place[0]), place)

    def _pieces(self, found: tuple[Any, Place] | None) -> Pieces:
        """Text as notebooks hold it: one string, or a list of lines; each with its place."""
        if found is None:
            return []
        value, place = found
        if isinstance(value, str):
            return [(value, place)]
        return [(line, where) for line, where in elements(self._text, place[0]) if isinstance(line, str)]

    def _markdown(self, pieces: Pieces, attached: dict[str, Any], *, level: str = "") -> None:
        self._writer.begin(PARAGRAPH)
        pieces = pieces if pieces and not pieces[-1][0].isspace() else pieces[:-1]
        self._writer.write(level, NOWHERE)
        for number, (text, place) in enumerate(pieces):
            shown = self._without_pictures(text, place, attached)
            self._writer.write(shown.rstrip("\n") if number == len(pieces) - 1 else shown, place)
        self._writer.end()

    def _without_pictures(self, text: str, place: Place, attached: dict[str, Any]) -> str:
        """Text whose embedded pictures are named by their paths."""
        if "data:image/" in text:
            text = DATA_URI.sub(lambda uri: self._pictures.take_uri(uri[0], place) or "data:", text)
        if attached and "attachment:" in text:
            text = _ATTACHMENT.sub(lambda name: self._attachment(name, place, attached), text)
        return text

    def _attachment(self, name: re.Match[str], place: Place, attached: dict[str, Any]) -> str:
        bundle = _dict(attached.get(unquote(name[1])) or attached.get(name[1]))
        encoded = next((bundle[kind] for kind in _PICTURES if isinstance(bundle.get(kind), str)), None)
        return (encoded and self._pictures.take_base64(encoded, place)) or name[0]

    def _output(self, output: Found, place: Place) -> None:
        bundle = _found(self._text, output["data"][1][0]) if "data" in output else output
        if "traceback" in output:
            lines = self._pieces(output["traceback"])
            self._printed([(line.rstrip("\n") + "\n", where) for line, where in lines])
            return
        for kind in _VECTORS:
            if kind in bundle:
                self._pictures.found += 1
                self._pictures.left_out += 1
        for kind in _PICTURES:
            if kind in bundle:
                self._picture(self._pieces(bundle[kind]), place)
                return
        page = next((bundle[kind] for kind in _PAGES if kind in bundle), None)
        text = next((bundle[kind] for kind in _TEXTS if kind in bundle), None)
        html = "".join(line for line, _ in self._pieces(page))
        if page is not None and html and (text is None or "<table" in html):
            self._page(html, page[1])
        elif text is not None and "text/markdown" in bundle:
            self._markdown(self._bounded(self._pieces(text)), {})
        else:
            self._printed(self._pieces(text))

    def _picture(self, pieces: Pieces, place: Place) -> None:
        place = united([where for _, where in pieces] or [place])
        path = self._pictures.take_base64("".join(line for line, _ in pieces), place)
        self._writer.block(PARAGRAPH, f"![]({path})" if path else "![]", place)

    def _page(self, html: str, place: Place) -> None:
        self.facts.cut += len(html) > MAX_HTML_CHARS
        self._writer.fixed = self._pictures.fixed = place
        found = read_html(html[:MAX_HTML_CHARS], writer=self._writer, pictures=self._pictures)
        self._writer.fixed = self._pictures.fixed = None
        self.facts.unseen.update(found.unseen)
        self.facts.outside += found.outside

    def _printed(self, pieces: Pieces) -> None:
        lines = [(_overprinted(line), place) for line, place in self._bounded(pieces)]
        Layout(self._writer).write_code(lines, "output")

    def _bounded(self, pieces: Pieces) -> Pieces:
        """As much of an output as one may take, so that it leaves room for the cells after it."""
        room, kept = MAX_OUTPUT_CHARS, list[tuple[str, Place]]()
        for text, place in pieces:
            if room > 0:
                kept.append((text[:room], place))
            room -= len(text)
        self.facts.cut += room < 0
        return [*kept, ("…\n", kept[-1][1])] if room < 0 else kept


def _overprinted(text: str) -> str:
    """What is left to see where carriage returns write over a line, as progress bars do."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
