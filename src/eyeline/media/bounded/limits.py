"""The kernel's own limits on one child: memory, CPU time, file size, descriptors, threads."""

from __future__ import annotations

import contextlib
import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.media.bounded.kernel import IS_LINUX
from eyeline.media.bounded.output import REPORT_BYTES

if TYPE_CHECKING:
    from eyeline.media.bounded.job import JobLimits

DESCRIPTORS = 64
MORE_TASKS = 512
"""Threads a child's user may gain while a job runs, over all there are when it starts. Root is not held to it."""

_EVERYWHERE = ("CPU", "FSIZE", "NOFILE", "CORE")
IN_FORCE = (*_EVERYWHERE, *(("AS",) if IS_LINUX else ()), *(("NPROC",) if IS_LINUX and os.geteuid() != 0 else ()))
"""The limits that hold here, by their names in `getrlimit(2)`."""


def cpu_seconds(limits: JobLimits) -> int:
    """The CPU limit in whole seconds, rounded up."""
    return -(-limits.cpu_ms // 1000)


@dataclass(frozen=True, slots=True)
class Usage:
    """What is taken before a job begins: the imported engines' address space in bytes, threads on this machine."""

    address_space: int
    tasks: int


def usage() -> Usage:
    """Taken now, in the zygote."""
    if not IS_LINUX:
        return Usage(0, 0)
    pages = _field("/proc/self/statm", 0)
    tasks = _field("/proc/loadavg", 3).partition(b"/")[2]
    return Usage(int(pages) * os.sysconf("SC_PAGE_SIZE"), int(tasks))


def apply(limits: JobLimits, usage: Usage) -> None:
    """Hold this process to its limits; a hard limit that is lower already stays."""
    seconds = cpu_seconds(limits)
    wanted = {
        "AS": (usage.address_space + limits.memory_bytes,) * 2,
        "CPU": (seconds, seconds + 1),
        "FSIZE": (limits.output_bytes + REPORT_BYTES,) * 2,
        "NOFILE": (DESCRIPTORS,) * 2,
        "NPROC": (usage.tasks + MORE_TASKS,) * 2,
        "CORE": (0, 0),
    }
    for name in IN_FORCE:
        soft, hard = wanted[name]
        kind: int = getattr(resource, f"RLIMIT_{name}")
        present = resource.getrlimit(kind)[1]
        ceiling = hard if present == resource.RLIM_INFINITY else min(hard, present)
        resource.setrlimit(kind, (min(soft, ceiling), ceiling))


def prefer_as_victim() -> None:
    """When the machine itself runs out of memory, let the kernel take a decoding child first."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


def _field(path: str, index: int) -> bytes:
    """One field of a kernel file's first line, counted from 0."""
    with Path(path).open("rb", buffering=0) as file:
        return file.read(256).split()[index]
