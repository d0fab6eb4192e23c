"""Searching passages and titles: the index ranks and narrows, the text itself settles what the index cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    Integer,
    Select,
    cast,
    func,
    literal_column,
    null,
    or_,
    select,
    union_all,
)

from eyeline.catalog.cursors import check_limit, read_cursor, write_cursor
from eyeline.catalog.database import Database, Indexed, Question, SearchIndex
from eyeline.catalog.listing import behind, documents_page, filtered, question
from eyeline.catalog.query import Query, Term, parse
from eyeline.catalog.records import Entry, Filters, IndexedPassage, Match, Matches
from eyeline.catalog.rows import PASSAGE, Record, columns, entry_of, passage_of, select_entries
from eyeline.catalog.schema import current_representations, documents, passages, versions

_TITLE_ORDINAL = -1
"""A title stands before the passages of its document when they rank alike."""

_BATCH = 64


def search(
    database: Database, connection: Connection, *, text: str, filters: Filters, cursor: str | None, limit: int
) -> Matches:
    """Matches in current representations of current versions, best first; a blank query lists."""
    query = parse(text)
    if query.blank:
        listing = documents_page(connection, filters, cursor=cursor, limit=limit)
        return Matches(tuple(Match(entry, None, 0, 0.0) for entry in listing.entries), listing.cursor)
    asked = question("search", filters=filters, text=text)
    after = None if cursor is None else read_cursor(cursor, asked, kinds=(float, str, int))
    check_limit(limit)
    if not query.terms:
        return Matches((), None)
    ranked = _ranked(database.index, query, filters=filters).subquery()
    order = (ranked.c.score, ranked.c.version_id, ranked.c.ordinal)
    statement = columns(ranked).order_by(*order)
    if after is not None:
        statement = statement.where(behind(order, after))
    if not query.literal:
        statement = statement.limit(limit + 1)
    kept: list[tuple[Record, Match]] = []
    for row, match in _settled(connection, statement, query=query):
        if len(kept) == limit:
            last = kept[-1][0]
            return Matches(_only(kept), write_cursor(asked, (float(last.score), last.version_id, last.ordinal)))
        kept.append((row, match))
    return Matches(_only(kept), None)


def _only(kept: Iterable[tuple[Record, Match]]) -> tuple[Match, ...]:
    return tuple(match for _, match in kept)


def _ranked(index: SearchIndex, query: Query, *, filters: Filters) -> Question:
    """Keys of what the index offers, with scores; `passage` is none for a title."""
    in_text, in_title = (_hits(index, query, target=target) for target in (Indexed.PASSAGES, Indexed.TITLES))
    # asked for once more: what is used in one place alone, SQLite indexes before it looks up in it
    of_title = _hits(index, query, target=Indexed.TITLES, name="titles_besides")
    by_text = select_entries(
        (in_text.c.score + func.coalesce(of_title.c.score, 0.0)).label("score"),
        passages.c.ordinal,
        passages.c.id.label("passage"),
    )
    by_text = by_text.join(passages, passages.c.representation_id == current_representations.c.representation_id)
    by_text = by_text.join(in_text, in_text.c.id == passages.c.id)
    by_text = by_text.outerjoin(of_title, of_title.c.id == documents.c.id)
    by_title = select_entries(
        in_title.c.score,
        literal_column(str(_TITLE_ORDINAL)).label("ordinal"),
        cast(null(), Integer).label("passage"),
    )
    by_title = by_title.join(in_title, in_title.c.id == documents.c.id)
    settled = _settled_terms(query.excluded)
    if settled:
        by_title = by_title.where(_read_by_none_of(_any(index, settled, target=Indexed.PASSAGES)))
    if not query.literal:
        # the passages speak for the document; where the text has yet to be looked at, they may turn out not to
        by_title = by_title.where(_read_by_none_of(select(in_text.c.id)))
    return columns(union_all(*(_keys(filtered(each, filters)) for each in (by_text, by_title))).subquery())


def _keys(found: Question) -> Question:
    """Only the columns that rank and name, so that sorting is cheap."""
    return found.with_only_columns(
        *(column for column in found.selected_columns if column.key in ("score", "version_id", "ordinal", "passage"))
    )


def _read_by_none_of(numbers: Select[Any]) -> ColumnElement[bool]:
    """Whether an entry has no current representation with one of these passages."""
    represented = current_representations.c.representation_id
    reading = select(passages.c.representation_id).where(passages.c.id.in_(numbers))
    return or_(represented.is_(None), represented.not_in(reading))


def _settled_terms(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms that the index alone settles."""
    return tuple(term for term in terms if not term.literal)


def _any(index: SearchIndex, terms: tuple[Term, ...], *, target: Indexed) -> Select[Any]:
    """Numbers of the texts that hold one of some terms."""
    return select(index.matching(target, terms, any_of=True).subquery().c.id)


def _hits(index: SearchIndex, query: Query, *, target: Indexed, name: str | None = None) -> CTE:
    """Numbers and scores that the index offers for the wanted terms, without those that hold an excluded one."""
    name = name or target.value
    rows = passages if target is Indexed.PASSAGES else documents
    if query.wanted:
        offered = index.matching(target, query.wanted).cte(f"{name}_offered")
    else:
        offered = columns(rows.c.id, literal_column("0.0").label("score")).cte(f"{name}_offered")
    hits = select(offered)
    if settled := _settled_terms(query.excluded):
        hits = hits.where(offered.c.id.not_in(_any(index, settled, target=target)))
    return hits.cte(f"{name}_hits")


def _settled(connection: Connection, statement: Question, *, query: Query) -> Iterator[tuple[Record, Match]]:
    """Ranked rows as matches, without those whose text does not hold what the index could not settle."""
    for rows in connection.execute(statement).partitions(_BATCH):
        entries, held = _entries(connection, rows), _passages(connection, rows)
        for row in rows:
            entry, passage = entries[row.version_id], held.get(row.passage)
            text = f"{entry.document.title}\n{entry.document.reference}" if passage is None else passage.text
            if not query.literal or query.holds(text):
                at = 0 if passage is None else query.first_match(text)
                yield row, Match(entry, passage, at, -float(row.score) or 0.0)


def _entries(connection: Connection, rows: Sequence[Record]) -> dict[str, Entry]:
    wanted = {row.version_id for row in rows}
    found = connection.execute(select_entries().where(versions.c.version_id.in_(wanted)))
    return {row.version_id: entry_of(row) for row in found}


def _passages(connection: Connection, rows: Sequence[Record]) -> dict[int | None, IndexedPassage]:
    wanted = {row.passage for row in rows if row.passage is not None}
    if not wanted:
        return {}
    found = connection.execute(columns(passages.c.id, *PASSAGE).where(passages.c.id.in_(wanted)))
    return {row.id: passage_of(row) for row in found}
