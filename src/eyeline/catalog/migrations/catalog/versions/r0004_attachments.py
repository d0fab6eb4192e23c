"""Attachments: what is attached, who needs it, and which objects that takes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "attachments",
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("upload", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("saved_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("reference", name="pk_attachments"),
    )
    op.create_index("ix_attachments_object", "attachments", ["object"])
    op.create_index("ix_attachments_upload", "attachments", ["upload"])
    op.create_index("ix_attachments_saved_ms", "attachments", ["saved_ms"])
    op.create_table(
        "attachment_objects",
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place", name="pk_attachment_objects"),
    )
    op.create_index("ix_attachment_objects_digest", "attachment_objects", ["digest"])
    op.create_table(
        "attachment_holds",
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["reference"], ["attachments.reference"], name="fk_attachment_holds_reference"),
        sa.PrimaryKeyConstraint("holder", "reference", name="pk_attachment_holds"),
    )
    op.create_index("ix_attachment_holds_reference", "attachment_holds", ["reference"])


def downgrade() -> None:
    """A home is never taken back: its records would be lost."""
    raise RuntimeError("migrations only go forward")
