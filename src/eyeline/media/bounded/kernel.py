"""System calls that Python has no name for, through the C library. Nothing here is loaded at import."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CLOSE_RANGE = 436  # the same on every architecture
CAPABILITY_VERSION_3 = 0x20080522

IS_LINUX = sys.platform == "linux"


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *, value: int = 0, pointer: int = 0) -> None:
    """`prctl(2)` with a number and, for the filter, an address; OSError when the kernel refuses."""
    arguments = (ctypes.c_ulong(value), ctypes.c_ulong(pointer), ctypes.c_ulong(0), ctypes.c_ulong(0))
    if _library().prctl(ctypes.c_int(option), *arguments) != 0:
        raise _failure()


def syscall(number: int, *arguments: int) -> int:
    """A call by Linux number; addresses are passed as numbers. OSError when the kernel refuses or is another."""
    if not IS_LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    function = _library().syscall
    function.restype = ctypes.c_long
    result = int(function(ctypes.c_long(number), *map(ctypes.c_long, arguments)))
    if result < 0:
        raise _failure()
    return result


def drop_capabilities() -> None:
    """Give up every capability, so that a service that runs as root does not decode as root."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    if _library().capset(header, data) != 0:
        raise _failure()


def _failure() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
