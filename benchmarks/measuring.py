"""What the larger benchmarks share: their scale, what is left out, and commands with their peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLED_EVERY_S = 0.1
SCALE = float(os.environ.get("EYELINE_BENCH_SCALE", "1"))
"""What the sizes of the larger benchmarks are multiplied by."""


def scaled(size: int, *, least: int = 1) -> int:
    """A size as the scale has it."""
    return max(least, round(size * SCALE))


def left_out(sentence: str) -> None:
    """Say that something was not measured, and why."""
    print(f"> {sentence}\n", flush=True)


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended well: wall time, what it said, the peak memory of it and all it started."""

    ms: float
    said: str
    peak_bytes: int

    @property
    def peak(self) -> str:
        """The peak as people read it."""
        return f"{self.peak_bytes / 1e6:.0f} MB" if self.peak_bytes else "unknown"


def ran(command: Sequence[str | Path]) -> Ran:
    """Run a command to its end.

    Its memory is sampled while it runs, and the highest sum counts: what its first process holds, and the shares (PSS)
    of those that it started, so that what they have in common counts once.
    """
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peaks = [0]
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(process.pid, peaks, done))
    watching.start()
    said, complaint = process.communicate()
    ms = (time.perf_counter() - start) * 1000
    done.set()
    watching.join()
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}: {complaint[-2000:]}")
    return Ran(ms, said, peaks[0])


def python(code: str, *arguments: str | Path) -> Ran:
    """Run code in a fresh interpreter of this environment, arguments from `sys.argv[1]`."""
    return ran([sys.executable, "-c", code, *arguments])


def _watch(pid: int, peaks: list[int], done: threading.Event) -> None:
    while not done.wait(SAMPLED_EVERY_S):
        first, *others = _tree(pid)
        held = _memory(first, "Rss:") + sum(_memory(each, "Pss:") for each in others)
        peaks[0] = max(peaks[0], held)


def _tree(pid: int) -> Iterator[int]:
    """A process and all that it started, as far as this system tells."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _memory(pid: int, field: str) -> int:
    """One field of what the system says of a process's memory, in bytes; nothing of one that is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0
