"""System calls that Python has no name for, through the C library. Nothing here is loaded at import."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from functools import cache

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CLOSE_RANGE = 436  # the same on every architecture
CAPABILITY_VERSION_3 = 0x20080522

IS_LINUX = sys.platform == "linux"


@cache
def _function(name: str) -> Callable[..., int]:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.restype = ctypes.c_long if name == "syscall" else ctypes.c_int
    return function


def load() -> None:
    """Look every function up now, so that a child need not."""
    if IS_LINUX:
        for name in ("syscall", "prctl", "capset"):
            _function(name)
        _no_capabilities()


def prctl(option: int, *, value: int = 0, pointer: int = 0) -> None:
    """`prctl(2)` with a number and, for the filter, an address; OSError when the kernel refuses."""
    arguments = (ctypes.c_ulong(value), ctypes.c_ulong(pointer), ctypes.c_ulong(0), ctypes.c_ulong(0))
    if _function("prctl")(ctypes.c_int(option), *arguments) != 0:
        raise _failure()


def syscall(number: int, *arguments: int) -> int:
    """A call by Linux number; addresses are passed as numbers. OSError when the kernel refuses or is another."""
    if not IS_LINUX:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    result = _function("syscall")(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if result < 0:
        raise _failure()
    return result


@cache
def _no_capabilities() -> tuple[ctypes.Array[ctypes.c_char], ctypes.Array[ctypes.c_char]]:
    """Header and empty sets for `capset(2)`."""
    header = struct.pack("=II", CAPABILITY_VERSION_3, 0)
    return ctypes.create_string_buffer(header, len(header)), ctypes.create_string_buffer(24)


def drop_capabilities() -> None:
    """Give up every capability, so that a service that runs as root does not decode as root."""
    if _function("capset")(*_no_capabilities()) != 0:
        raise _failure()


def _failure() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
