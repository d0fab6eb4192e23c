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
from collections.abc import Iterator
from dataclasses import dataclass

from eyeline.media.bounded.kernel import PR_SET_SECCOMP, SECCOMP_MODE_FILTER, prctl
from eyeline.media.bounded.syscalls import NEWEST, NUMBERS

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
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


Instruction = tuple[int, int, int, int]
"""Operation, steps to skip where it holds, steps to skip where not, value."""

_REFUSED: list[Instruction] = [(_RETURN, 0, 0, _ERRNO | errno.EPERM)]
_ABSENT: list[Instruction] = [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
_ALLOWED: list[Instruction] = [(_RETURN, 0, 0, _ALLOW)]
_KILLED: list[Instruction] = [(_RETURN, 0, 0, _KILL)]


class FilterProgram:
    """A filter for one architecture, built before the fork. `instructions` holds `OWN_PID` where a pid belongs."""

    def __init__(self, machine: str) -> None:
        column, architecture = _ARCHITECTURES[machine]
        decisions = {pair[column]: _decision(name) for name, pair in NUMBERS.items() if pair[column] is not None}
        runs: list[tuple[int, list[Instruction]]] = [(0, _REFUSED)]
        for number in range(NEWEST + 1):
            decision = decisions.get(number, _REFUSED)
            if decision != runs[-1][1]:
                runs.append((number, decision))
        runs.append((NEWEST + 1, _ABSENT))
        if machine == "x86_64":
            runs.append((_X32_BIT, _KILLED))
        guard: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_EQUAL, 1, 0, architecture), *_KILLED]
        self.instructions = [*guard, (_LOAD, 0, 0, _NUMBER_AT), *_search(runs)]
        packed = b"".join(struct.pack("=HBBI", *each[:3], max(each[3], 0)) for each in self.instructions)
        self._buffer = ctypes.create_string_buffer(packed, len(packed))
        header = struct.pack("@HP", len(self.instructions), ctypes.addressof(self._buffer))
        self._header = ctypes.create_string_buffer(header, len(header))
        self._pid_places = [8 * index + 4 for index, each in enumerate(self.instructions) if each[3] == OWN_PID]

    def install(self) -> None:
        """Hold the calling process to the filter, for good; OSError when the kernel has no seccomp."""
        for place in self._pid_places:
            struct.pack_into("=I", self._buffer, place, os.getpid())
        prctl(PR_SET_SECCOMP, value=SECCOMP_MODE_FILTER, pointer=ctypes.addressof(self._header))


def _search(runs: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Binary search for the run of numbers that a call is in; the kernel walks the filter for every number there is."""
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    below, above = _search(runs[:middle]), _search(runs[middle:])
    return [(_AT_LEAST, len(below), 0, runs[middle][0]), *below, *above]


def _decision(name: str) -> list[Instruction]:
    if name in UNKNOWN:
        return _ABSENT
    return [step for check in CONDITIONS.get(name, ()) for step in _check(check)] + _ALLOWED


def _check(check: Check) -> Iterator[Instruction]:
    """Fall through where the check holds, refuse the call where it does not."""
    yield (_LOAD, 0, 0, check.place)
    if check.mask != 0xFFFF_FFFF:
        yield (_AND, 0, 0, check.mask)
    for index, value in enumerate(check.values):
        yield (_EQUAL, len(check.values) - index, 0, value)
    yield from _REFUSED


def filter_program() -> FilterProgram | None:
    """The filter for this machine; none where there is no table for it."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES or sys.maxsize < 1 << 32:
        return None
    return FilterProgram(machine)
