"""What docs/format.md says of the databases is what lies in a home."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.meta.tree import ROOT, table_rows

from eyeline import Eyeline
from eyeline.media.sample_pictures import make_picture

PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
CATALOGUE = PAGE.partition("## Catalogue")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("format")
    (folder / "note.txt").write_text("words")
    (folder / "mark.png").write_bytes(make_picture(width=3000, height=40))
    with Eyeline(folder / "home") as eye:
        eye.ingest(folder / "note.txt")
        eye.attach(folder / "note.txt")
        eye.ingest(folder / "mark.png", collection="other")
        eye.open("note.txt")
        eye.open("note.txt", accept=["image/png"])
    return folder / "home"


def _asked(database: Path, query: str) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [str(row[0]) for row in connection.execute(query)]


@pytest.mark.requirement("XC-07")
def test_every_table_and_revision_on_the_page_is_there_and_no_other(home: Path) -> None:
    tables = _asked(home / "catalog.sqlite", "SELECT name FROM sqlite_schema WHERE type = 'table'")
    shadows = re.compile(r"\w+_index(_\w+)?|sqlite_\w+|alembic_version")
    named = [row[0].strip("`") for row in table_rows(CATALOGUE)][2:]
    assert sorted(named) == sorted(name for name in tables if not shadows.fullmatch(name))
    assert {"passage_index", "title_index"} <= set(tables)
    for database, letter in (("catalog.sqlite", "r"), ("audit.sqlite", "a")):
        (revision,) = _asked(home / database, "SELECT version_num FROM alembic_version")
        assert re.findall(rf"`({letter}\d{{4}})`", PAGE) == [revision]


@pytest.mark.requirement("XC-07")
def test_every_key_on_the_page_is_the_key_of_its_table(home: Path) -> None:
    for name, _, key in list(table_rows(CATALOGUE))[2:]:
        columns = set(_asked(home / "catalog.sqlite", f"SELECT name FROM pragma_table_info({name.strip('`')!r})"))
        said = set(re.findall(r"`(\w+)`", key))
        assert said <= columns


@pytest.mark.requirement("XC-07")
def test_the_files_of_a_home_are_on_the_page(home: Path) -> None:
    named = {row[0].strip("`/") for row in list(table_rows(PAGE.partition("## Blobs")[0]))[2:]}
    there = {re.sub(r"\.sqlite(-wal|-shm|\.lock)$", ".sqlite", path.name) for path in home.iterdir()}
    assert there <= named
    assert named - there == {"eyeline.toml", "errors.log"}


@pytest.mark.requirement("XC-07")
def test_the_chain_of_the_audit_log_is_recomputed_as_the_page_says(home: Path) -> None:
    before = "0" * 64
    with closing(sqlite3.connect(home / "audit.sqlite")) as database:
        rows = list(database.execute("SELECT seq, record, previous, digest FROM audit_entries ORDER BY seq"))
    assert [row[0] for row in rows] == [1, 2]
    for seq, record, previous, digest in rows:
        assert previous == before
        assert digest == hashlib.sha256(f"{seq}\n{previous}\n{record}".encode()).hexdigest()
        plain = json.loads(record)
        assert record == json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = digest


def _derived(prefix: str, *fields: str) -> str:
    """An id as the page says it is made."""
    data = (each.encode() for each in (prefix, *fields))
    hashed = hashlib.sha256(b"".join(len(each).to_bytes(8, "big") + each for each in data))
    return f"{prefix}_{hashed.hexdigest()[:32]}"


@pytest.mark.requirement("XC-07")
def test_ids_are_derived_as_the_page_says(home: Path) -> None:
    content = hashlib.sha256(b"words").hexdigest()
    document = _derived("doc", "default", "path", "note.txt")
    version = _derived("ver", document, content)
    assert _asked(home / "catalog.sqlite", "SELECT version_id FROM versions WHERE content = " + repr(content)) == [
        version
    ]
    manifests = list((home / "tree" / document / content).glob("rep_*/manifest.json"))
    assert [path.parent.name for path in manifests] == [
        _derived("rep", hashlib.sha256(path.read_bytes()).hexdigest()) for path in manifests
    ]
    assert len(manifests) == 1
