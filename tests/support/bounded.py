"""What tests of the bounded runtime share: hostile jobs by name, and the processes below a process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from eyeline.errors import EngineFailed
from eyeline.media.bounded.job import BytesSource, JobLimits, JobResult, Readable
from eyeline.media.bounded.pool import BoundedPool

HOSTILE = "eyeline.testing.hostile"
NOTHING = BytesSource(b"")
TRIES = 500


def hostile_pool(**settings: Any) -> BoundedPool:
    """A pool that also runs hostile jobs; without engines, so that it starts at once."""
    given: dict[str, Any] = {"preload": (), "extra_job_modules": (HOSTILE,), **settings}
    return BoundedPool(**given)


def attempt(pool: BoundedPool, job: str, *, source: Readable = NOTHING, **params: object) -> JobResult:
    """Run a hostile job under limits that are wide for it."""
    return pool.run(f"{HOSTILE}:{job}", params, source=source, limits=JobLimits(memory_bytes=512 << 20))


def reason(error: EngineFailed) -> object:
    """Why a job failed."""
    return error.detail["reason"]


def zygote_of(pool: BoundedPool) -> int:
    """The pid of the zygote that serves a pool now."""
    return attempt(pool, "parent").value["pid"]


def below(pid: int | str) -> list[tuple[int, str]]:
    """Children of a process: pid and state, `Z` for one that is dead and not reaped."""
    found: list[tuple[int, str]] = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(pid):
            found.append((int(folder.name), fields[0]))
    return found


def zygotes(pid: int) -> list[int]:
    """The zygotes that a process has started and that live."""
    return [child for child, state in below(pid) if state != "Z" and "bounded.zygote" in _command(child)]


def working() -> list[int]:
    """Jobs of pools of this process that have used half a second of a processor and still live."""
    return [job for zygote in zygotes(os.getpid()) for job, state in below(zygote) if state != "Z" and _is_busy(job)]


def _is_busy(pid: int) -> bool:
    try:
        used = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11]
    except OSError:
        return False
    return int(used) * 2 >= os.sysconf("SC_CLK_TCK")


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    except OSError:
        return ""


def settles(pool: BoundedPool) -> bool:
    """Whether its zygote comes to have no child but the one that waits for the next job; jobs pass the time."""
    zygote = zygote_of(pool)
    for _ in range(TRIES):
        if len(below(zygote)) <= 1:
            return True
        attempt(pool, "nothing")
    return False
