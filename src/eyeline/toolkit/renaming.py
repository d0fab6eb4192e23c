"""Renaming a file without ever replacing one, where the kernel does that."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CANNOT = frozenset({errno.EPERM, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})
"""Error numbers by which a filesystem says that it has no such operation."""

_RENAME_NOREPLACE = 1
_AT_FDCWD = -100


def rename_exclusively(
    source: Path | bytes,
    target: Path | bytes,
    *,
    source_folder: int = _AT_FDCWD,
    target_folder: int = _AT_FDCWD,
) -> None:
    """Rename, and let the kernel refuse to replace (Linux `renameat2`).

    Relative names are taken in the folders whose descriptors are given, else in the working folder. `FileExistsError`
    where the target is there; an error number of `CANNOT` where there is no such operation.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    arguments = (source_folder, os.fsencode(source), target_folder, os.fsencode(target), _RENAME_NOREPLACE)
    if rename(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
