"""The first tables: documents and versions, blobs, admissions, conversions, representations, passages, grants."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from eyeline.catalog.sqlite.index import CREATE_1

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make every table."""
    _blobs()
    _documents()
    _versions()
    _representations()
    _assets()
    _readings_of_versions()
    _admissions_and_conversions()
    _search()
    op.create_table(
        "grants",
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("principal", "collection", name="pk_grants"),
    )


def downgrade() -> None:
    """A home is never taken back: its records would be lost."""
    raise RuntimeError("migrations only go forward")


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _small(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _names(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}")


def _blobs() -> None:
    op.create_table(
        "blobs",
        _text("digest"),
        _number("byte_count"),
        _text("state"),
        sa.PrimaryKeyConstraint("digest", name="pk_blobs"),
        sa.CheckConstraint("state IN ('pinned', 'stored', 'deleting')", name="ck_blobs_state_known"),
    )


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", _NUMBER, nullable=False, autoincrement=True),
        _text("doc_id"),
        sa.Column("collection", _SORTED, nullable=False),
        sa.Column("source_kind", _SORTED, nullable=False),
        sa.Column("reference", _SORTED, nullable=False),
        _text("title"),
        _text("folded_name"),
        sa.Column("place", sa.LargeBinary, nullable=True),
        _text("current_version_id", nullable=True),
        _number("created_ms"),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint("doc_id", name="uq_documents_doc_id"),
        sa.UniqueConstraint(
            "collection", "reference", "source_kind", name="uq_documents_collection_reference_source_kind"
        ),
    )


def _versions() -> None:
    op.create_table(
        "versions",
        _text("version_id"),
        _text("doc_id"),
        _text("content"),
        _text("media_type"),
        _text("family"),
        _text("route", nullable=True),
        _number("created_ms"),
        sa.PrimaryKeyConstraint("version_id", name="pk_versions"),
        _names("versions", "doc_id", "documents.doc_id"),
        _names("versions", "content", "blobs.digest"),
        sa.UniqueConstraint("doc_id", "content", name="uq_versions_doc_id_content"),
    )
    op.create_index("ix_versions_content", "versions", ["content"])


def _representations() -> None:
    op.create_table(
        "representations",
        _text("representation_id"),
        _text("content"),
        _text("conversion_key"),
        _text("route"),
        _text("manifest"),
        _text("manifest_type"),
        _number("created_ms"),
        sa.PrimaryKeyConstraint("representation_id", name="pk_representations"),
        _names("representations", "content", "blobs.digest"),
        _names("representations", "manifest", "blobs.digest"),
    )
    op.create_index("ix_representations_content", "representations", ["content"])


def _assets() -> None:
    op.create_table(
        "assets",
        _text("representation_id"),
        _small("ordinal"),
        _text("path"),
        _text("digest"),
        _text("media_type"),
        _text("locator"),
        sa.PrimaryKeyConstraint("representation_id", "ordinal", name="pk_assets"),
        _names("assets", "representation_id", "representations.representation_id"),
        _names("assets", "digest", "blobs.digest"),
        sa.UniqueConstraint("representation_id", "path", name="uq_assets_representation_id_path"),
    )
    op.create_index("ix_assets_digest", "assets", ["digest"])


def _readings_of_versions() -> None:
    op.create_table(
        "version_representations",
        _text("version_id"),
        _text("representation_id"),
        sa.PrimaryKeyConstraint("version_id", "representation_id", name="pk_version_representations"),
        _names("version_representations", "version_id", "versions.version_id"),
        _names("version_representations", "representation_id", "representations.representation_id"),
    )
    op.create_index("ix_version_representations_representation_id", "version_representations", ["representation_id"])
    op.create_table(
        "current_representations",
        _text("version_id"),
        _text("representation_id"),
        sa.PrimaryKeyConstraint("version_id", name="pk_current_representations"),
        _names("current_representations", "version_id", "versions.version_id"),
        _names("current_representations", "representation_id", "representations.representation_id"),
    )
    op.create_index("ix_current_representations_representation_id", "current_representations", ["representation_id"])


def _admissions_and_conversions() -> None:
    op.create_table(
        "admissions",
        _text("content"),
        _text("policy"),
        _text("outcome"),
        _text("reason", nullable=True),
        _text("decoder"),
        _text("probe", nullable=True),
        _number("decided_ms"),
        sa.PrimaryKeyConstraint("content", "policy", name="pk_admissions"),
        _names("admissions", "content", "blobs.digest"),
    )
    op.create_table(
        "conversions",
        _text("conversion_key"),
        _text("content"),
        _text("route"),
        _text("state"),
        _small("attempts"),
        sa.Column("retryable", sa.Boolean, nullable=False),
        _text("code", nullable=True),
        _text("representation_id", nullable=True),
        _text("owner", nullable=True),
        _number("expires_ms", nullable=True),
        sa.PrimaryKeyConstraint("conversion_key", name="pk_conversions"),
        _names("conversions", "content", "blobs.digest"),
        _names("conversions", "representation_id", "representations.representation_id"),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="ck_conversions_state_known"),
    )
    op.create_index("ix_conversions_content", "conversions", ["content"])


def _search() -> None:
    op.create_table(
        "passages",
        sa.Column("id", _NUMBER, nullable=False, autoincrement=True),
        _text("representation_id"),
        _small("ordinal"),
        _small("start_char"),
        _small("end_char"),
        _text("locator"),
        _text("text"),
        sa.PrimaryKeyConstraint("id", name="pk_passages"),
        _names("passages", "representation_id", "representations.representation_id"),
        sa.UniqueConstraint("representation_id", "ordinal", name="uq_passages_representation_id_ordinal"),
    )
    if op.get_context().dialect.name == "sqlite":
        for statement in CREATE_1:
            op.execute(statement)
