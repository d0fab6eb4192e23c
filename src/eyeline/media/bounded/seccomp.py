"""Seccomp: the system calls a job may make. What is not allowed fails with EPERM and goes nowhere.

An allow list: memory, files that are open or may be read, clocks, threads of its own. So there are no sockets, no new
processes or programs, no tracing, no signals to others, no namespaces, no io_uring, no kernel keys, and nothing that
outlives the process. Calls that libraries probe for and can do without are answered as if the kernel were older.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from dataclasses import dataclass

from eyeline.media.bounded.kernel import PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prctl
from eyeline.media.bounded.syscalls import NEWEST, NUMBERS

_LOAD, _EQUAL, _AT_LEAST, _ABOVE, _AND, _RETURN = 0x20, 0x15, 0x35, 0x25, 0x54, 0x06
_KILL, _ALLOW, _ERRNO = 0x8000_0000, 0x7FFF_0000, 0x0005_0000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_X32_BIT = 0x4000_0000

_ARCHITECTURES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
"""Column of the table, and the kernel's name for the architecture."""

_WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000  # access mode, O_CREAT, O_TRUNC, O_TMPFILE: the same on both
_CLONE_THREAD = 0x0001_0000
_CLONE_NAMESPACES = 0x7E02_0000
_TERMINAL_AND_FLAGS = (0x5401, 0x5421, 0x5450, 0x5451, 0x541B)  # TCGETS, FIONBIO, FIONCLEX, FIOCLEX, FIONREAD
_DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 1030, 1034)  # duplicate, flags, seals; no owner, no signal, no lease
_THREAD_NAMES = (15, 16, 0x5356_4D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA

OWN_PID = -1
"""Stands for the pid of the child that installs the filter."""


@dataclass(frozen=True, slots=True)
class Check:
    """One condition on an argument's low (or high) half: masked, it is one of these values."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF
    high: bool = False

    @property
    def place(self) -> int:
        """Where the kernel puts this half; both architectures are little-endian."""
        return _ARGUMENTS_AT + 8 * self.argument + 4 * self.high


CONDITIONS: dict[str, tuple[Check, ...]] = {
    "clone": (Check(0, (_CLONE_THREAD,), mask=_CLONE_THREAD | _CLONE_NAMESPACES),),
    "open": (Check(1, (0,), mask=_WRITING),),
    "openat": (Check(2, (0,), mask=_WRITING),),
    "ioctl": (Check(1, _TERMINAL_AND_FLAGS),),
    "fcntl": (Check(1, _DESCRIPTOR_COMMANDS),),
    "prctl": (Check(0, _THREAD_NAMES),),
    "tgkill": (Check(0, (OWN_PID,)),),
    "prlimit64": (Check(0, (0,)), Check(2, (0,)), Check(2, (0,), high=True)),  # reads limits, sets none
}
"""Calls that are allowed only where every check holds."""

UNKNOWN = ("clone3", "openat2")
"""Calls whose arguments a filter cannot see; libraries fall back to the ones above."""


class FilterProgram:
    """A filter for one architecture, built before the fork."""

    def __init__(self, machine: str) -> None:
        column, architecture = _ARCHITECTURES[machine]
        numbers = {name: pair[column] for name, pair in NUMBERS.items()}
        self._code: list[tuple[int, int, int, int]] = []
        self._own_pid_places: list[int] = []
        self._emit(_LOAD, _ARCHITECTURE_AT)
        self._emit(_EQUAL, architecture, jump=1)
        self._emit(_RETURN, _KILL)
        self._emit(_LOAD, _NUMBER_AT)
        if machine == "x86_64":
            self._emit(_AT_LEAST, _X32_BIT, otherwise=1)
            self._emit(_RETURN, _KILL)
        for name, number in numbers.items():
            if number is not None:
                self._emit_call(name, number)
        self._emit(_ABOVE, NEWEST, otherwise=1)
        self._emit(_RETURN, _ERRNO | errno.ENOSYS)
        self._emit(_RETURN, _ERRNO | errno.EPERM)

    def packed(self, pid: int) -> bytes:
        """The instructions for the process with this pid."""
        code = self._code.copy()
        for place in self._own_pid_places:
            operation, jump, otherwise, _ = code[place]
            code[place] = (operation, jump, otherwise, pid)
        return b"".join(struct.pack("=HBBI", *each) for each in code)

    def _emit(self, operation: int, value: int, *, jump: int = 0, otherwise: int = 0) -> None:
        self._code.append((operation, jump, otherwise, value))

    def _emit_call(self, name: str, number: int) -> None:
        if name in UNKNOWN:
            self._emit(_EQUAL, number, otherwise=1)
            self._emit(_RETURN, _ERRNO | errno.ENOSYS)
            return
        checks = CONDITIONS.get(name, ())
        length = sum(2 + (check.mask != 0xFFFF_FFFF) + len(check.values) for check in checks) + 1
        self._emit(_EQUAL, number, otherwise=length)
        for check in checks:
            self._emit_check(check)
        self._emit(_RETURN, _ALLOW)

    def _emit_check(self, check: Check) -> None:
        """Fall through where the check holds, refuse the call where it does not."""
        self._emit(_LOAD, check.place)
        if check.mask != 0xFFFF_FFFF:
            self._emit(_AND, check.mask)
        for index, value in enumerate(check.values):
            if value == OWN_PID:
                self._own_pid_places.append(len(self._code))
            self._emit(_EQUAL, max(value, 0), jump=len(check.values) - index)
        self._emit(_RETURN, _ERRNO | errno.EPERM)


def filter_program() -> FilterProgram | None:
    """The filter for this machine; none where there is no table for it."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES or sys.maxsize < 1 << 32:
        return None
    return FilterProgram(machine)


def install(program: FilterProgram) -> None:
    """Hold the calling process to the filter, for good; OSError when the kernel has no seccomp."""
    instructions = program.packed(os.getpid())
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(instructions) // 8, ctypes.addressof(buffer)))
    prctl(PR_SET_SECCOMP, value=SECCOMP_MODE_FILTER, pointer=ctypes.addressof(header))
