"""What a failing disk is called: one table from error numbers to `StoreError`, without a host path in any message."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eyeline.errors import EyelineError, StoreError

if TYPE_CHECKING:
    from collections.abc import Generator

_FULL = "the disk is full"
_TABLE: dict[int, tuple[str, str]] = {
    errno.ENOSPC: (_FULL, "free some space, or move the home to a larger disk"),
    errno.EDQUOT: (_FULL, "the quota of this user is used up"),
    errno.EFBIG: ("the file is larger than this filesystem or process may write", "see `ulimit -f`"),
    errno.EACCES: ("permission is denied", "the home and everything in it belong to the user who runs this"),
    errno.EPERM: ("permission is denied", "the home and everything in it belong to the user who runs this"),
    errno.EROFS: ("the filesystem is read-only", "mount it writable, or choose another home"),
    errno.EIO: ("the disk reports an error", "look at the system log, then run a check"),
    errno.EMFILE: ("this process has too many open files", "see `ulimit -n`"),
    errno.ENFILE: ("this machine has too many open files", "close some programs"),
    errno.ENAMETOOLONG: ("a path is too long", "choose a home with a shorter path"),
    errno.ENOTDIR: ("a folder of the store is not a folder", "something else was put into the home"),
    errno.ENOENT: ("a folder of the store is gone", "something else changed the home"),
    errno.ESTALE: ("the network filesystem lost a file", "mount it again"),
    errno.ENOLCK: ("the filesystem gives no locks", "choose a home on a local disk"),
}


def store_error(error: OSError, *, doing: str) -> StoreError:
    """The `StoreError` for a failed system call; `doing` says what was being done, as in 'keep a blob'."""
    number = error.errno or 0
    what, hint = _TABLE.get(number, (os.strerror(number) if number else type(error).__name__, None))
    made = StoreError(f"the store cannot {doing}: {what}", hint=hint, cause=errno.errorcode.get(number, "unknown"))
    made.errno = number or None
    return made


@contextmanager
def store_errors(doing: str) -> Generator[None]:
    """Turn every `OSError` of the block into `StoreError`; errors that already are ours pass."""
    try:
        yield
    except EyelineError:
        raise
    except OSError as error:
        raise store_error(error, doing=doing) from error
