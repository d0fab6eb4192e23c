"""`find` and `show` in a home of 100 000 documents, against one of 1 000.

The homes are built by writing the catalogue in bulk (`benchmarks.built`); three passages of 25 words a document. Both
are asked over the Python surface in turns; for the memory, each in a process of its own. A word that stands in 20
documents has as many matches in both; one that stands in every fiftieth document has a hundred times as many in the
larger home.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.built import COMMON, RARE, build
from benchmarks.measuring import ran, scaled
from benchmarks.table import Row, in_turns
from eyeline import Eyeline

MANY, FEW, RUNS = 100_000, 1_000, 21
AIM = 3.0


def rows() -> list[Row]:
    """Measure."""
    few, many = scaled(FEW, least=1000), scaled(MANY, least=2000)
    with tempfile.TemporaryDirectory() as name:
        homes = [Path(name) / str(count) for count in (few, many)]
        for home, count in zip(homes, (few, many), strict=True):
            build(home, count=count)
        peak_few, peak_many = (ran([sys.executable, "-m", "benchmarks.find_many", home]).peak for home in homes)
        with Eyeline(homes[0]) as small, Eyeline(homes[1]) as large:
            in_few, in_many = acts(small, few), acts(large, many)
            times = {work: in_turns(in_many[work], in_few[work], runs=RUNS) for work in in_many}
    remark = f"peak memory {peak_many}, at {few}: {peak_few}"
    return [Row(f"{work}, at {many}", ours, f"at {few}", peer, AIM, remark) for work, (ours, peer) in times.items()]


def acts(eye: Eyeline, count: int) -> dict[str, Callable[[], object]]:
    """What is asked of a home."""
    version_id = eye.find(RARE).passages[0].source.version_id
    return {
        "find a word of 20 documents": lambda: eye.find(RARE),
        "find a word of one in 50 documents": lambda: eye.find(COMMON),
        "find a document by its title": lambda: eye.find(f"{count // 2:06d}"),
        "list the first 20": eye.find,
        "show by id": lambda: eye.show(version_id),
        "show by name": lambda: eye.show(f"inbox/{count // 2:06d}.txt"),
    }


if __name__ == "__main__":
    with Eyeline(Path(sys.argv[1])) as asked:
        for act in acts(asked, 1000).values():
            act()
