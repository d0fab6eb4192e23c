"""Who holds a claim: a process of this machine since its start, told apart from a later one with the same number."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: boot of the machine, process number space, number, and start in clock ticks since boot.

    Where the system does not tell, a field is empty.
    """

    boot: str
    space: str
    pid: int
    started: str

    @classmethod
    def parse(cls, text: str) -> Owner | None:
        """Read what `str` printed; none for anything else."""
        boot, _, rest = text.partition("/")
        space, _, rest = rest.partition("/")
        pid, _, started = rest.partition("/")
        return cls(boot, space, int(pid), started) if pid.isdecimal() else None

    def __str__(self) -> str:
        return f"{self.boot}/{self.space}/{self.pid}/{self.started}"

    def is_gone(self) -> bool:
        """Whether this process certainly does not run any more.

        A process of an earlier boot is gone. One in another number space (another container) cannot be looked at, so
        it is taken to be alive until its claim expires.
        """
        here = this_process()
        if self.boot != here.boot:
            return True
        if self.space != here.space:
            return False
        return _started(self.pid) != self.started if here.started else not _runs(self.pid)


def this_process() -> Owner:
    """The process that asks; a forked child is another one."""
    pid = os.getpid()
    return Owner(_text(PROC / "sys/kernel/random/boot_id"), _space(), pid, _started(pid))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _space() -> str:
    try:
        return str((PROC / "self/ns/pid").readlink()).removeprefix("pid:[").removesuffix("]")
    except OSError:
        return ""


def _started(pid: int) -> str:
    """Start of a running process in clock ticks; empty when there is none. A zombie runs no more."""
    fields = _text(PROC / str(pid) / "stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else ""


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
