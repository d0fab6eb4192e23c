"""Documents and their versions: recording them, and finding them by id, name or content."""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import Connection, func, select, update

from eyeline.catalog import blobs, enclosures
from eyeline.catalog.database import Indexed, Question, Writing
from eyeline.catalog.folding import literal
from eyeline.catalog.indexing import title_form
from eyeline.catalog.records import NewVersion, RecordedVersion
from eyeline.catalog.rows import Record, columns, document_of, select_documents, select_versions, version_of
from eyeline.catalog.schema import documents, versions
from eyeline.errors import AmbiguousName
from eyeline.model.digest import Digest
from eyeline.model.document import Document, Version
from eyeline.model.ids import document_id, version_id

Collections = frozenset[str] | None
MAX_CANDIDATES = 20


def record(writing: Writing, *, new: NewVersion) -> RecordedVersion:
    """Record that a document has these bytes now, and make that its current version."""
    blobs.keep(writing, (new.pin,))
    doc_id = document_id(new.collection, new.source_kind.value, new.reference)
    created_document, before = _document(writing, new=new, doc_id=doc_id)
    ver_id = version_id(doc_id, new.pin.ref.digest)
    created_version = _version(writing, new=new, key=(doc_id, ver_id))
    if new.came_in is not None:
        enclosures.enclose(writing, new.came_in, version_id=ver_id)
    changed: dict[str, Any] = {"title": new.title, "folded_name": _folded_name(new), "current_version_id": ver_id}
    if new.place is not None:
        changed["place"] = os.fsencode(new.place)
    writing.connection.execute(update(documents).where(documents.c.doc_id == doc_id).values(changed))
    if created_document or before.title != new.title:
        form = title_form(new.title, new.reference)
        writing.index.replace(writing.connection, (before.id, form), target=Indexed.TITLES)
    return RecordedVersion(
        document_of(writing.connection.execute(select_documents().where(documents.c.doc_id == doc_id)).one()),
        version_of(writing.connection.execute(select_versions().where(versions.c.version_id == ver_id)).one()),
        created_document,
        created_version,
        was_current=before.current_version_id == ver_id,
        moved=None not in (new.place, before.place) and os.fsencode(new.place or "") != before.place,
    )


def _document(writing: Writing, *, new: NewVersion, doc_id: str) -> tuple[bool, Record]:
    """Whether a document was new, and its row before this version."""
    values = {
        "doc_id": doc_id,
        "collection": new.collection,
        "source_kind": new.source_kind.value,
        "reference": new.reference,
        "title": new.title,
        "folded_name": _folded_name(new),
        "created_ms": new.now_ms,
    }
    created = writing.add_missing(documents, values, key=["doc_id"])
    asked = (documents.c.id, documents.c.title, documents.c.place, documents.c.current_version_id)
    query = columns(*asked).where(documents.c.doc_id == doc_id).with_for_update()
    return created, writing.connection.execute(query).one()


def _version(writing: Writing, *, new: NewVersion, key: tuple[str, str]) -> bool:
    """Whether a version was new. One that was not gets the media type and route that were found now."""
    doc_id, ver_id = key
    content = new.pin.ref
    media_type = content.media_type
    known = {"media_type": media_type.name, "family": media_type.family.value, "route": new.route}
    values = {"version_id": ver_id, "doc_id": doc_id, "content": content.digest.hex, "created_ms": new.now_ms}
    created = writing.add_missing(versions, values | known, key=["version_id"])
    if not created:
        writing.connection.execute(update(versions).where(versions.c.version_id == ver_id).values(known))
    return created


def _folded_name(new: NewVersion) -> str:
    return f"{literal(new.title)}\n{literal(new.reference)}"


def by_id(connection: Connection, doc_id: str) -> Document | None:
    """The document with an id."""
    row = connection.execute(select_documents().where(documents.c.doc_id == doc_id)).one_or_none()
    return None if row is None else document_of(row)


def version_by_id(connection: Connection, ver_id: str) -> Version | None:
    """The version with an id."""
    row = connection.execute(select_versions().where(versions.c.version_id == ver_id)).one_or_none()
    return None if row is None else version_of(row)


def count(connection: Connection) -> int:
    """How many documents there are."""
    return connection.scalar(select(func.count()).select_from(documents)) or 0


def place_of(connection: Connection, doc_id: str) -> str | None:
    """Where on the host a document was taken in from."""
    place = connection.scalar(select(documents.c.place).where(documents.c.doc_id == doc_id))
    return None if place is None else os.fsdecode(place)


def by_name(connection: Connection, name: str, *, collections: Collections) -> Document | None:
    """The visible document whose reference, else whose title, is exactly this name."""
    for column in (documents.c.reference, documents.c.title):
        query = visible(select_documents().where(column == name), collections)
        rows = connection.execute(query.order_by(documents.c.doc_id).limit(MAX_CANDIDATES)).all()
        if len(rows) > 1:
            raise AmbiguousName(
                f"{name[:80]!r} names {len(rows)} documents",
                hint="name one by its id",
                candidates=[str(row.doc_id) for row in rows],
            )
        if rows:
            return document_of(rows[0])
    return None


def versions_of(connection: Connection, doc_id: str) -> tuple[Version, ...]:
    """Versions of a document, in the order they were first seen."""
    query = select_versions().where(versions.c.doc_id == doc_id)
    rows = connection.execute(query.order_by(versions.c.created_ms, versions.c.version_id))
    return tuple(map(version_of, rows))


def versions_with(connection: Connection, content: Digest, *, collections: Collections) -> tuple[Version, ...]:
    """Visible versions that have these bytes, in the order they were first seen."""
    query = select_versions().join(documents, versions.c.doc_id == documents.c.doc_id)
    query = visible(query.where(versions.c.content == content.hex), collections)
    rows = connection.execute(query.order_by(versions.c.created_ms, versions.c.version_id))
    return tuple(map(version_of, rows))


def visible(query: Question, collections: Collections) -> Question:
    """A query over documents, kept to some collections (none stands for all)."""
    return query if collections is None else query.where(documents.c.collection.in_(sorted(collections)))
