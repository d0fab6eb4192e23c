"""Homes in hard places: disks that are full or may not be written, no hard links, a kill at each step."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.homes import files_below, fill_inbox

from eyeline import Eyeline
from eyeline.catalog.audit import AuditLog
from eyeline.model.digest import Digest
from eyeline.store import LocalStore

ROOT = Path(__file__).parents[2]
WAIT_S = 300

ON_A_DISK_THAT_MAY_NOT_BE_WRITTEN = """
import json, os, subprocess, sys
from pathlib import Path
from eyeline import Eyeline
from eyeline.testing.catalog_samples import code_of
home, note = Path(sys.argv[1]), Path(sys.argv[2])
with Eyeline(home) as eye:
    version_id = eye.ingest(note).items[0].version_id
    # everything is imported now: who drops privileges may not be able to read the interpreter's folder
    eye.open(version_id), eye.read(version_id), eye.find("words"), eye.publish(), eye.convert(), eye.check()
if os.geteuid() == 0:
    subprocess.run(["chown", "-R", "65534:65534", str(home)], check=True)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for path in sorted([home, *home.rglob("*")], reverse=True):
    if not path.is_symlink():
        path.chmod(path.stat().st_mode & 0o555)
with Eyeline(home) as eye:
    calls = {
        "open": lambda: eye.open(version_id),
        "fetch": lambda: eye.fetch(version_id),
        "read": lambda: eye.read(version_id),
        "find": lambda: eye.find("words"),
        "show": lambda: eye.show(version_id),
        "ingest": lambda: eye.ingest(note),
        "convert": lambda: eye.convert(),
        "publish": lambda: eye.publish(),
        "forget": lambda: eye.forget(version_id),
        "check": lambda: eye.check(),
    }
    codes = {name: code_of(call) for name, call in calls.items()}
(original,) = (home / "tree").glob("doc_*/current/original.txt")
for path in [home, *home.rglob("*")]:
    if path.is_dir():
        path.chmod(0o700)
print(json.dumps([codes, original.read_text()]))
"""

ON_A_FULL_DISK = """
import json, resource, sys
from pathlib import Path
from eyeline import Eyeline, Settings
from eyeline.testing.catalog_samples import code_of
home, inbox = Path(sys.argv[1]), Path(sys.argv[2])

def bound(byte_count):
    resource.setrlimit(resource.RLIMIT_FSIZE, (byte_count, resource.RLIM_INFINITY))

told = {}
with Eyeline(home, settings=Settings(workers=1)) as eye:
    eye.ingest(inbox)
    (inbox / "large.txt").write_text("".join(f"zanzibar line {number}\\n" for number in range(40_000)))
    bound(600_000)
    told["ingest"] = [[item.source, item.code] for item in eye.ingest(inbox / "large.txt").items]
    bound(resource.RLIM_INFINITY)
    told["after"] = [[item.source, item.code] for item in eye.ingest(inbox / "large.txt").items]
    told["forget"] = []
    for size in range(100_000, 60_000_000, 200_000):
        bound(size)
        told["forget"].append([code_of(lambda: eye.forget("large.txt")), code_of(lambda: eye.show("large.txt"))])
        if told["forget"][-1][0] != "store_error":
            break
    bound(resource.RLIM_INFINITY)
    told["other"] = code_of(lambda: eye.show("note.md"))
    told["left"] = [each.code for each in eye.check(repair=True, grace_ms=0).left]
    told["clean"] = eye.check(grace_ms=0).clean
print(json.dumps(told))
"""

DIES_AT_EACH_STEP = """
import io, json, multiprocessing, sys
from pathlib import Path
from eyeline.catalog.audit import AuditLog
from eyeline.store import LocalStore
from eyeline.testing.audit_contract import RELEASED
from eyeline.testing.killing import die, interrupt
folder, what = Path(sys.argv[1]), sys.argv[2]

def put(home, told):
    store = LocalStore(home / "blobs")
    for text in (b"one", b"two", b"one"):
        store.put(io.BytesIO(text))
        told.write("kept\\n")
        told.flush()

def record(home, told):
    with AuditLog.open(home / "audit.sqlite") as log:
        for _ in range(4):
            log.released(RELEASED)
            told.write("kept\\n")
            told.flush()

def doomed(home, at):
    home.mkdir()
    calls = interrupt(at, die)
    with (home / "told").open("w") as told:
        {"put": put, "audit": record}[what](home, told)
    (home / "count").write_text(str(calls.count))

def run(at):
    process = multiprocessing.get_context("fork").Process(target=doomed, args=(folder / str(at), at))
    process.start()
    process.join()
    return process.exitcode

assert run(0) == 0
count = int((folder / "0" / "count").read_text())
assert {run(at) for at in range(1, count + 1)} == {-9}
print(json.dumps(count))
"""


def open_to_all(folder: Path) -> None:
    """Let any user reach a test's folder through those that pytest made around it."""
    while folder.name and not folder.name.startswith("pytest-of-"):
        folder.chmod(0o755)
        folder = folder.parent
    folder.chmod(0o755)


def output_of(script: str, *arguments: str) -> Any:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=WAIT_S)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@pytest.mark.requirement("SA-21")
def test_on_a_disk_that_may_not_be_written_the_tree_is_read_and_all_else_says_so(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("words")
    open_to_all(tmp_path)
    codes, text = output_of(ON_A_DISK_THAT_MAY_NOT_BE_WRITTEN, str(tmp_path / "home"), str(note))
    assert set(codes.values()) == {"store_error"}, codes
    assert text == "words"


@pytest.mark.requirement("XC-02")
def test_on_a_full_disk_a_verb_says_so_and_what_was_kept_stays(tmp_path: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    told = output_of(ON_A_FULL_DISK, str(tmp_path / "home"), str(inbox))
    assert told["ingest"] == [["large.txt", "store_error"]]
    assert told["after"] == [["large.txt", "admitted"]]
    # not begun, perhaps begun and not finished, finished: with a little more room each time
    outcomes = [tuple(each) for each in told["forget"]]
    stages = [("store_error", "none"), ("store_error", "document_not_found"), ("none", "document_not_found")]
    assert sorted(outcomes, key=stages.index) == outcomes
    assert (outcomes[0], outcomes[-1]) == (stages[0], stages[-1])
    assert told["other"] == "none"
    assert (told["left"], told["clean"]) == ([], True)
    assert not any(b"zanzibar" in path.read_bytes() for path in files_below(tmp_path / "home"))


def test_without_hard_links_everything_is_kept_shown_checked_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    inbox = fill_inbox(tmp_path / "inbox")
    with Eyeline(tmp_path / "home") as eye:
        assert {item.code for item in eye.ingest(inbox).items} == {"admitted", "empty"}
        assert {path.stat().st_nlink for path in files_below(eye.home / "blobs")} == {1}
        copy = eye.tree / "by-name" / "default" / "note.md" / "current" / "original.md"
        assert copy.read_bytes() == (inbox / "note.md").read_bytes()
        assert eye.check(grace_ms=0).clean
        copy.chmod(0o600)
        copy.write_text("altered")
        (finding,) = eye.check(grace_ms=0).findings
        assert finding.code == "tree_differs"
        assert eye.check(repair=True).clean
        assert copy.read_bytes() == (inbox / "note.md").read_bytes()
        eye.forget("note.md")
        assert not any(b"PX-4417" in path.read_bytes() for path in files_below(eye.home))


@pytest.mark.requirement("XC-02")
def test_a_put_that_was_killed_at_any_step_keeps_what_it_told_and_leaves_nothing_half(tmp_path: Path) -> None:
    count = output_of(DIES_AT_EACH_STEP, str(tmp_path), "put")
    assert count > 10
    wanted = [Digest.of(b"one"), Digest.of(b"two"), Digest.of(b"one")]
    for at in range(1, count + 1):
        home = tmp_path / str(at)
        told = (home / "told").read_text().splitlines()
        store = LocalStore(home / "blobs")
        kept = set(store.list())
        assert set(wanted[: len(told)]) <= kept <= set(wanted)
        for digest in kept:
            store.verify(digest)
        assert list(store.flaws(mend=False)) == []


@pytest.mark.requirement("XC-02", "SA-21")
def test_an_audit_log_that_was_killed_at_any_step_holds_what_it_told(tmp_path: Path) -> None:
    count = output_of(DIES_AT_EACH_STEP, str(tmp_path), "audit")
    assert count >= 4
    for at in range(1, count + 1):
        told = (tmp_path / str(at) / "told").read_text().splitlines()
        with AuditLog.open(tmp_path / str(at) / "audit.sqlite") as log:
            assert len(told) <= log.verify_chain().entries <= len(told) + 1
