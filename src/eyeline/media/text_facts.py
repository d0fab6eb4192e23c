"""Facts about structured text: whether JSON parses, and which delimiter and how many columns a table of values has."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from eyeline.media.text_decode import pieces

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

MAX_PARSED_CHARS = 8 << 20
SAMPLE_CHARS = 64 << 10
SAMPLE_ROWS = 100
_JSON = frozenset(("application/json", "application/x-ipynb+json"))
_TABLES = frozenset(("text/csv", "text/tab-separated-values"))
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def facts_of(reader: Reader, encoding: str, *, media_type: str, chars: int) -> list[str]:
    """Notes on the structure that a media type promises.

    `json_not_parsed`, `json_not_checked` (longer than 8 Mi characters), `delimiter_comma` (or `_semicolon`, `_tab`,
    `_bar`) and `columns_<n>`.
    """
    if media_type in _JSON or media_type == "application/x-ndjson":
        if chars > MAX_PARSED_CHARS:
            return ["json_not_checked"]
        text = "".join(pieces(reader, encoding))
        documents = [text] if media_type in _JSON else [line for line in text.split("\n") if line.strip()]
        return [] if all(map(_parses, documents)) else ["json_not_parsed"]
    if media_type in _TABLES:
        return _table_facts(_sample(pieces(reader, encoding)))
    return []


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        # Too deep to parse is no fault of the text: it is told like any other that does not parse.
        return False
    return True


def _sample(parts: Iterator[str]) -> str:
    text = next(parts, "")
    if len(text) <= SAMPLE_CHARS:
        return text
    return text[:SAMPLE_CHARS].rpartition("\n")[0]


def _table_facts(text: str) -> list[str]:
    """The delimiter that gives most rows the same number of columns, above one."""
    best, columns, share = "", 0, 0
    for delimiter in _DELIMITERS:
        try:
            rows = csv.reader(text.split("\n")[:SAMPLE_ROWS], delimiter=delimiter)
            widths = Counter(len(row) for row in rows if row)
        except csv.Error:
            # A field without end fits no table with this delimiter.
            continue
        width, count = max(widths.items(), key=lambda item: item[1], default=(0, 0))
        if width > 1 and count > share:
            best, columns, share = delimiter, width, count
    return [f"delimiter_{_DELIMITERS[best]}", f"columns_{columns}"] if best else []
