"""Forgetting: which incarnation of a blob a pin is for and since when, and tombstones of versions that are going."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns to blobs, and the tombstones."""
    op.add_column("blobs", sa.Column("incarnation", sa.Text, nullable=False, server_default=""))
    op.add_column("blobs", sa.Column("pinned_ms", sa.BigInteger, nullable=False, server_default="0"))
    op.create_index("ix_blobs_state", "blobs", ["state"])
    op.create_table(
        "tombstones",
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("version_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=True),
        sa.Column("reference", sa.Text, nullable=True),
        sa.Column("forgotten_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_tombstones"),
    )


def downgrade() -> None:
    """A home is never taken back: its records would be lost."""
    raise RuntimeError("migrations only go forward")
