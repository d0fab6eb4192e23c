"""Forgetting versions: their records go in one transaction, which leaves a tombstone that says what is still to go.

What other versions need stays: an original or a representation of theirs, in whatever collection. From that
transaction on, nobody is answered anything that the forgotten version said. The bytes follow (`blobs.release`), then
what the database files still hold of deleted rows, then the tombstone.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, delete, exists, insert, select, update

from eyeline.catalog import blobs, enclosures
from eyeline.catalog.database import Indexed, Question, Writing
from eyeline.catalog.records import Tombstone
from eyeline.catalog.rows import SELECT_TOMBSTONES, Record, columns, tombstone_of
from eyeline.catalog.schema import (
    admissions,
    assets,
    conversions,
    current_representations,
    documents,
    passages,
    representations,
    tombstones,
    version_representations,
    versions,
)
from eyeline.model.digest import Digest


def forget(writing: Writing, *, version_ids: Sequence[str], now_ms: int) -> tuple[Tombstone, ...]:
    """Remove the records of some versions and of what only they enclosed; a tombstone for each that was there."""
    left: list[Tombstone] = []
    waiting = list(reversed(version_ids))
    while waiting:
        version_id = waiting.pop()
        row = writing.connection.execute(_known().where(versions.c.version_id == version_id)).one_or_none()
        if row is not None:
            left.append(_bury(writing, row, now_ms=now_ms))
            waiting += reversed(enclosures.release(writing, version_id))
            _remove(writing, row)
    return tuple(left)


def _known() -> Question:
    asked = (versions.c.version_id, versions.c.doc_id, versions.c.content)
    return columns(*asked, documents.c.id, documents.c.collection, documents.c.reference).join_from(
        versions, documents, versions.c.doc_id == documents.c.doc_id
    )


def _bury(writing: Writing, row: Record, *, now_ms: int) -> Tombstone:
    token = secrets.token_hex(16)
    made = Tombstone(token, row.version_id, row.doc_id, Digest(row.content), row.collection, row.reference, now_ms)
    values = {**asdict(made), "content": row.content}
    writing.connection.execute(insert(tombstones).values(values))
    return made


def _remove(writing: Writing, row: Record) -> None:
    connection, version_id = writing.connection, row.version_id
    for table in (current_representations, version_representations):
        connection.execute(delete(table).where(table.c.version_id == version_id))
    connection.execute(delete(versions).where(versions.c.version_id == version_id))
    _remove_document(writing, row)
    lives_on = connection.scalar(select(exists().where(versions.c.content == row.content)))
    unused = ~exists().where(version_representations.c.representation_id == representations.c.representation_id)
    going = connection.scalars(
        select(representations.c.representation_id).where(representations.c.content == row.content, unused)
    ).all()
    condemned = {Digest(row.content), *_remove_representations(writing, going)}
    if not lives_on:
        connection.execute(delete(conversions).where(conversions.c.content == row.content))
        connection.execute(delete(admissions).where(admissions.c.content == row.content))
    blobs.condemn(writing, sorted(condemned))


def _remove_document(writing: Writing, row: Record) -> None:
    """The document goes with its last version; else its newest one is current from now on."""
    connection, here = writing.connection, documents.c.doc_id == row.doc_id
    newest = (versions.c.created_ms.desc(), versions.c.version_id.desc())
    query = select(versions.c.version_id).where(versions.c.doc_id == row.doc_id).order_by(*newest)
    next_id = connection.scalar(query.limit(1))
    if next_id is None:
        writing.index.remove(connection, [row.id], target=Indexed.TITLES)
        connection.execute(delete(documents).where(here))
    else:
        was_current = documents.c.current_version_id == row.version_id
        connection.execute(update(documents).where(here, was_current).values(current_version_id=next_id))


def _remove_representations(writing: Writing, going: Iterable[str]) -> set[Digest]:
    """Remove representations with their passages and the records of how they were made; their blobs."""
    connection = writing.connection
    held: set[Digest] = set()
    for representation_id in going:
        manifest = select(representations.c.manifest).where(representations.c.representation_id == representation_id)
        files = select(assets.c.digest).where(assets.c.representation_id == representation_id)
        held |= {Digest(name) for query in (manifest, files) for name in connection.scalars(query)}
        numbers = connection.scalars(select(passages.c.id).where(passages.c.representation_id == representation_id))
        writing.index.remove(connection, numbers.all(), target=Indexed.PASSAGES)
        for table in (passages, conversions, assets, representations):
            connection.execute(delete(table).where(table.c.representation_id == representation_id))
    return held


def left(connection: Connection) -> tuple[Tombstone, ...]:
    """Versions of which traces are left, oldest first."""
    return tuple(map(tombstone_of, connection.execute(SELECT_TOMBSTONES)))


def close(writing: Writing, tokens: Iterable[str]) -> None:
    """Say that tree, cache and store hold nothing of these any more; their names go with it."""
    nothing = {"collection": None, "reference": None}
    for token in tokens:
        writing.connection.execute(update(tombstones).where(tombstones.c.token == token).values(nothing))


def end(writing: Writing, tokens: Iterable[str]) -> None:
    """Remove tombstones of which not even the database files hold anything any more."""
    for token in tokens:
        writing.connection.execute(delete(tombstones).where(tombstones.c.token == token))
