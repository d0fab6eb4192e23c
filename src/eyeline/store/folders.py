"""Looking into folders that others write to: who comes or goes meanwhile may be there or not, and is no failure."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from eyeline.store.base import FlawKind, StoreFlaw
from eyeline.store.staging import clear_one, is_stale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def entries(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where there is none."""
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def status_of(path: Path) -> os.stat_result | None:
    """What a path itself is, links not followed; none where it is gone."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_folder(path: Path) -> bool:
    """Whether a folder is there, links not followed."""
    status = status_of(path)
    return status is not None and stat.S_ISDIR(status.st_mode)


def is_file(path: Path) -> bool:
    """Whether a regular file is there, links not followed."""
    status = status_of(path)
    return status is not None and stat.S_ISREG(status.st_mode)


def survey_mode(path: Path, subject: str, *, mode: int, mend: bool) -> Iterator[StoreFlaw]:
    """A flaw where a path has another mode than it should; `mend` sets it where it is ours."""
    status = status_of(path)
    if status is None or stat.S_IMODE(status.st_mode) == mode:
        return
    is_mended = mend and status.st_uid == os.geteuid()
    if is_mended:
        with suppress(FileNotFoundError):
            path.chmod(mode)
    yield StoreFlaw(FlawKind.WRONG_MODE, subject, mended=is_mended)


def survey_staging(staging: Path, told: Callable[[Path], str], *, mend: bool) -> Iterator[StoreFlaw]:
    """What dead writers left, which `mend` clears, and what is no file of a writer at all.

    `told` names a path in a flaw: below the folder of its store, never as the host has it.
    """
    for path in entries(staging):
        if is_file(path):
            if is_stale(path):
                yield StoreFlaw(FlawKind.STAGING_LEFTOVER, told(path), mended=mend and clear_one(path))
        elif status_of(path) is not None:
            yield StoreFlaw(FlawKind.STRAY_FILE, told(path))
