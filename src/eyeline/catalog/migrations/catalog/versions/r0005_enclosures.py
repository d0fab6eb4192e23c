"""What came inside what: a version of a mail, and the versions of the documents it enclosed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision = "r0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "enclosures",
        sa.Column("mail_version_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["mail_version_id"], ["versions.version_id"], name="fk_enclosures_mail_version_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.version_id"], name="fk_enclosures_version_id"),
        sa.PrimaryKeyConstraint("mail_version_id", "version_id", name="pk_enclosures"),
    )
    op.create_index("ix_enclosures_version_id", "enclosures", ["version_id"])


def downgrade() -> None:
    """A home is never taken back: its records would be lost."""
    raise RuntimeError("migrations only go forward")
