"""What came inside what: a mail's version and the versions of the documents it enclosed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, exists, select

from eyeline.catalog.database import Database, Question, Writing
from eyeline.catalog.records import CameIn
from eyeline.catalog.rows import Record, columns
from eyeline.catalog.schema import documents, enclosures, versions
from eyeline.errors import VersionNotFound
from eyeline.model.document import Enclosed
from eyeline.model.media_type import MediaType

_ENCLOSED = (
    enclosures.c.number,
    documents.c.doc_id,
    documents.c.title,
    versions.c.version_id,
    versions.c.media_type,
)


class EnclosureIndex:
    """Which versions came in which; each method is one transaction, and raises as those of the catalogue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, version_id: str) -> tuple[Enclosed, ...]:
        """What a version of a mail enclosed and is still kept, by its number there."""
        with self._database.reading() as connection:
            return enclosed_by(connection, version_id)

    def around(self, version_id: str) -> Enclosed | None:
        """The mail that a version came in, and its number there; where several versions did, the newest of them."""
        with self._database.reading() as connection:
            return around(connection, version_id)

    def going_along(self, version_ids: Sequence[str]) -> tuple[str, ...]:
        """The versions that go when some others do, because nothing else enclosed them; in an order to forget in."""
        with self._database.reading() as connection:
            return going_along(connection, version_ids)


def enclose(writing: Writing, came_in: CameIn, *, version_id: str) -> None:
    """Record that a version came in a mail. Raises `VersionNotFound` for a mail that is not there any more."""
    known = writing.connection.scalar(select(exists().where(versions.c.version_id == came_in.mail_version_id)))
    if not known:
        raise VersionNotFound("the mail was forgotten meanwhile")
    values = {"mail_version_id": came_in.mail_version_id, "version_id": version_id, "number": came_in.number}
    writing.put(enclosures, values, key=["mail_version_id", "version_id"])


def release(writing: Writing, version_id: str) -> tuple[str, ...]:
    """Forget what a version came in and what came in it; the versions that nothing encloses from now on."""
    connection = writing.connection
    inside = connection.scalars(_inside(version_id)).all()
    here = (enclosures.c.mail_version_id == version_id) | (enclosures.c.version_id == version_id)
    connection.execute(delete(enclosures).where(here))
    return tuple(each for each in inside if not connection.scalar(_is_enclosed(each)))


def enclosed_by(connection: Connection, version_id: str) -> tuple[Enclosed, ...]:
    """What a version of a mail enclosed, by its number there."""
    query = _joined(enclosures.c.version_id).where(enclosures.c.mail_version_id == version_id)
    return tuple(map(_enclosed_of, connection.execute(query.order_by(enclosures.c.number, versions.c.version_id))))


def around(connection: Connection, version_id: str) -> Enclosed | None:
    """The newest mail version that a version came in."""
    query = _joined(enclosures.c.mail_version_id).where(enclosures.c.version_id == version_id)
    newest = (versions.c.created_ms.desc(), versions.c.version_id)
    row = connection.execute(query.order_by(*newest).limit(1)).one_or_none()
    return None if row is None else _enclosed_of(row)


def going_along(connection: Connection, version_ids: Iterable[str]) -> tuple[str, ...]:
    """The versions that only these enclosed, directly or through each other."""
    going = dict.fromkeys(version_ids)
    given = len(going)
    waiting = list(going)
    while waiting:
        for each in connection.scalars(_inside(waiting.pop())).all():
            mails = connection.scalars(select(enclosures.c.mail_version_id).where(enclosures.c.version_id == each))
            if each not in going and set(mails.all()) <= going.keys():
                going[each] = None
                waiting.append(each)
    return tuple(going)[given:]


def _inside(version_id: str) -> Question:
    query = columns(enclosures.c.version_id).where(enclosures.c.mail_version_id == version_id)
    return query.order_by(enclosures.c.number, enclosures.c.version_id)


def _is_enclosed(version_id: str) -> Question:
    return columns(exists().where(enclosures.c.version_id == version_id))


def _joined(side: object) -> Question:
    return (
        columns(*_ENCLOSED)
        .select_from(enclosures)
        .join(versions, versions.c.version_id == side)
        .join(documents, documents.c.doc_id == versions.c.doc_id)
    )


def _enclosed_of(row: Record) -> Enclosed:
    return Enclosed(row.number, row.doc_id, row.version_id, row.title, MediaType(row.media_type))
