"""The sandbox of one job: prepared in the zygote, closed by each child over itself before it touches a byte."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.media.bounded import limits as kernel_limits
from eyeline.media.bounded.channel import close_descriptors
from eyeline.media.bounded.kernel import (
    CLOSE_RANGE,
    IS_LINUX,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    drop_capabilities,
    load,
    prctl,
    syscall,
)
from eyeline.media.bounded.landlock import Ruleset, interpreter_places, package_places, supported_abi
from eyeline.media.bounded.seccomp import filter_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyeline.media.bounded.job import JobLimits

_LANDLOCK_HOLDS, _SECCOMP_HOLDS = 1, 2
_TRIED = 4
_DESCRIPTOR_FOLDER = Path("/proc/self/fd" if IS_LINUX else "/dev/fd")


class Sandbox:
    """What a child needs to shut itself in.

    A layer that held when the zygote tried it must hold for every job: where it fails later, the job does not run.
    """

    def __init__(self, read_paths: Sequence[Path]) -> None:
        load()
        self._zygote = os.getpid()
        abi = supported_abi() if IS_LINUX else None
        self._ruleset = None if abi is None else Ruleset(abi)
        self._filter = filter_program()
        self.landlock = abi
        if self._ruleset is not None:
            self._ruleset.admit([*interpreter_places(), *read_paths])
        self.admit_packages()
        if IS_LINUX:
            self._drop_what_does_not_hold()

    @property
    def seccomp(self) -> bool:
        """Whether system calls are filtered."""
        return self._filter is not None

    def admit_packages(self) -> None:
        """Allow reading the packages imported since the last time, for what they import late."""
        if self._ruleset is not None:
            self._ruleset.admit(package_places())

    def enter(self, *, keep: Sequence[int]) -> None:
        """What needs to know nothing of a job. Runs right after the fork, in the one thread there is.

        Only the descriptors in `keep` stay open; no path but the admitted ones can be opened any more, and there is no
        way back: no privileges, no other process to reach, and an end together with the zygote.
        """
        os.setpgid(0, 0)
        _close_all_but(keep if self._ruleset is None else [*keep, self._ruleset.descriptor])
        if IS_LINUX:
            drop_capabilities()
            prctl(PR_SET_NO_NEW_PRIVS, value=1)
            prctl(PR_SET_DUMPABLE, value=0)
            prctl(PR_SET_PDEATHSIG, value=signal.SIGKILL)
            if os.getppid() != self._zygote:
                raise ProcessLookupError
        if self._ruleset is not None:
            self._ruleset.restrict()

    def close(self, limits: JobLimits, usage: kernel_limits.Usage, *, keep: Sequence[int]) -> None:
        """Set the limits of one job, leave only its descriptors open, and filter system calls from here on."""
        _close_all_but(keep)
        kernel_limits.apply(limits, usage)
        if self._filter is not None:
            self._filter.install()

    def _drop_what_does_not_hold(self) -> None:
        """Try both layers in a child that does nothing else."""
        pid = os.fork()
        if pid == 0:
            held = 0
            try:
                held = self._try()
            finally:
                os._exit(held)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        held = status if status > 0 and status & _TRIED else 0
        if not held & _LANDLOCK_HOLDS:
            self._ruleset = self.landlock = None
        if not held & _SECCOMP_HOLDS:
            self._filter = None

    def _try(self) -> int:
        held = _TRIED
        try:
            prctl(PR_SET_NO_NEW_PRIVS, value=1)
            if self._ruleset is not None:
                self._ruleset.restrict()
                held |= _LANDLOCK_HOLDS
            if self._filter is not None:
                self._filter.install()
                os.getpid()
                held |= _SECCOMP_HOLDS
        except OSError:
            return held
        return held


def _close_all_but(keep: Sequence[int]) -> None:
    """Close every descriptor above the standard three (which lead nowhere) that is not listed."""
    start = 3
    for descriptor in sorted(keep):
        _close_range(start, descriptor - 1)
        start = descriptor + 1
    _close_range(start, 0x7FFF_FFFF)


def _close_range(first: int, last: int) -> None:
    if first > last:
        return
    try:
        syscall(CLOSE_RANGE, first, last, 0)
    except OSError:
        open_now = [int(path.name) for path in _DESCRIPTOR_FOLDER.iterdir()]
        close_descriptors([descriptor for descriptor in open_now if first <= descriptor <= last])
