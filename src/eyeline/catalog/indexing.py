"""What is indexed of passages and of titles, and making the whole index again."""

from __future__ import annotations

from collections.abc import Iterator

from eyeline.catalog.database import Indexed, Question, Writing
from eyeline.catalog.folding import IndexForm, fold, index_form
from eyeline.catalog.rows import Record, columns
from eyeline.catalog.schema import documents, passages

_BATCH = 500


def passage_form(text: str) -> IndexForm:
    """A passage as it is indexed."""
    return index_form(fold(text))


def title_form(title: str, reference: str) -> IndexForm:
    """A document's title and reference as they are indexed."""
    return index_form(fold(f"{title}\n{reference}"))


def rebuild(writing: Writing) -> None:
    """Index every passage and every title anew."""
    writing.index.empty(writing.connection)
    for rows in _batches(writing, columns(passages.c.id, passages.c.text).order_by(passages.c.id)):
        forms = [(row.id, passage_form(row.text)) for row in rows]
        writing.index.add(writing.connection, forms, target=Indexed.PASSAGES)
    titles = columns(documents.c.id, documents.c.title, documents.c.reference).order_by(documents.c.id)
    for rows in _batches(writing, titles):
        forms = [(row.id, title_form(row.title, row.reference)) for row in rows]
        writing.index.add(writing.connection, forms, target=Indexed.TITLES)


def _batches(writing: Writing, query: Question) -> Iterator[list[Record]]:
    """Rows of a query whose first column is their number, some at a time."""
    number, last = query.selected_columns[0], -1
    while rows := list(writing.connection.execute(query.where(number > last).limit(_BATCH))):
        yield rows
        last = rows[-1].id
