"""The local store against killed writers, full disks, other processes and users without privileges."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.support.processes import WAIT_S, as_ordinary_user, line_from, running, say

from eyeline.model.digest import Digest
from eyeline.store import LocalStore
from eyeline.store.local import Share

HALF_WRITTEN = """
import sys
from pathlib import Path
from eyeline.store import LocalStore
class Half:
    pieces = [b"a" * 700_000, b"b" * 700_000]
    def read(self, size):
        if self.pieces:
            return self.pieces.pop()
        print("half", flush=True)
        sys.stdin.readline()
        return b""
LocalStore(Path(sys.argv[1])).put(Half())
print("kept", flush=True)
"""

DIES_AT_ITS_NAME = """
import io, os, signal, sys
from pathlib import Path
from eyeline.store import LocalStore
def before(staged, target):
    os.kill(os.getpid(), signal.SIGKILL)
def after(staged, target):
    os.link(staged, target)
    os.kill(os.getpid(), signal.SIGKILL)
death = {"before": before, "after": after}[sys.argv[2]]
LocalStore(Path(sys.argv[1]), placements=[death]).put(io.BytesIO(b"last words"))
"""

PUTS_ON_A_SIGN = """
import io, sys
from pathlib import Path
from eyeline.store import LocalStore
store = LocalStore(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(store.put(io.BytesIO(b"the same " * 500_000)).created, flush=True)
"""

IN_A_SMALL_SPACE = """
import io, json, os, resource, sys
from pathlib import Path
from eyeline.errors import StoreError
from eyeline.store import LocalStore
store = LocalStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    store.put(io.BytesIO(os.urandom(3_000_000)))
except StoreError as error:
    caught = {"code": error.code, "detail": error.detail, "text": str(error)}
store.put(io.BytesIO(b"small"))
print(json.dumps(caught))
"""

A_LONG_STREAM = """
import json, resource, sys
from pathlib import Path
from eyeline.store import LocalStore
from eyeline.testing.store_contract import Numbers
store, peak = LocalStore(Path(sys.argv[1])), lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
store.put(Numbers(5_000_000))
before, stream = peak(), Numbers(200_000_000)
stored = store.put(stream)
store.verify(stored.digest)
print(json.dumps([stored.digest.hex == stream.hashed.hexdigest(), peak() - before]))
"""


def staged(root: Path) -> list[Path]:
    return list((root / "v1" / "staging").iterdir())


def output_of(script: str, *arguments: str) -> Any:
    command = [sys.executable, "-c", script, *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=WAIT_S).stdout)


def test_a_writer_killed_half_way_leaves_nothing_visible_and_the_next_opening_clears_up(tmp_path: Path) -> None:
    with running(HALF_WRITTEN, str(tmp_path)) as writer:
        assert line_from(writer) == "half"
        assert [path.stat().st_size for path in staged(tmp_path)] == [1_400_000]
        writer.kill()
        writer.wait(WAIT_S)
    assert len(staged(tmp_path)) == 1
    assert list(LocalStore(tmp_path).list()) == []
    assert staged(tmp_path) == []


def test_opening_the_store_leaves_a_writer_that_lives_alone(tmp_path: Path) -> None:
    with running(HALF_WRITTEN, str(tmp_path)) as writer:
        assert line_from(writer) == "half"
        store = LocalStore(tmp_path)
        assert len(staged(tmp_path)) == 1
        say(writer, "go on")
        assert line_from(writer) == "kept"
    (digest,) = store.list()
    store.verify(digest)
    assert store.size(digest) == 1_400_000
    assert staged(tmp_path) == []


@pytest.mark.parametrize(("moment", "kept"), [("before", False), ("after", True)])
def test_a_writer_killed_at_the_moment_of_naming_leaves_all_or_nothing(tmp_path: Path, moment: str, kept: bool) -> None:
    died = subprocess.run([sys.executable, "-c", DIES_AT_ITS_NAME, str(tmp_path), moment], check=False, timeout=WAIT_S)
    assert died.returncode == -signal.SIGKILL
    store, digest = LocalStore(tmp_path), Digest.of(b"last words")
    assert list(store.list()) == ([digest] if kept else [])
    assert staged(tmp_path) == []
    assert store.put(io.BytesIO(b"last words")).created is not kept
    store.verify(digest)


def test_processes_that_put_the_same_bytes_at_once_make_one_blob(tmp_path: Path) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(running(PUTS_ON_A_SIGN, str(tmp_path))) for _ in range(4)]
        assert [line_from(writer) for writer in writers] == ["ready"] * 4
        for writer in writers:
            say(writer, "now")
        assert sorted(line_from(writer) for writer in writers) == ["False", "False", "False", "True"]
    store = LocalStore(tmp_path)
    assert list(store.list()) == [Digest.of(b"the same " * 500_000)]
    store.verify(Digest.of(b"the same " * 500_000))
    assert staged(tmp_path) == []


def test_a_write_that_the_system_cuts_short_is_a_store_error_and_leaves_nothing(tmp_path: Path) -> None:
    caught = output_of(IN_A_SMALL_SPACE, str(tmp_path))
    assert (caught["code"], caught["detail"]) == ("store_error", {"cause": "EFBIG"})
    assert str(tmp_path) not in caught["text"]
    assert list(LocalStore(tmp_path).list()) == [Digest.of(b"small")]
    assert staged(tmp_path) == []


def test_memory_stays_flat_whatever_the_size(tmp_path: Path) -> None:
    is_whole, grown_bytes = output_of(A_LONG_STREAM, str(tmp_path))
    assert is_whole
    assert grown_bytes < 12_000_000


def test_a_kept_blob_cannot_be_written_by_its_own_user_also_after_it_came_twice() -> None:
    seen = as_ordinary_user("""
import io, stat
store = LocalStore(home / "blobs")
digest = store.put(io.BytesIO(b"original")).digest
path = store.host_path(digest)
def mode():
    return oct(stat.S_IMODE(path.stat().st_mode))
def write():
    try:
        path.open("r+b").close()
    except PermissionError:
        return "refused"
first = [mode(), write()]
path.chmod(0o666)
again = store.put(io.BytesIO(b"original")).created
folders = sorted({oct(stat.S_IMODE(each.stat().st_mode)) for each in home.rglob("*") if each.is_dir()})
print(json.dumps([first, again, [mode(), write()], folders]))
""")
    assert seen == [["0o400", "refused"], False, ["0o400", "refused"], ["0o700"]]


def test_a_home_that_may_not_be_written_is_a_store_error() -> None:
    seen = as_ordinary_user("""
import io
store = LocalStore(home / "blobs")
digest = store.put(io.BytesIO(b"kept before")).digest
for folder in (home / "blobs/v1/staging", home / "blobs"):
    folder.chmod(0o500)
put = code_of(lambda: store.put(io.BytesIO(b"more")))
(home / "blobs/v1").chmod(0)
calls = [lambda: store.open(digest), lambda: list(store.list()), lambda: store.size(digest)]
codes = [put, *map(code_of, calls)]
(home / "blobs/v1").chmod(0o700)
print(json.dumps(codes))
""")
    assert seen == ["store_error"] * 4


@pytest.mark.parametrize(
    ("share", "modes"), [("owner", (0o400, 0o700)), ("group", (0o440, 0o750)), ("everyone", (0o444, 0o755))]
)
def test_sharing_sets_the_modes_whatever_the_umask(tmp_path: Path, share: Share, modes: tuple[int, int]) -> None:
    before = os.umask(0o077)
    try:
        store = LocalStore(tmp_path / "blobs", share=share)
        path = store.host_path(store.put(io.BytesIO(b"shared")).digest)
    finally:
        os.umask(before)
    assert path is not None
    folders = [path.parent, path.parents[1], path.parents[2], path.parents[3]]
    assert stat.S_IMODE(path.stat().st_mode) == modes[0]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {modes[1]}
    assert stat.S_IMODE((tmp_path / "blobs/v1/staging").stat().st_mode) == 0o700


@pytest.mark.requirement("XC-07")
def test_the_layout_is_what_the_documentation_says_and_its_command_verifies_it(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    digests = [store.put(io.BytesIO(data)).digest for data in (b"", b"one", b"two" * 100_000)]
    for digest in digests:
        path = tmp_path / "v1" / "sha256" / digest.hex[:2] / digest.hex
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest.hex
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    command = page.partition("<!-- verifies every blob -->\n```sh\n")[2].partition("```")[0]
    home = tmp_path.rename(tmp_path.with_name("blobs")).parent
    assert "sha256sum" in command
    assert subprocess.run(["sh", "-ec", command], cwd=home, check=False, timeout=WAIT_S).returncode == 0
    damaged = home / "blobs" / "v1" / "sha256" / digests[1].hex[:2] / digests[1].hex
    damaged.chmod(0o600)
    damaged.write_bytes(b"eno")
    assert subprocess.run(["sh", "-ec", command], cwd=home, check=False, timeout=WAIT_S).returncode != 0
