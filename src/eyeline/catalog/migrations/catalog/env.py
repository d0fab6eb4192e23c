"""Entry point of Alembic for the catalog database."""

from __future__ import annotations

from eyeline.catalog.migrating import run
from eyeline.catalog.schema import metadata

run(metadata)
