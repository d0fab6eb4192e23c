"""`AuditLog`: what was delivered, refused and forgotten, appended to a chain of its own database and never changed.

Each entry's digest covers its number, the digest before it and its record, so an entry that was altered, taken out or
put in between shows. Entries cut off at the end do not: keep the head of the chain elsewhere to notice that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, insert

from eyeline import wire
from eyeline.catalog.cursors import check_limit, fingerprint, read_cursor, write_cursor
from eyeline.catalog.database import AUDIT, Database, Question
from eyeline.catalog.records import AuditChain, AuditFilters
from eyeline.catalog.rows import Record, columns, kept
from eyeline.catalog.schema import audit_entries
from eyeline.catalog.sqlite.database import SqliteDatabase
from eyeline.errors import IntegrityError, InvalidRequest
from eyeline.model.audit import AuditEntry, AuditOutcome, AuditPage, AuditRecord
from eyeline.model.digest import Digest

EVERYTHING = AuditFilters()
NO_DIGEST = "0" * 64
"""What stands before the first entry."""

_BATCH = 500
_ANNOUNCES = (AuditOutcome.RELEASED, AuditOutcome.FORGOTTEN)


class AuditLog:
    """The audit log of a home. Used by several threads and several processes, which all append to one chain."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the SQLite log at a path, making it where it is missing. Raises as `Catalog.open`."""
        return cls(SqliteDatabase.open(path, AUDIT))

    def close(self) -> None:
        """Close every connection; may be called twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def released(self, record: AuditRecord) -> int:
        """Append a record of any outcome; its number in the chain. It is on the disk when this returns.

        Whatever this raises (`StoreError`, `IntegrityError`, `InvalidRequest`), nothing was recorded: deliver nothing.
        """
        return self.append([record])[-1]

    def append(self, records: Sequence[AuditRecord]) -> range:
        """Append several records, all or none; their numbers. Raises as `released`."""
        with self._database.writing() as writing:
            last = writing.connection.execute(_LAST).one_or_none()
            first, previous = (1, NO_DIGEST) if last is None else (last.seq + 1, last.digest)
            rows: list[dict[str, Any]] = []
            for seq, record in enumerate(records, start=first):
                text = _canonical(record)
                digest = _digest(seq, previous=previous, record=text).hex
                rows.append({"seq": seq, "previous": previous, "digest": digest, "record": text, **_searched(record)})
                previous = digest
            if rows:
                writing.connection.execute(_APPEND, rows)
        return range(first, first + len(rows))

    def complete(self, seq: int, outcome: AuditOutcome, *, code: str | None, at_ms: int) -> int:
        """Append how what a record announced ended: a transfer, a forgetting; the number of the completion.

        Raises `InvalidRequest` when no record that announces something has this number.
        """
        with self._database.reading() as connection:
            entry = _at(connection, seq)
        if entry is None or entry.record.outcome not in _ANNOUNCES:
            raise InvalidRequest(f"no record that announces something has the number {seq}")
        named = entry.record
        completion = AuditRecord(
            at_ms,
            named.principal,
            named.surface,
            named.action,
            outcome,
            version_id=named.version_id,
            representation_id=named.representation_id,
            locator=named.locator,
            code=code,
            completion_of=seq,
        )
        return self.released(completion)

    def records(self, filters: AuditFilters = EVERYTHING, *, cursor: str | None = None, limit: int = 100) -> AuditPage:
        """Entries, newest first, and the cursor for older ones.

        Raises `InvalidRequest` for a cursor of another question and `LimitExceeded` for a limit outside 1 to 1000.
        """
        asked = fingerprint("audit", filters)
        query = _filtered(filters)
        if cursor is not None:
            query = query.where(audit_entries.c.seq < read_cursor(cursor, asked, kinds=(int,))[0])
        query = query.order_by(audit_entries.c.seq.desc()).limit(check_limit(limit) + 1)
        with self._database.reading() as connection:
            entries = tuple(map(_entry, connection.execute(query)))
        more = write_cursor(asked, (entries[limit - 1].seq,)) if len(entries) > limit else None
        return AuditPage(entries[:limit], more)

    def verify_chain(self) -> AuditChain:
        """Count the entries and name the head, or raise `IntegrityError` whose detail says the `seq` of the break."""
        seq, previous = 0, NO_DIGEST
        with self._database.reading() as connection:
            for rows in connection.execute(_ENTRIES.order_by(audit_entries.c.seq)).partitions(_BATCH):
                for row in rows:
                    seq += 1
                    if not _holds(row, seq=seq, previous=previous):
                        raise IntegrityError("the audit log was changed", hint="compare with a copy", seq=seq)
                    previous = row.digest
        return AuditChain(seq, None if seq == 0 else Digest(previous))


_ENTRIES = columns(audit_entries)
_LAST = columns(audit_entries.c.seq, audit_entries.c.digest).order_by(audit_entries.c.seq.desc()).limit(1)
_APPEND = insert(audit_entries)
"""Put together once: every open asks these."""


def _canonical(record: AuditRecord) -> str:
    """One JSON text for a record: keys sorted, no white space, fields without a value left out."""
    return json.dumps(wire.to_plain(record), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _digest(seq: int, *, previous: str, record: str) -> Digest:
    return Digest.of(f"{seq}\n{previous}\n{record}".encode())


def _searched(record: AuditRecord) -> dict[str, Any]:
    """The fields of a record that have a column, so that they can be asked for."""
    return {
        "at_ms": record.at_ms,
        "principal": record.principal,
        "surface": record.surface,
        "action": record.action.value,
        "outcome": record.outcome.value,
        "version_id": record.version_id,
        "completion_of": record.completion_of,
    }


def _holds(row: Record, *, seq: int, previous: str) -> bool:
    """Whether a row is the next one of the chain and says in its columns what its record says."""
    if row.seq != seq or row.previous != previous:
        return False
    if row.digest != _digest(seq, previous=previous, record=row.record).hex:
        return False
    searched = _searched(_entry(row).record)
    return all(getattr(row, name) == value for name, value in searched.items())


def _filtered(filters: AuditFilters) -> Question:
    column = audit_entries.c
    asked = (
        (filters.principal, column.principal.__eq__),
        (filters.surface, column.surface.__eq__),
        (filters.action, column.action.__eq__),
        (filters.outcome, column.outcome.__eq__),
        (filters.version_id, column.version_id.__eq__),
        (filters.completion_of, column.completion_of.__eq__),
        (filters.since_ms, column.at_ms.__ge__),
        (filters.before_ms, column.at_ms.__lt__),
    )
    return _ENTRIES.where(*(compare(value) for value, compare in asked if value is not None))


def _at(connection: Connection, seq: int) -> AuditEntry | None:
    row = connection.execute(_ENTRIES.where(audit_entries.c.seq == seq)).one_or_none()
    return None if row is None else _entry(row)


@kept
def _entry(row: Record) -> AuditEntry:
    return AuditEntry(row.seq, wire.loads(AuditRecord, row.record), Digest(row.previous), Digest(row.digest))
