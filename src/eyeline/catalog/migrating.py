"""Migrations: they ship in the package and run in one transaction. Alembic loads only when one is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.catalog.database import Lineage
from eyeline.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import Connection, MetaData


def due(lineage: Lineage, revision: str | None) -> bool:
    """Whether a database at this revision (none: an empty one) must be migrated first.

    Raises `ConfigError` for a revision this program does not know: a newer program wrote it, or it is another lineage.
    """
    if revision is not None and revision not in lineage.revisions:
        raise ConfigError(
            f"the {lineage.name} database is at revision {revision!r}, which this release does not know",
            hint="use the release that wrote it, or a newer one",
            revision=revision,
        )
    return revision != lineage.head


def migrate(connection: Connection, lineage: Lineage) -> None:
    """Run what is due inside the caller's transaction."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", f"eyeline.catalog:migrations/{lineage.name}")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, lineage.head)
    except CommandError as exc:
        raise ConfigError(f"the {lineage.name} database could not be migrated") from exc


def run(metadata: MetaData) -> None:
    """What `env.py` of each lineage does: run the migrations on the connection that `migrate` handed over."""
    from alembic import context

    connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()
