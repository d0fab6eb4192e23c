"""The audit log against killed processes, full disks and people who change it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.support.processes import line_from, printed_by, running, say

from eyeline.catalog.audit import AuditLog
from eyeline.errors import EyelineError
from eyeline.testing.audit_contract import RELEASED

APPENDS = """
import sys
from pathlib import Path
from eyeline.catalog.audit import AuditLog
from eyeline.testing.audit_contract import RELEASED
with AuditLog.open(Path(sys.argv[1])) as log:
    for _ in range(25):
        log.released(RELEASED)
    print("half", flush=True)
    sys.stdin.readline()
    for _ in range(25):
        log.released(RELEASED)
    print("done", flush=True)
"""

FILLS_THE_DISK = """
import resource, sys
from pathlib import Path
from eyeline.catalog.audit import AuditLog
from eyeline.catalog.sqlite import database
from eyeline.errors import EyelineError
from eyeline.testing.audit_contract import RELEASED
with AuditLog.open(Path(sys.argv[1])) as log:
    seq = log.released(RELEASED)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        while True:
            seq = log.released(RELEASED)
    except EyelineError as error:
        print(error.code, seq)
"""


def test_processes_append_to_one_chain_and_one_that_is_killed_does_not_break_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.sqlite"
    with ExitStack() as stack:
        appenders = [stack.enter_context(running(APPENDS, str(path))) for _ in range(3)]
        assert [line_from(appender) for appender in appenders] == ["half"] * 3
        appenders[0].kill()
        for appender in appenders[1:]:
            say(appender, "go on")
        assert [line_from(appender) for appender in appenders[1:]] == ["done"] * 2
    with AuditLog.open(path) as log:
        assert log.verify_chain().entries == 125
        assert log.released(RELEASED) == 126


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("UPDATE audit_entries SET record = replace(record, 'local:ann', 'local:bob') WHERE seq = 3", 3),
        ("UPDATE audit_entries SET principal = 'local:bob' WHERE seq = 3", 3),
        ("DELETE FROM audit_entries WHERE seq = 3", 3),
        ("DELETE FROM audit_entries WHERE seq = 1", 1),
        ("UPDATE audit_entries SET previous = digest WHERE seq = 4", 4),
    ],
)
def test_an_entry_that_was_changed_taken_out_or_moved_breaks_the_chain(
    tmp_path: Path, statement: str, seq: int
) -> None:
    path = tmp_path / "audit.sqlite"
    with AuditLog.open(path) as log:
        for _ in range(5):
            log.released(RELEASED)
        log.verify_chain()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with AuditLog.open(path) as log, pytest.raises(EyelineError) as broken:
        log.verify_chain()
    assert (broken.value.code, broken.value.detail["seq"]) == ("integrity_error", seq)


def test_the_chain_can_be_verified_without_this_program(tmp_path: Path) -> None:
    path = tmp_path / "audit.sqlite"
    with AuditLog.open(path) as log:
        for _ in range(3):
            log.released(RELEASED)
    previous = "0" * 64
    with closing(sqlite3.connect(path)) as connection:
        for seq, before, digest, record in connection.execute(
            "SELECT seq, previous, digest, record FROM audit_entries ORDER BY seq"
        ):
            assert before == previous
            assert hashlib.sha256(f"{seq}\n{before}\n{record}".encode()).hexdigest() == digest
            assert json.loads(record)["principal"] == RELEASED.principal
            previous = digest


def test_a_full_disk_is_a_store_error_and_what_was_recorded_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "audit.sqlite"
    code, recorded = printed_by(FILLS_THE_DISK, str(path))
    assert (code, int(recorded) > 1) == ("store_error", True)
    with AuditLog.open(path) as log:
        assert log.verify_chain().entries == int(recorded)
        assert log.released(RELEASED) == int(recorded) + 1
