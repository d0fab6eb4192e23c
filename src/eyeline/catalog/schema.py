"""Tables of the catalogue and of the audit log, one definition for every database.

A change here needs a migration beside it: `REVISION` and `AUDIT_REVISION` name the last ones. Digests are kept as 64
hex digits, times as milliseconds, values without a column of their own as JSON. Text that is compared or sorted is
sorted by code points, so that a cursor means the same everywhere.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMES)
audit_metadata = MetaData(naming_convention=NAMES)

# Rows are numbered by the database; SQLite does so only for its own INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")
_Sorted = Text().with_variant(Text(collation="C"), "postgresql")


def _one_of(column: str, *words: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=f"{column}_known")


def _digest(name: str, *constraints: Any, **settings: Any) -> Column[str]:
    return Column(name, Text, *constraints, nullable=False, **settings)


blobs = Table(
    "blobs",
    metadata,
    _digest("digest", primary_key=True),
    Column("byte_count", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("incarnation", Text, nullable=False),
    Column("pinned_ms", BigInteger, nullable=False),
    _one_of("state", "pinned", "stored", "deleting"),
    Index(None, "state"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("doc_id", Text, nullable=False, unique=True),
    Column("collection", _Sorted, nullable=False),
    Column("source_kind", _Sorted, nullable=False),
    Column("reference", _Sorted, nullable=False),
    Column("title", Text, nullable=False),
    Column("folded_name", Text, nullable=False),
    Column("place", LargeBinary),
    Column("current_version_id", Text),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("collection", "reference", "source_kind"),
    Index(None, "reference"),
    Index(None, "title"),
)

versions = Table(
    "versions",
    metadata,
    Column("version_id", Text, primary_key=True),
    Column("doc_id", Text, ForeignKey("documents.doc_id"), nullable=False),
    _digest("content", ForeignKey("blobs.digest")),
    Column("media_type", Text, nullable=False),
    Column("family", Text, nullable=False),
    Column("route", Text),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("doc_id", "content"),
    Index(None, "content"),
)

representations = Table(
    "representations",
    metadata,
    Column("representation_id", Text, primary_key=True),
    _digest("content", ForeignKey("blobs.digest")),
    _digest("conversion_key"),
    Column("route", Text, nullable=False),
    _digest("manifest", ForeignKey("blobs.digest")),
    Column("manifest_type", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index(None, "content"),
)

assets = Table(
    "assets",
    metadata,
    Column("representation_id", Text, ForeignKey("representations.representation_id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("path", Text, nullable=False),
    _digest("digest", ForeignKey("blobs.digest")),
    Column("media_type", Text, nullable=False),
    Column("locator", Text, nullable=False),
    UniqueConstraint("representation_id", "path"),
    Index(None, "digest"),
)

version_representations = Table(
    "version_representations",
    metadata,
    Column("version_id", Text, ForeignKey("versions.version_id"), primary_key=True),
    Column("representation_id", Text, ForeignKey("representations.representation_id"), primary_key=True),
    Index(None, "representation_id"),
)

current_representations = Table(
    "current_representations",
    metadata,
    Column("version_id", Text, ForeignKey("versions.version_id"), primary_key=True),
    Column("representation_id", Text, ForeignKey("representations.representation_id"), nullable=False),
    Index(None, "representation_id"),
)

admissions = Table(
    "admissions",
    metadata,
    _digest("content", ForeignKey("blobs.digest"), primary_key=True),
    Column("policy", Text, primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("decoder", Text, nullable=False),
    Column("probe", Text),
    Column("decided_ms", BigInteger, nullable=False),
)

conversions = Table(
    "conversions",
    metadata,
    _digest("conversion_key", primary_key=True),
    _digest("content", ForeignKey("blobs.digest")),
    Column("route", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("retryable", Boolean, nullable=False),
    Column("code", Text),
    Column("representation_id", Text, ForeignKey("representations.representation_id")),
    Column("owner", Text),
    Column("expires_ms", BigInteger),
    _one_of("state", "queued", "running", "done", "failed"),
    Index(None, "content"),
)

passages = Table(
    "passages",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("representation_id", Text, ForeignKey("representations.representation_id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("start_char", Integer, nullable=False),
    Column("end_char", Integer, nullable=False),
    Column("locator", Text, nullable=False),
    Column("text", Text, nullable=False),
    UniqueConstraint("representation_id", "ordinal"),
)

enclosures = Table(
    "enclosures",
    metadata,
    Column("mail_version_id", Text, ForeignKey("versions.version_id"), primary_key=True),
    Column("version_id", Text, ForeignKey("versions.version_id"), primary_key=True),
    Column("number", Integer, nullable=False),
    Index(None, "version_id"),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("token", Text, primary_key=True),
    Column("version_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    _digest("content"),
    Column("collection", Text),
    Column("reference", Text),
    Column("forgotten_ms", BigInteger, nullable=False),
)

grants = Table(
    "grants",
    metadata,
    Column("principal", Text, primary_key=True),
    Column("collection", Text, primary_key=True),
)

attachments = Table(
    "attachments",
    metadata,
    Column("reference", Text, primary_key=True),
    Column("object", Text, nullable=False),
    Column("upload", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("saved_ms", BigInteger, nullable=False),
    Index(None, "object"),
    Index(None, "upload"),
    Index(None, "saved_ms"),
)

attachment_objects = Table(
    "attachment_objects",
    metadata,
    Column("place", Text, primary_key=True),
    _digest("digest"),
    Column("byte_count", BigInteger, nullable=False),
    Index(None, "digest"),
)

attachment_holds = Table(
    "attachment_holds",
    metadata,
    Column("holder", Text, primary_key=True),
    Column("reference", Text, ForeignKey("attachments.reference"), primary_key=True),
    Index(None, "reference"),
)

audit_entries = Table(
    "audit_entries",
    audit_metadata,
    Column("seq", _Number, primary_key=True, autoincrement=False),
    Column("previous", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("principal", Text, nullable=False),
    Column("surface", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("version_id", Text),
    Column("completion_of", BigInteger),
    Column("record", Text, nullable=False),
    Index(None, "version_id"),
    Index(None, "completion_of"),
)
