"""Representations: kept whole in one transaction, never changed, at most one current for a version."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from eyeline.catalog import blobs
from eyeline.catalog.conversions import end
from eyeline.catalog.database import Indexed, Question, Writing
from eyeline.catalog.indexing import passage_form
from eyeline.catalog.records import Claim, ConversionState, IndexedPassage, Pin
from eyeline.catalog.rows import SELECT_ASSETS, SELECT_REPRESENTATIONS, Record, asset_of, columns, representation_of
from eyeline.catalog.schema import (
    assets,
    current_representations,
    documents,
    passages,
    representations,
    version_representations,
    versions,
)
from eyeline.errors import InvalidRequest, RepresentationMismatch, RepresentationNotFound, VersionNotFound
from eyeline.model.digest import Digest
from eyeline.model.document import Representation


def finish(
    writing: Writing,
    *,
    claim: Claim,
    made: Representation,
    passages_of: Sequence[IndexedPassage],
    pins: Sequence[Pin],
    version_ids: Sequence[str],
    retryable: bool,
) -> None:
    """Keep what a conversion made and make it current for some versions of the same bytes."""
    if (made.content, made.conversion_key) != (claim.content, claim.conversion_key):
        raise InvalidRequest("the representation was not made under this claim")
    needed = {made.manifest.digest, *(asset.content.digest for asset in made.assets)}
    if not needed <= {each.ref.digest for each in pins}:
        raise InvalidRequest("a blob of the representation was not pinned")
    blobs.keep(writing, pins)
    if _add(writing, made):
        _add_passages(writing, made=made, passages_of=passages_of)
    end(
        writing,
        claim,
        state=ConversionState.DONE.value,
        representation_id=made.representation_id,
        retryable=retryable,
        code=None,
        owner=None,
        expires_ms=None,
    )
    for version_id in version_ids:
        make_current(writing, version_id=version_id, representation_id=made.representation_id)


def make_current(writing: Writing, *, version_id: str, representation_id: str) -> None:
    """Make a representation the current one of a version; it must be of the same bytes."""
    content = writing.connection.scalar(select(versions.c.content).where(versions.c.version_id == version_id))
    read = writing.connection.scalar(
        select(representations.c.content).where(representations.c.representation_id == representation_id)
    )
    if content is None:
        raise VersionNotFound(f"no version {version_id[:40]!r}")
    if read is None:
        raise RepresentationNotFound(f"no representation {representation_id[:40]!r}")
    if content != read:
        raise RepresentationMismatch("the representation reads other bytes than the version has")
    values = {"version_id": version_id, "representation_id": representation_id}
    writing.add_missing(version_representations, values, key=["version_id", "representation_id"])
    writing.put(current_representations, values, key=["version_id"])


def _add(writing: Writing, made: Representation) -> bool:
    """Keep a representation with its assets; false when it is kept already, which means whole."""
    values = {
        "representation_id": made.representation_id,
        "content": made.content.hex,
        "conversion_key": made.conversion_key.hex,
        "route": made.route,
        "manifest": made.manifest.digest.hex,
        "manifest_type": made.manifest.media_type.name,
        "created_ms": made.created_ms,
    }
    if not writing.add_missing(representations, values, key=["representation_id"]):
        return False
    rows = [
        {
            "representation_id": made.representation_id,
            "ordinal": ordinal,
            "path": asset.path,
            "digest": asset.content.digest.hex,
            "media_type": asset.content.media_type.name,
            "locator": asset.locator,
        }
        for ordinal, asset in enumerate(made.assets)
    ]
    if rows:
        writing.connection.execute(insert(assets), rows)
    return True


def _add_passages(writing: Writing, *, made: Representation, passages_of: Sequence[IndexedPassage]) -> None:
    rows = [
        {
            "representation_id": made.representation_id,
            "ordinal": each.ordinal,
            "start_char": each.start,
            "end_char": each.end,
            "locator": str(each.locator),
            "text": each.text.replace("\0", " "),
        }
        for each in passages_of
    ]
    if not rows:
        return
    writing.connection.execute(insert(passages), rows)
    numbered = writing.connection.execute(
        select(passages.c.id, passages.c.text).where(passages.c.representation_id == made.representation_id)
    )
    forms = [(row.id, passage_form(row.text)) for row in numbered.all()]
    writing.index.add(writing.connection, forms, target=Indexed.PASSAGES)


def by_id(
    connection: Connection, representation_id: str, *, collections: frozenset[str] | None = None
) -> Representation | None:
    """The representation with an id, if it was made for a version in one of some collections (none: any)."""
    query = SELECT_REPRESENTATIONS.where(representations.c.representation_id == representation_id)
    if collections is not None:
        query = query.where(representations.c.representation_id.in_(_made_for(collections)))
    row = connection.execute(query).one_or_none()
    return None if row is None else _whole(connection, row)


def current(connection: Connection, version_id: str) -> Representation | None:
    """The representation that is current for a version."""
    query = SELECT_REPRESENTATIONS.join(
        current_representations,
        current_representations.c.representation_id == representations.c.representation_id,
    )
    row = connection.execute(query.where(current_representations.c.version_id == version_id)).one_or_none()
    return None if row is None else _whole(connection, row)


def of_content(connection: Connection, content: Digest, *, collection: str) -> tuple[Representation, ...]:
    """Every representation of some bytes that was made for a version in a collection, oldest first."""
    made_here = representations.c.representation_id.in_(_made_for(frozenset({collection})))
    query = SELECT_REPRESENTATIONS.where(representations.c.content == content.hex, made_here)
    rows = connection.execute(query.order_by(representations.c.created_ms, representations.c.representation_id))
    return tuple(_whole(connection, row) for row in rows.all())


def _made_for(collections: frozenset[str]) -> Question:
    """Ids of the representations that were made for a version in some collections."""
    return (
        columns(version_representations.c.representation_id)
        .join(versions, versions.c.version_id == version_representations.c.version_id)
        .join(documents, documents.c.doc_id == versions.c.doc_id)
        .where(documents.c.collection.in_(sorted(collections)))
    )


def _whole(connection: Connection, row: Record) -> Representation:
    query = SELECT_ASSETS.where(assets.c.representation_id == row.representation_id).order_by(assets.c.ordinal)
    return representation_of(row, held=tuple(map(asset_of, connection.execute(query))))
