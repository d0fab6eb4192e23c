"""The catalogue and the audit log against killed processes, other processes, damaged files and other programs."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.support.processes import line_from, printed_by, running, say

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.catalog.sqlite import database
from eyeline.errors import EyelineError
from eyeline.model.digest import Digest
from eyeline.testing.catalog_samples import NOW, ROUTE, claimed, code_of, convert, error_of, found, key_for, take_in

DIES_AT_EACH_STATEMENT = """
import json, os, shutil, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from eyeline.catalog.catalog import Catalog
from eyeline.testing.catalog_samples import *
home = Path(sys.argv[1])
with Catalog.open(home / "catalog.sqlite") as catalog:
    take_in(catalog, "a.pdf")

def doomed(path, at):
    count = 0
    def dies(*_):
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
    with Catalog.open(path) as catalog:
        event.listen(Engine, "before_cursor_execute", dies)
        recorded = take_in(catalog, "a.pdf", data=b"new")
        convert(catalog, recorded, texts=["pump", "valve"])

at, ended = 0, None
while ended != 0:
    at += 1
    copy = home / str(at) / "catalog.sqlite"
    copy.parent.mkdir()
    shutil.copy(home / "catalog.sqlite", copy)
    child = os.fork()
    if child == 0:
        doomed(copy, at)
        os._exit(0)
    ended = os.waitpid(child, 0)[1]
print(at)
"""

TAKES_IN_MANY = """
import sys
from pathlib import Path
from eyeline.catalog.catalog import Catalog
from eyeline.testing.catalog_samples import *
path, name = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
with Catalog.open(path) as catalog:
    for index in range(20):
        convert(catalog, take_in(catalog, f"{name}/{index}.pdf"), texts=["pump"])
        take_in(catalog, f"both/{index}.pdf")
print("done", flush=True)
"""

CLAIMS_AND_WAITS = """
import sys
from pathlib import Path
from eyeline.catalog.catalog import Catalog
from eyeline.testing.catalog_samples import *
with Catalog.open(Path(sys.argv[1])) as catalog:
    claimed(catalog, take_in(catalog, "a.pdf"))
    print("claimed", flush=True)
    sys.stdin.readline()
"""

OPENS_A_READ_ONLY_HOME = """
import os, sys, tempfile
from pathlib import Path
from eyeline.catalog.catalog import Catalog
from eyeline.testing.catalog_samples import code_of
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    home = Path(folder) / "home"
    home.mkdir(mode=0o500)
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.chown(home, 65534, 65534)
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        print(code_of(lambda: Catalog.open(home / "catalog.sqlite")), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print(len(list(home.iterdir())))
"""

LOADED = """
import sys
from pathlib import Path
import eyeline.catalog.records, eyeline.catalog.query, eyeline.catalog.cursors
light = "sqlalchemy" in sys.modules
from eyeline.catalog.catalog import Catalog
with Catalog.open(Path(sys.argv[1])) as catalog:
    catalog.search("pump")
print(light, "sqlalchemy" in sys.modules, "alembic" in sys.modules, "sqlalchemy.orm" in sys.modules)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "catalog.sqlite"


def contents(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong: pages, indexes, foreign keys, and the search index against its content."""
    with closing(sqlite3.connect(path)) as connection:
        for index in ("passage_index", "title_index"):
            connection.execute(f"INSERT INTO {index}({index}) VALUES ('integrity-check')")
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return whole and connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_process_killed_before_any_statement_leaves_all_of_a_step_or_nothing(tmp_path: Path) -> None:
    (last,) = printed_by(DIES_AT_EACH_STATEMENT, str(tmp_path))
    deaths = int(last) - 1
    assert deaths > 25
    stages: list[tuple[bool, bool]] = []
    for at in range(1, deaths + 2):
        path = tmp_path / str(at) / "catalog.sqlite"
        with Catalog.open(path) as catalog:
            document = catalog.document_named("a.pdf")
            assert document is not None
            assert document.current_version_id is not None
            version = catalog.version(document.current_version_id)
            assert version is not None
            recorded = version.content.digest == Digest.of(b"new")
            reading = catalog.current_representation(version.version_id)
            assert found(catalog, "pump") == ([] if reading is None else ["a.pdf#page=1"])
            assert found(catalog, "valve") == ([] if reading is None else ["a.pdf#page=2"])
            assert reading is None or len(reading.assets) == 2
            stages.append((recorded, reading is not None))
            again = take_in(catalog, "a.pdf", data=b"new")
            if reading is None:
                convert(catalog, again, texts=["pump", "valve"])
            assert found(catalog, "pump valve") == []
            assert found(catalog, "valve") == ["a.pdf#page=2"]
        assert sound(path)
    assert stages == sorted(stages)
    assert set(stages) == {(False, False), (True, False), (True, True)}


def test_two_processes_open_a_new_home_at_once_and_write(path: Path) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(running(TAKES_IN_MANY, str(path), name)) for name in ("x", "y")]
        assert [line_from(writer) for writer in writers] == ["ready", "ready"]
        for writer in writers:
            say(writer, "go")
        assert [line_from(writer) for writer in writers] == ["done", "done"]
    with Catalog.open(path) as catalog:
        assert len(catalog.list_documents().entries) == 60
        assert len(found(catalog, "pump")) == 40
    assert sound(path)


def test_a_claim_is_taken_over_when_its_process_is_dead_and_not_before(path: Path) -> None:
    with Catalog.open(path) as catalog:
        recorded = take_in(catalog, "a.pdf")
        content, key = recorded.version.content.digest, key_for(recorded)
        with running(CLAIMS_AND_WAITS, str(path)) as owner:
            assert line_from(owner) == "claimed"
            assert catalog.claim_conversion(key, content, route=ROUTE, now_ms=NOW) is None
        assert claimed(catalog, recorded).attempt == 2


def test_no_amount_of_reading_changes_the_database_file(path: Path) -> None:
    with Catalog.open(path) as catalog:
        convert(catalog, take_in(catalog, "a.pdf"), texts=["pump"])
    before = contents(path)
    for _ in range(3):
        with Catalog.open(path) as catalog:
            read_everything(catalog)
    assert contents(path) == before


def read_everything(catalog: Catalog) -> None:
    document = catalog.document_named("a.pdf")
    assert document is not None
    assert document.current_version_id is not None
    assert found(catalog, "pump") == ["a.pdf#page=1"]
    reading = catalog.current_representation(document.current_version_id)
    assert reading is not None
    catalog.representations_of(reading.content, collection="default")
    catalog.admission(reading.content, "policy/1")
    catalog.list_documents(limit=1)


def test_reading_what_a_dead_writer_left_in_the_log_changes_nothing_either(path: Path, tmp_path: Path) -> None:
    left = tmp_path / "left"
    with Catalog.open(path) as catalog:
        convert(catalog, take_in(catalog, "a.pdf"), texts=["pump"])
        left.mkdir()
        for name in ("catalog.sqlite", "catalog.sqlite-wal"):
            shutil.copy(path.with_name(name), left / name)
    assert (left / "catalog.sqlite-wal").stat().st_size > 0
    before = contents(left / "catalog.sqlite")
    for _ in range(2):
        with Catalog.open(left / "catalog.sqlite") as catalog:
            read_everything(catalog)
        assert contents(left / "catalog.sqlite") == before


def test_an_existing_catalogue_opens_without_the_migration_library(path: Path) -> None:
    Catalog.open(path).close()
    assert printed_by(LOADED, str(path)) == ["False", "True", "False", "False"]


def test_files_of_a_home_are_for_its_owner_only(path: Path) -> None:
    with Catalog.open(path) as catalog:
        take_in(catalog, "a.pdf")
        modes = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"this is no database, however long " * 200, "integrity_error"),
        (b"SQLite format 3\0" + b"\0" * 4080, "integrity_error"),
        (b"", "none"),
    ],
)
def test_a_file_that_is_no_database_is_said_to_be_damaged(path: Path, data: bytes, code: str) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    assert code_of(lambda: Catalog.open(path).close()) == code


def test_a_damaged_page_is_an_integrity_error_where_it_is_met(path: Path) -> None:
    with Catalog.open(path) as catalog:
        for index in range(200):
            take_in(catalog, f"{index}.pdf", title="x" * 300)
    size = path.stat().st_size
    with path.open("r+b") as opened:
        opened.seek(size // 2)
        opened.write(b"\xff" * (size // 4))
    with Catalog.open(path) as catalog:
        assert code_of(lambda: catalog.list_documents(limit=1000)) == "integrity_error"


def damaged_records(path: Path) -> Iterator[str]:
    with Catalog.open(path) as catalog:
        recorded = take_in(catalog, "a.pdf")
        convert(catalog, recorded, texts=["pump"])
    for statement in (
        "UPDATE versions SET media_type = 'no type'",
        "UPDATE documents SET source_kind = 'telepathy'",
        "UPDATE passages SET locator = 'nowhere'",
    ):
        copy = path.with_name("copy.sqlite")
        shutil.copy(path, copy)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute(statement)
        with Catalog.open(copy) as catalog:
            yield code_of(lambda: catalog.search("pump"))


def test_a_record_that_makes_no_value_is_an_integrity_error(path: Path) -> None:
    assert list(damaged_records(path)) == ["integrity_error"] * 3


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE recipes (name TEXT)", "UPDATE alembic_version SET version_num = 'r9999'"]
)
def test_a_database_of_another_program_or_a_newer_release_is_left_alone(path: Path, statement: str) -> None:
    if statement.startswith("UPDATE"):
        Catalog.open(path).close()
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    before = contents(path)
    assert code_of(lambda: Catalog.open(path)) == "config_error"
    assert contents(path) == before


def test_an_audit_log_is_no_catalogue(path: Path) -> None:
    AuditLog.open(path).close()
    assert code_of(lambda: Catalog.open(path)) == "config_error"


def test_a_home_that_cannot_be_written_is_a_store_error() -> None:
    assert printed_by(OPENS_A_READ_ONLY_HOME) == ["store_error", "0"]


def test_a_failure_names_no_path_of_the_host(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(EyelineError) as failure:
        Catalog.open(path)
    assert str(path.parent) not in f"{failure.value} {failure.value.detail}"


def test_a_writer_that_waits_too_long_says_so_and_may_try_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_MS", 50)
    with Catalog.open(path) as catalog, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        busy = error_of(lambda: take_in(catalog, "a.pdf"))
        assert catalog.list_documents().entries == ()
        other.execute("ROLLBACK")
        take_in(catalog, "a.pdf")
    assert busy is not None
    assert (busy.code, busy.retryable, busy.detail["reason"]) == ("store_error", True, "SQLITE_BUSY")
