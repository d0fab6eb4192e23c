"""What a bounded job costs before it does anything: an empty warm job against bare processes, in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool

RUNS = 300
EMPTY_JOB = "eyeline.testing.hostile:nothing"
SOURCE = BytesSource(b"")


def median_ms(act: Callable[[], object], *, runs: int) -> float:
    """Median time of an act, in milliseconds."""
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def main() -> None:
    """Print one table."""
    with BoundedPool(extra_job_modules=("eyeline.testing.hostile",)) as pool:
        start = time.perf_counter()
        facts = pool.isolation()
        ready_ms = (time.perf_counter() - start) * 1000

        def job() -> object:
            return pool.run(EMPTY_JOB, {}, source=SOURCE)

        job()
        job_ms = median_ms(job, runs=RUNS)
    fork_ms = median_ms(_fork, runs=RUNS)
    python_ms = median_ms(lambda: subprocess.run([sys.executable, "-S", "-c", ""], check=True), runs=RUNS // 10)
    print(facts)
    print("| empty bounded job | bare fork | fresh interpreter | zygote ready |")
    print("|---|---|---|---|")
    print(f"| {job_ms:.2f} ms | {fork_ms:.2f} ms | {python_ms:.1f} ms | {ready_ms:.0f} ms |")


if __name__ == "__main__":
    main()
