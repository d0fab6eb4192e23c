"""The chain of audit entries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the one table."""
    op.create_table(
        "audit_entries",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False, autoincrement=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("principal", sa.Text, nullable=False),
        sa.Column("surface", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("version_id", sa.Text, nullable=True),
        sa.Column("completion_of", sa.BigInteger, nullable=True),
        sa.Column("record", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_version_id", "audit_entries", ["version_id"])
    op.create_index("ix_audit_entries_completion_of", "audit_entries", ["completion_of"])


def downgrade() -> None:
    """An audit log is never taken back."""
    raise RuntimeError("migrations only go forward")
