"""What a bounded job costs before it does anything: an empty warm job against bare processes, in one run."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks.table import Row, in_turns
from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool

RUNS = 300
EMPTY_JOB = "eyeline.testing.hostile:nothing"
SOURCE = BytesSource(b"")


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def rows() -> list[Row]:
    """Measure."""
    with BoundedPool(extra_job_modules=("eyeline.testing.hostile",)) as pool:
        start = time.perf_counter()
        facts = pool.isolation()
        ready_ms = (time.perf_counter() - start) * 1000
        job, fork = in_turns(lambda: pool.run(EMPTY_JOB, {}, source=SOURCE), _fork, runs=RUNS)
        (python,) = in_turns(lambda: subprocess.run([sys.executable, "-S", "-c", ""], check=True), runs=RUNS // 10)
    return [
        Row("an empty bounded job", job, "a bare fork", fork, remark=str(facts)),
        Row("an empty bounded job", job, "a fresh interpreter", python, remark=f"ready after {ready_ms:.0f} ms, once"),
    ]
