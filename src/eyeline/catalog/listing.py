"""Listing documents page by page, in an order that stays while others are added."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_

from eyeline.catalog.cursors import check_limit, fingerprint, read_cursor, write_cursor
from eyeline.catalog.database import Question
from eyeline.catalog.documents import visible
from eyeline.catalog.folding import literal
from eyeline.catalog.records import Filters, Listing
from eyeline.catalog.rows import entry_of, select_entries
from eyeline.catalog.schema import documents, versions

_ORDER = (documents.c.collection, documents.c.reference, documents.c.source_kind)


def question(name: str, *, filters: Filters, text: str = "") -> str:
    """The fingerprint of a list or a search, which a cursor must have been made for."""
    collections = None if filters.collections is None else sorted(filters.collections)
    return fingerprint(name, collections, filters.family, filters.media_type, filters.name, text)


def filtered(query: Question, filters: Filters) -> Question:
    """A query over entries, kept to what the filters let through."""
    query = visible(query, filters.collections)
    if filters.family is not None:
        query = query.where(versions.c.family == filters.family.value)
    if filters.media_type is not None:
        query = query.where(versions.c.media_type == filters.media_type.name)
    if filters.name is not None:
        query = query.where(documents.c.folded_name.contains(literal(filters.name), autoescape=True))
    return query


def behind(columns: tuple[ColumnElement[Any], ...], keys: tuple[Any, ...]) -> ColumnElement[bool]:
    """Rows that sort after some keys, all columns ascending."""
    steps: list[ColumnElement[bool]] = []
    for index, (column, key) in enumerate(zip(columns, keys, strict=True)):
        same = (one == other for one, other in zip(columns[:index], keys[:index], strict=True))
        steps.append(and_(*same, column > key))
    return or_(*steps)


def documents_page(connection: Connection, filters: Filters, *, cursor: str | None, limit: int) -> Listing:
    """Entries by collection, reference and source kind, and the cursor for more."""
    asked = question("documents", filters=filters)
    query = filtered(select_entries(), filters)
    if cursor is not None:
        query = query.where(behind(_ORDER, read_cursor(cursor, asked, kinds=(str, str, str))))
    rows = connection.execute(query.order_by(*_ORDER).limit(check_limit(limit) + 1)).all()
    entries = tuple(map(entry_of, rows[:limit]))
    if len(rows) <= limit:
        return Listing(entries, None)
    last = entries[-1].document
    return Listing(entries, write_cursor(asked, (last.collection, last.reference, last.source_kind.value)))
