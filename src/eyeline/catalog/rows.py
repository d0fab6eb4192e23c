"""Rows as values, and the columns that make one. A row that makes none was damaged: `IntegrityError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Row, and_, select

from eyeline import wire
from eyeline.catalog.database import Question
from eyeline.catalog.records import Conversion, ConversionState, Entry, IndexedPassage, Tombstone
from eyeline.catalog.schema import (
    admissions,
    assets,
    blobs,
    conversions,
    current_representations,
    documents,
    passages,
    representations,
    tombstones,
    versions,
)
from eyeline.errors import IntegrityError
from eyeline.model.digest import Digest
from eyeline.model.document import (
    Admission,
    AdmissionOutcome,
    Asset,
    BlobRef,
    Document,
    Representation,
    SourceKind,
    Version,
)
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe

T = TypeVar("T")
Record: TypeAlias = Row[*tuple[Any, ...]]

_DOCUMENT = (
    documents.c.doc_id,
    documents.c.collection,
    documents.c.source_kind,
    documents.c.reference,
    documents.c.title,
    documents.c.current_version_id,
    documents.c.created_ms.label("document_ms"),
)
_VERSION = (
    versions.c.version_id,
    versions.c.doc_id,
    versions.c.content,
    versions.c.media_type,
    versions.c.route,
    versions.c.created_ms.label("version_ms"),
    blobs.c.byte_count,
)
_ENTRY = (
    *_DOCUMENT,
    *(column for column in _VERSION if column.name != "doc_id"),
    current_representations.c.representation_id,
)


def kept(make: Callable[[Record], T]) -> Callable[[Record], T]:
    """A maker of values whose refusal means that the row is damaged."""

    def made(row: Record) -> T:
        try:
            return make(row)
        except ValueError as exc:
            raise IntegrityError(
                "a record of the catalogue cannot be read", hint="restore the home from a copy"
            ) from exc

    return made


def columns(*chosen: Any) -> Question:
    """A SELECT of some columns."""
    return select(*chosen)


def select_documents() -> Question:
    """Documents, each with what `document_of` needs."""
    return columns(*_DOCUMENT)


def select_versions() -> Question:
    """Versions, each with what `version_of` needs."""
    return columns(*_VERSION).join_from(versions, blobs, versions.c.content == blobs.c.digest)


def select_versions_with_documents() -> Question:
    """Versions, each with what `version_of` and `document_of` need, and the `state` of its blob."""
    both = (*_DOCUMENT, *(column for column in _VERSION if column.name != "doc_id"), blobs.c.state)
    return (
        columns(*both)
        .select_from(versions)
        .join(documents, documents.c.doc_id == versions.c.doc_id)
        .join(blobs, versions.c.content == blobs.c.digest)
    )


def select_entries(*more: Any) -> Question:
    """Documents at their current versions, each with what `entry_of` needs, and more columns."""
    # by the document's id as well: that is indexed, and a search comes from the version
    is_current = and_(documents.c.doc_id == versions.c.doc_id, documents.c.current_version_id == versions.c.version_id)
    return (
        columns(*_ENTRY, *more)
        .select_from(documents)
        .join(versions, is_current)
        .join(blobs, versions.c.content == blobs.c.digest)
        .outerjoin(current_representations, current_representations.c.version_id == versions.c.version_id)
    )


@kept
def document_of(row: Record) -> Document:
    """The document in a row."""
    return Document(
        row.doc_id,
        row.collection,
        SourceKind(row.source_kind),
        row.reference,
        row.title,
        row.document_ms,
        row.current_version_id,
    )


@kept
def version_of(row: Record) -> Version:
    """The version in a row."""
    content = BlobRef(Digest(row.content), row.byte_count, MediaType(row.media_type))
    return Version(row.version_id, row.doc_id, content, row.version_ms, row.route)


def entry_of(row: Record) -> Entry:
    """The document and its current version in a row."""
    return Entry(document_of(row), version_of(row), row.representation_id)


@kept
def passage_of(row: Record) -> IndexedPassage:
    """The passage in a row."""
    return IndexedPassage(row.ordinal, row.start_char, row.end_char, Locator.parse(row.locator), row.text)


@kept
def admission_of(row: Record) -> Admission:
    """The admission in a row."""
    return Admission(
        Digest(row.content),
        row.policy,
        AdmissionOutcome(row.outcome),
        row.decoder,
        row.decided_ms,
        row.reason,
        None if row.probe is None else wire.loads(Probe, row.probe),
    )


@kept
def conversion_of(row: Record) -> Conversion:
    """The conversion in a row."""
    return Conversion(
        Digest(row.conversion_key),
        Digest(row.content),
        row.route,
        ConversionState(row.state),
        row.attempts,
        row.retryable,
        row.code,
        row.representation_id,
    )


@kept
def tombstone_of(row: Record) -> Tombstone:
    """The tombstone in a row."""
    return Tombstone(
        row.token,
        row.version_id,
        row.doc_id,
        Digest(row.content),
        row.collection,
        row.reference,
        row.forgotten_ms,
    )


@kept
def asset_of(row: Record) -> Asset:
    """The asset in a row."""
    return Asset(row.path, BlobRef(Digest(row.digest), row.byte_count, MediaType(row.media_type)), row.locator)


def representation_of(row: Record, *, held: tuple[Asset, ...]) -> Representation:
    """The representation in a row, with its assets."""

    @kept
    def made(row: Record) -> Representation:
        manifest = BlobRef(Digest(row.manifest), row.byte_count, MediaType(row.manifest_type))
        return Representation(
            row.representation_id,
            Digest(row.content),
            Digest(row.conversion_key),
            row.route,
            manifest,
            held,
            row.created_ms,
        )

    return made(row)


SELECT_ADMISSIONS = columns(admissions)
SELECT_CONVERSIONS = columns(conversions)
SELECT_TOMBSTONES = columns(tombstones).order_by(tombstones.c.forgotten_ms, tombstones.c.token)
SELECT_ASSETS = columns(assets, blobs.c.byte_count).join(blobs, assets.c.digest == blobs.c.digest)
SELECT_REPRESENTATIONS = columns(representations, blobs.c.byte_count).join(
    blobs, representations.c.manifest == blobs.c.digest
)
PASSAGE = (
    passages.c.representation_id,
    passages.c.ordinal,
    passages.c.start_char,
    passages.c.end_char,
    passages.c.locator,
    passages.c.text,
)
