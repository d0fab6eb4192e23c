"""A SQLite file and its connections: one that writes, several that only read."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.pool import QueuePool

from eyeline.catalog.database import ConflictingInsert, Lineage, SearchIndex, Values, Writing
from eyeline.catalog.failures import ours
from eyeline.catalog.migrating import due, migrate
from eyeline.catalog.sqlite.file_system import refuse_network
from eyeline.catalog.sqlite.index import OPTIMISE, VERIFY, SqliteIndex
from eyeline.errors import ConfigError, StoreError
from eyeline.toolkit.cancel import CancelToken

BUSY_MS = 30_000
LOCK_MS = 120_000
_READERS, _MORE_READERS = 8, 56
_STEPS_BETWEEN_LOOKS = 10_000
_EVERY_CONNECTION = ("PRAGMA foreign_keys = ON",)
# FULL: a commit is on the disk when it returns. secure_delete: what is deleted is overwritten.
_WRITING_CONNECTION = ("PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON")


class SqliteDatabase:
    """One SQLite database at the current revision of its lineage, in WAL mode.

    Reading goes over connections that are opened read-only, so that not even the last one to close copies the log into
    the main file. Writers of one process queue for the one writing connection, writers of several wait for each other
    up to `BUSY_MS`.
    """

    index: SearchIndex

    def __init__(self, path: Path) -> None:
        self.index = SqliteIndex()
        self._reader = _engine(path, "ro", begin="BEGIN", pool_size=_READERS, max_overflow=_MORE_READERS)
        self._writer = _engine(path, "rw", begin="BEGIN IMMEDIATE", pool_size=1, max_overflow=0)

    @classmethod
    def open(cls, path: Path, lineage: Lineage) -> SqliteDatabase:
        """Open a database, making or migrating it first where that is due.

        Raises `ConfigError` on a network file system, or for a database that is not ours or too new; `IntegrityError`
        for a damaged file; `StoreError` when the disk refuses.
        """
        with ours():
            refuse_network(path.parent)
            if due(lineage, _revision(path)):
                _bring_up(path, lineage)
        return cls(path)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """One consistent state to read."""
        with ours(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Writing]:
        """One durable transaction, alone from its start."""
        with ours(), self._writer.begin() as connection:
            yield Writing(connection, self.index, _insert)

    def flaws(self) -> tuple[str, ...]:
        """What SQLite finds wrong: pages and indexes, references to rows that are not there."""
        found: list[str] = []
        with self._direct() as connection:
            found += [str(text) for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
            for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                found.append(f"a row of {table} refers to a row of {parent} that is not there")
        return tuple(found)

    def index_holds(self) -> bool:
        """Whether FTS5 finds its index and its texts to agree."""
        with self._direct() as connection:
            try:
                for statement in VERIFY if self._has_index(connection) else ():
                    connection.execute(statement)
            except sqlite3.DatabaseError as exc:
                if exc.sqlite_errorname.startswith("SQLITE_CORRUPT"):
                    return False
                raise
        return True

    def scrub(self, cancel: CancelToken) -> bool:
        """Merge the index, write the file anew and empty the log; false when a reader holds the log."""
        with self._direct() as connection, _until(cancel, connection):
            for statement in (*(OPTIMISE if self._has_index(connection) else ()), "VACUUM"):
                cancel.raise_if_cancelled()
                connection.execute(statement)
            return not _one(connection, "PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _direct(self) -> Generator[sqlite3.Connection]:
        """The writing connection itself, without a transaction around it."""
        with ours():
            borrowed = self._writer.raw_connection()
            try:
                yield cast("sqlite3.Connection", borrowed.driver_connection)
            finally:
                borrowed.close()

    def _has_index(self, connection: sqlite3.Connection) -> bool:
        return _one(connection, "SELECT 1 FROM sqlite_master WHERE name = 'passage_index'") is not None

    def close(self) -> None:
        """Close readers first: the writer, as the last one, then folds the log into the main file."""
        self._reader.dispose()
        self._writer.dispose()


@contextmanager
def _until(cancel: CancelToken, connection: sqlite3.Connection) -> Generator[None]:
    """End a statement that is running as soon as nobody wants it any more; it leaves nothing behind."""
    connection.set_progress_handler(lambda: cancel.cancelled, _STEPS_BETWEEN_LOOKS)
    try:
        yield
    except sqlite3.OperationalError:
        cancel.raise_if_cancelled()
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _insert(table: Table, values: Values) -> ConflictingInsert:
    return insert(table).values(values)


def _engine(path: Path, mode: str, *, begin: str, pool_size: int, max_overflow: int) -> Engine:
    def connect() -> sqlite3.Connection:
        return _connect(path, mode)

    engine = create_engine(
        "sqlite+pysqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=max_overflow,
        pool_timeout=BUSY_MS / 1000,
        hide_parameters=True,
    )

    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "begin", start)
    return engine


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for statement in _EVERY_CONNECTION + (_WRITING_CONNECTION if mode == "rw" else ()):
            connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _revision(path: Path) -> str | None:
    """The revision that a database says it is at; none where there is no database yet."""
    if not path.exists():
        return None
    with closing(_connect(path, "ro")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "alembic_version" in names:
            return _one(connection, "SELECT version_num FROM alembic_version")
    if names:
        raise ConfigError("the database in the home was not made by this program", hint="choose another home")
    return None


def _one(connection: sqlite3.Connection, query: str) -> Any:
    row = connection.execute(query).fetchone()
    return None if row is None else row[0]


def _bring_up(path: Path, lineage: Lineage) -> None:
    """Make or migrate a database, one process at a time; who waited finds it done."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(path.with_name(f"{path.name}.lock")):
        if not due(lineage, _revision(path)):
            return
        _create(path)
        with closing(_connect(path, "rw")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        engine = _engine(path, "rw", begin="BEGIN IMMEDIATE", pool_size=1, max_overflow=0)
        try:
            with engine.begin() as connection:
                migrate(connection, lineage)
        finally:
            engine.dispose()


def _create(path: Path) -> None:
    """An empty file that only its owner reads, unless one is there. The log and its index inherit the mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return


@contextmanager
def _alone(path: Path) -> Generator[None]:
    """Hold a lock file, or raise `StoreError` after `LOCK_MS`."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + LOCK_MS / 1000
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                raise StoreError("another process has been preparing the database for too long", hint="end it")
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
