"""Migrations lead to the tables that the program is written for, and nowhere else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.database import AUDIT, CATALOG, Lineage
from eyeline.catalog.schema import audit_metadata, metadata
from eyeline.catalog.sqlite.database import SqliteDatabase

LINEAGES = [(CATALOG, metadata), (AUDIT, audit_metadata)]


def ours(obj: object, name: str | None, kind: str, *_: object) -> bool:
    """Leaves out the tables that the full-text index makes for itself."""
    del obj
    return not (kind == "table" and name is not None and name.startswith(("passage_index", "title_index")))


@pytest.mark.parametrize(("lineage", "tables"), LINEAGES)
def test_migrations_make_the_tables_of_the_schema(lineage: Lineage, tables: MetaData, tmp_path: Path) -> None:
    database = SqliteDatabase.open(tmp_path / "made.sqlite", lineage)
    options = {"compare_type": True, "target_metadata": tables, "include_object": ours}
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts=options), tables) == []
    database.close()


def test_a_home_of_the_first_release_opens_with_everything_in_it(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    first = Lineage("catalog", CATALOG.revisions[:1])
    SqliteDatabase.open(path, first).close()
    content = "0" * 64
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO blobs VALUES (?, 5, 'stored')", (content,))
        connection.execute(
            "INSERT INTO documents VALUES (1, 'doc_1', 'default', 'path', 'a.txt', 'a', 'a', NULL, 'ver_1', 7)"
        )
        connection.execute(
            "INSERT INTO versions VALUES ('ver_1', 'doc_1', ?, 'text/plain', 'text', NULL, 7)", (content,)
        )
    with Catalog.open(path) as catalog:
        (entry,) = catalog.list_documents().entries
        assert entry.document.reference == "a.txt"
        ref = entry.version.content
        (pin,) = catalog.pin_blobs([ref], now_ms=8)
        assert pin.ref == ref
        assert len(catalog.forget_versions(["ver_1"], now_ms=9)) == 1


@pytest.mark.parametrize(("lineage", "tables"), LINEAGES)
def test_the_known_revisions_are_those_that_ship(lineage: Lineage, tables: MetaData) -> None:
    del tables
    config = Config()
    config.set_main_option("script_location", f"eyeline.catalog:migrations/{lineage.name}")
    shipped = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(shipped)) == lineage.revisions
