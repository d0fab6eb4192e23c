"""Files that are being written: locked by their writer as long as it lives, cleared once it is dead."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_STAYS = frozenset(
    {
        errno.EACCES,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENOENT,
        errno.ENXIO,
        errno.EPERM,
        errno.EROFS,
        errno.EWOULDBLOCK,
    }
)
"""Why a leftover stays: gone already, another user's, on a read-only disk, being written, or no file of ours."""


class StagedFile:
    """A new file under a name nobody else has; `close` removes that name. Failures are `OSError`.

    The descriptor holds a lock that dies with the process, so that `clear_stale` in another one knows a live writer.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._descriptor = -1
        while self._descriptor < 0:
            self.path = folder / secrets.token_hex(16)
            self._descriptor = _create_locked(self.path)

    def write(self, data: bytes) -> None:
        """Append all of `data`."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def seal(self, *, mode: int) -> None:
        """Set the final mode and wait until bytes and mode are on the medium."""
        os.fchmod(self._descriptor, mode)
        full_sync = getattr(fcntl, "F_FULLFSYNC", None)
        if full_sync is not None:
            fcntl.fcntl(self._descriptor, full_sync)
        else:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Remove the staged name and let the lock go; a name given by a hard link stays."""
        try:
            self.path.unlink(missing_ok=True)
        finally:
            os.close(self._descriptor)


def _create_locked(path: Path) -> int:
    """A descriptor of a new, locked file, or -1 where a clearing process took it between creation and lock."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor
    except BlockingIOError:
        # the one who holds the lock is clearing and removes the file
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return -1


def clear_stale(folder: Path) -> int:
    """Remove what dead writers left in a staging folder; how many files that were."""
    return sum(clear_one(path) for path in sorted(folder.iterdir()))


def clear_one(path: Path) -> bool:
    """Remove what a dead writer left; false where it stays, because its writer lives or the disk refuses."""
    return _unlocked(path, then=path.unlink)


def is_stale(path: Path) -> bool:
    """Whether a file in a staging folder was left by a dead writer."""
    return _unlocked(path, then=lambda: None)


def _unlocked(path: Path, *, then: Callable[[], None]) -> bool:
    """Do something to a file that no writer holds, holding it; false where it stays."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in _STAYS:
            return False
        raise
    try:
        # shared is enough against a writer's exclusive lock, and needs no descriptor for writing
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        then()
    except OSError as error:
        if error.errno in _STAYS:
            return False
        raise
    finally:
        os.close(descriptor)
    return True
