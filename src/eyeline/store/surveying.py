"""Looking over the folders of a local store: what is not as docs/format.md says."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from eyeline.model.digest import Digest
from eyeline.store.base import FlawKind, StoreFlaw
from eyeline.store.failures import store_errors
from eyeline.store.staging import clear_one, is_stale

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER_NAME = re.compile(r"[0-9a-f]{2}")
BLOB_NAME = re.compile(r"[0-9a-f]{64}")


def survey(root: Path, *, file_mode: int, folder_mode: int, mend: bool) -> Iterator[StoreFlaw]:
    """Wrong modes, files that are no blobs, and what dead writers left; `mend` sets modes and clears leftovers.

    Subjects are digests, or paths below `root`, which is the folder that holds `v1/`.
    """
    with store_errors("look over its folders"):
        version = root / "v1"
        yield from _strays(root, root, {"v1"})
        yield from _strays(version, root, {"sha256", "staging"})
        for path in _entries(version / "staging"):
            if not stat.S_ISREG(path.lstat().st_mode):
                yield StoreFlaw(FlawKind.STRAY_FILE, _below(path, root))
            elif is_stale(path):
                yield StoreFlaw(FlawKind.STAGING_LEFTOVER, _below(path, root), mended=mend and clear_one(path))
        for folder in _entries(version / "sha256"):
            if FOLDER_NAME.fullmatch(folder.name) and stat.S_ISDIR(folder.lstat().st_mode):
                yield from _moded(folder, _below(folder, root), folder_mode, mend=mend)
                yield from _blobs(folder, root, file_mode, mend=mend)
            else:
                yield StoreFlaw(FlawKind.STRAY_FILE, _below(folder, root))


def _blobs(folder: Path, root: Path, file_mode: int, *, mend: bool) -> Iterator[StoreFlaw]:
    for path in _entries(folder):
        if not BLOB_NAME.fullmatch(path.name) or not path.name.startswith(folder.name):
            yield StoreFlaw(FlawKind.STRAY_FILE, _below(path, root))
        elif stat.S_ISREG(path.lstat().st_mode):
            yield from _moded(path, str(Digest(path.name)), file_mode, mend=mend)


def _moded(path: Path, subject: str, mode: int, *, mend: bool) -> Iterator[StoreFlaw]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_IMODE(status.st_mode) == mode:
        return
    is_mended = mend and status.st_uid == os.geteuid()
    if is_mended:
        path.chmod(mode)
    yield StoreFlaw(FlawKind.WRONG_MODE, subject, mended=is_mended)


def _strays(folder: Path, root: Path, known: set[str]) -> Iterator[StoreFlaw]:
    for path in _entries(folder):
        if path.name not in known:
            yield StoreFlaw(FlawKind.STRAY_FILE, _below(path, root))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def _below(path: Path, root: Path) -> str:
    return str(path.relative_to(root))
