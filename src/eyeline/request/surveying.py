"""Looking over the folder of attachments: what lies there, and what is not as `layout` says."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from eyeline.request.layout import STAGING, VERSION
from eyeline.store.base import FlawKind, StoreFlaw
from eyeline.store.failures import store_errors
from eyeline.store.staging import clear_one, is_stale

_SHARD = re.compile(r"[0-9a-f]{2}")
_PICTURE = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{1,5}")
_FILES = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object as it was found: its path, its size, and when it was written."""

    path: PurePosixPath
    byte_count: int
    kept_ms: int


def found_objects(root: Path) -> Iterator[FoundObject]:
    """Every regular file in the place of an object, by its path; who comes or goes meanwhile may be there or not."""
    with store_errors("list attachments"):
        for path in _objects(root):
            try:
                status = (root / path).lstat()
            except FileNotFoundError:
                continue
            if stat.S_ISREG(status.st_mode):
                yield FoundObject(path, status.st_size, status.st_mtime_ns // 1_000_000)


def _objects(root: Path) -> Iterator[PurePosixPath]:
    for shard in _entries(root / VERSION):
        if _SHARD.fullmatch(shard.name) and shard.is_dir():
            for entry in _entries(shard):
                inner = _entries(entry) if _is_folder(entry) else [entry]
                for path in inner:
                    if _is_place(path, root):
                        yield PurePosixPath(path.relative_to(root).as_posix())


def _is_place(path: Path, root: Path) -> bool:
    """Whether an object may lie here, by names alone."""
    parts = path.relative_to(root).parts
    if not parts[2].startswith(parts[1]):
        return False
    return bool(_PICTURE.fullmatch(parts[2]) if len(parts) == 3 else _FILES.fullmatch(parts[2]))


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def survey_objects(root: Path, *, file_mode: int, folder_mode: int, mend: bool) -> Iterator[StoreFlaw]:
    """Wrong modes, what is no object, and what dead writers left; `mend` sets modes and clears leftovers.

    Subjects are paths that begin with the folder of attachments.
    """
    with store_errors("look over attachments"):
        for path in _entries(root):
            if path.name != VERSION:
                yield StoreFlaw(FlawKind.STRAY_FILE, _told(path, root))
        for path in _entries(root / VERSION / STAGING):
            if not stat.S_ISREG(path.lstat().st_mode):
                yield StoreFlaw(FlawKind.STRAY_FILE, _told(path, root))
            elif is_stale(path):
                yield StoreFlaw(FlawKind.STAGING_LEFTOVER, _told(path, root), mended=mend and clear_one(path))
        for path in _below(root / VERSION):
            is_folder = _is_folder(path)
            if is_folder:
                yield from _moded(path, root, folder_mode, mend=mend)
            elif stat.S_ISREG(path.lstat().st_mode) and len(path.relative_to(root).parts) > 2 and _is_place(path, root):
                yield from _moded(path, root, file_mode, mend=mend)
            else:
                yield StoreFlaw(FlawKind.STRAY_FILE, _told(path, root))


def _below(folder: Path) -> Iterator[Path]:
    """Everything below the version folder, the staging folder left out, folders before what they hold."""
    for shard in _entries(folder):
        if shard.name == STAGING:
            continue
        yield shard
        for entry in _entries(shard) if _is_folder(shard) else []:
            yield entry
            if _is_folder(entry):
                yield from _entries(entry)


def _moded(path: Path, root: Path, mode: int, *, mend: bool) -> Iterator[StoreFlaw]:
    status = path.lstat()
    if stat.S_IMODE(status.st_mode) == mode:
        return
    is_mended = mend and status.st_uid == os.geteuid()
    if is_mended:
        path.chmod(mode)
    yield StoreFlaw(FlawKind.WRONG_MODE, _told(path, root), mended=is_mended)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _told(path: Path, root: Path) -> str:
    return str(PurePosixPath(root.name) / path.relative_to(root).as_posix())
