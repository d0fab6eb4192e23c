"""`find` and `show` in a home of 100 000 documents, against one of 1 000.

The homes are built by writing the catalogue in bulk (`benchmarks.built`); three passages of 60 words a document. Both
are asked in a process of their own over the Python surface. A word that stands in 20 documents has as many matches in
both; one that stands in every fiftieth document has a hundred times as many in the larger home.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.built import COMMON, RARE, build
from benchmarks.measuring import ran, scaled
from benchmarks.table import Row
from eyeline import Eyeline

MANY, FEW, RUNS = 100_000, 1_000, 21
AIM = 3.0


def rows() -> list[Row]:
    """Measure."""
    few, many = scaled(FEW, least=1000), scaled(MANY, least=2000)
    with tempfile.TemporaryDirectory() as name:
        sides: list[tuple[dict[str, float], str]] = []
        for count in (few, many):
            home = Path(name) / str(count)
            build(home, count=count)
            asked = ran([sys.executable, "-m", "benchmarks.find_many", home, str(count)])
            sides.append((json.loads(asked.said), asked.peak))
    (in_few, peak_few), (in_many, peak_many) = sides
    remark = f"peak memory {peak_many}, at {few}: {peak_few}"
    return [Row(f"{work}, at {many}", in_many[work], f"at {few}", in_few[work], AIM, remark) for work in in_many]


def asked(home: Path, count: int) -> dict[str, float]:
    """Median milliseconds of each question."""
    with Eyeline(home) as eye:
        one = eye.find(RARE).passages[0].source
        acts: dict[str, Callable[[], object]] = {
            "find a word of 20 documents": lambda: eye.find(RARE),
            "find a word of one in 50 documents": lambda: eye.find(COMMON),
            "find a document by its title": lambda: eye.find(f"{count // 2:06d}"),
            "list the first 20": lambda: eye.find(""),
            "show by id": lambda: eye.show(one.version_id),
            "show by name": lambda: eye.show(f"inbox/{count // 2:06d}.txt"),
        }
        return {work: _median_ms(act) for work, act in acts.items()}


def _median_ms(act: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    print(json.dumps(asked(Path(sys.argv[1]), int(sys.argv[2]))))
