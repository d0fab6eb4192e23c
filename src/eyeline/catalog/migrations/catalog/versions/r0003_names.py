"""Finding a document by its name without reading every document."""

from __future__ import annotations

from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index references and titles."""
    op.create_index("ix_documents_reference", "documents", ["reference"])
    op.create_index("ix_documents_title", "documents", ["title"])


def downgrade() -> None:
    """A home is never taken back: its records would be lost."""
    raise RuntimeError("migrations only go forward")
