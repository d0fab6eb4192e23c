"""Entry point of Alembic for the audit database."""

from __future__ import annotations

from eyeline.catalog.migrating import run
from eyeline.catalog.schema import audit_metadata

run(audit_metadata)
