"""Giving a finished file its final name without ever replacing one, whatever the filesystem can do.

A placement takes the staged path and the target in the same filesystem and raises `FileExistsError` when the target is
there. Each is atomic: a reader sees the whole file or none.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eyeline.toolkit.renaming import CANNOT, rename_exclusively

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

Placement = Callable[["Path", "Path"], None]


def place(staged: Path, target: Path, *, placements: Sequence[Placement]) -> bool:
    """Place by the first placement that this filesystem has; False when the target is there already."""
    for number, placement in enumerate(placements, start=1):
        try:
            placement(staged, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in CANNOT or number == len(placements):
                raise
        else:
            return True
    return False


def by_hard_link(staged: Path, target: Path) -> None:
    """Give the file a second name; the staged one goes with the staging file."""
    os.link(staged, target)


def by_exclusive_rename(staged: Path, target: Path) -> None:
    """Rename, and let the kernel refuse to replace (Linux `renameat2`)."""
    rename_exclusively(staged, target)


def by_locked_rename(staged: Path, target: Path) -> None:
    """Look and rename under a lock on the target's folder: every writer without the other two comes this way."""
    with open_folder(target.parent) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        staged.rename(target)


PLACEMENTS: tuple[Placement, ...] = (by_hard_link, by_exclusive_rename, by_locked_rename)


@contextmanager
def open_folder(folder: Path) -> Generator[int]:
    """A descriptor of a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a crash; filesystems that cannot sync folders keep names by other means."""
    with open_folder(folder) as descriptor:
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in CANNOT:
                raise
