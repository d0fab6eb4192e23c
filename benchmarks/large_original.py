"""One large original kept, against `cp` without reflink, `fsync` and `sha256sum` one after the other.

Each act starts with nothing of the original in memory. First the store alone, then the whole `ingest` of a file that no
route reads, with its record and its place in the tree. The peer is run between the two.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measuring import Ran, left_out, python, ran, scaled
from benchmarks.table import Row

BYTES = 5_000_000_000
AIM = 1.5
ROOM = 3.2
"""How many times its size is free where this is measured: the file, its copy, and some air."""

_BLOCK = 1 << 24

STORE = """
import sys
from pathlib import Path
from eyeline.store.local import LocalStore
store = LocalStore(Path(sys.argv[2]))
with open(sys.argv[1], "rb") as source:
    assert store.put(source).created
"""

INGEST = """
import sys
from pathlib import Path
from eyeline import Eyeline, Settings
with Eyeline(Path(sys.argv[2]), settings=Settings(unroutable="keep")) as eye:
    assert eye.ingest(Path(sys.argv[1])).complete
"""

PEER = 'cp --reflink=never "$1" "$2" && sync "$2" && sha256sum "$2"'


def rows() -> list[Row]:
    """Measure."""
    size = scaled(BYTES, least=1 << 20)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        free = shutil.disk_usage(folder).free
        if free < size * ROOM:
            left_out(f"{size * ROOM / 1e9:.0f} GB of free disk are needed, {free / 1e9:.0f} GB are there.")
            return []
        if shutil.which("sha256sum") is None or shutil.which("sync") is None:
            left_out("cp, sync and sha256sum of GNU are not on this machine.")
            return []
        return _measured(_original(folder / "original", size), folder)


def _measured(original: Path, folder: Path) -> list[Row]:
    stored = _ours(STORE, original, folder / "home")
    peer = _peer(original, folder)
    ingested = _ours(INGEST, original, folder / "home")
    size = f"{original.stat().st_size / 1e9:.1f} GB"
    return [
        Row(f"{work} {size}", each.ms, "cp, fsync, sha256sum", peer.ms, AIM, f"peak memory {each.peak}")
        for work, each in (("put", stored), ("ingest", ingested))
    ]


def _ours(code: str, original: Path, home: Path) -> Ran:
    _forget_pages(original)
    done = python(code, original, home)
    shutil.rmtree(home)
    return done


def _peer(original: Path, folder: Path) -> Ran:
    copy = folder / "copy"
    _forget_pages(original)
    done = ran(["sh", "-c", PEER, "sh", original, copy])
    copy.unlink()
    return done


def _original(path: Path, size: int) -> Path:
    """A file without holes, in which no two blocks are alike and no route is recognised."""
    block = bytearray(random.Random(1).randbytes(_BLOCK))
    with path.open("wb") as file:
        for number in range(-(-size // _BLOCK)):
            block[:8] = (number | 1 << 63).to_bytes(8, "big")
            file.write(block[: min(_BLOCK, size - number * _BLOCK)])
        file.flush()
        os.fsync(file.fileno())
    return path


def _forget_pages(path: Path) -> None:
    """Let the system forget what it holds of a file; where it cannot be told to, both sides read from memory."""
    subprocess.run(["sync"], check=True)
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
