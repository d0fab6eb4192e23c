"""Looking over the folder of attachments: what lies there, and what is not as `layout` says."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from eyeline.request.layout import STAGING, VERSION
from eyeline.store.base import FlawKind, StoreFlaw
from eyeline.store.failures import store_errors
from eyeline.store.folders import entries, is_file, is_folder, status_of, survey_mode, survey_staging

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
            status = status_of(root / path)
            if status is not None and stat.S_ISREG(status.st_mode):
                yield FoundObject(path, status.st_size, status.st_mtime_ns // 1_000_000)


def _objects(root: Path) -> Iterator[PurePosixPath]:
    for shard in entries(root / VERSION):
        if _SHARD.fullmatch(shard.name) and shard.is_dir():
            for entry in entries(shard):
                inner = entries(entry) if is_folder(entry) else [entry]
                for path in inner:
                    if _is_place(path, root):
                        yield PurePosixPath(path.relative_to(root).as_posix())


def _is_place(path: Path, root: Path) -> bool:
    """Whether an object may lie here, by names alone."""
    parts = path.relative_to(root).parts
    if not parts[2].startswith(parts[1]):
        return False
    return bool(_PICTURE.fullmatch(parts[2]) if len(parts) == 3 else _FILES.fullmatch(parts[2]))


def survey_objects(root: Path, *, file_mode: int, folder_mode: int, mend: bool) -> Iterator[StoreFlaw]:
    """Wrong modes, what is no object, and what dead writers left; `mend` sets modes and clears leftovers.

    Subjects are paths that begin with the folder of attachments.
    """

    def told(path: Path) -> str:
        return str(PurePosixPath(root.name) / path.relative_to(root).as_posix())

    with store_errors("look over attachments"):
        for path in entries(root):
            if path.name != VERSION:
                yield StoreFlaw(FlawKind.STRAY_FILE, told(path))
        yield from survey_staging(root / VERSION / STAGING, told, mend=mend)
        for path in _below(root / VERSION):
            if is_folder(path):
                yield from survey_mode(path, told(path), mode=folder_mode, mend=mend)
            elif is_file(path) and len(path.relative_to(root).parts) > 2 and _is_place(path, root):
                yield from survey_mode(path, told(path), mode=file_mode, mend=mend)
            elif status_of(path) is not None:
                yield StoreFlaw(FlawKind.STRAY_FILE, told(path))


def _below(folder: Path) -> Iterator[Path]:
    """Everything below the version folder, the staging folder left out, folders before what they hold."""
    for shard in entries(folder):
        if shard.name == STAGING:
            continue
        yield shard
        for entry in entries(shard) if is_folder(shard) else []:
            yield entry
            if is_folder(entry):
                yield from entries(entry)
