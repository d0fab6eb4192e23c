"""The search index as FTS5 tables. Words come cut and folded, so the tokenizer only splits at spaces."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, column, delete, func, insert, literal_column, table

from eyeline.catalog.database import Indexed, Question
from eyeline.catalog.folding import IndexForm
from eyeline.catalog.query import Term
from eyeline.catalog.rows import columns

CREATE_1 = tuple(
    f"CREATE VIRTUAL TABLE {name} USING fts5(words, symbols, tokenize = 'ascii')"
    for name in ("passage_index", "title_index")
)
"""What revision `r0001` creates."""

OPTIMISE = (
    "INSERT INTO passage_index (passage_index) VALUES ('optimize')",
    "INSERT INTO title_index (title_index) VALUES ('optimize')",
)
"""Merges an index into one piece, so that what was taken out is not in the file any more."""

VERIFY = (
    "INSERT INTO passage_index (passage_index) VALUES ('integrity-check')",
    "INSERT INTO title_index (title_index) VALUES ('integrity-check')",
)
"""Compares an index with the texts it was made from; fails where they differ."""

_TABLES = {
    Indexed.PASSAGES: table("passage_index", column("rowid"), column("words"), column("symbols")),
    Indexed.TITLES: table("title_index", column("rowid"), column("words"), column("symbols")),
}


class SqliteIndex:
    """Words rank, symbols only narrow."""

    def add(self, connection: Connection, forms: Sequence[tuple[int, IndexForm]], *, target: Indexed) -> None:
        """Index texts under numbers that are not indexed yet."""
        rows = [{"rowid": number, "words": form.words, "symbols": form.symbols} for number, form in forms]
        if rows:
            connection.execute(insert(_TABLES[target]), rows)

    def replace(self, connection: Connection, form: tuple[int, IndexForm], *, target: Indexed) -> None:
        """Index a text anew under a number that may be indexed; nothing of the old text stays."""
        index = _TABLES[target]
        connection.execute(delete(index).where(index.c.rowid == form[0]))
        self.add(connection, [form], target=target)

    def empty(self, connection: Connection) -> None:
        """Drop both tables and make them anew."""
        for name in (index.name for index in _TABLES.values()):
            connection.exec_driver_sql(f"DROP TABLE {name}")
        for statement in CREATE_1:
            connection.exec_driver_sql(statement)

    def remove(self, connection: Connection, numbers: Sequence[int], *, target: Indexed) -> None:
        """Take texts out; the words stay in the index file until it is optimised."""
        index = _TABLES[target]
        for number in numbers:
            connection.execute(delete(index).where(index.c.rowid == number))

    def matching(self, target: Indexed, terms: tuple[Term, ...], *, any_of: bool = False) -> Question:
        """Numbers and scores of the texts that hold all, or any, of some terms."""
        index = _TABLES[target]
        whole: ColumnElement[str] = literal_column(index.name)
        asked = (" OR " if any_of else " AND ").join(map(_expression, terms))
        score = func.bm25(whole, 1.0, 0.0).label("score")
        return columns(index.c.rowid.label("id"), score).where(whole.op("MATCH")(asked))


def _expression(term: Term) -> str:
    """One term for MATCH: its words as one phrase, its symbols each. Both consist of harmless characters."""
    asked = [f'words:"{term.form.words}"{" *" if term.prefix else ""}'] if term.form.words else []
    asked += [f'symbols:"{symbol}"' for symbol in term.form.symbols.split()]
    return f"({' AND '.join(asked)})"
