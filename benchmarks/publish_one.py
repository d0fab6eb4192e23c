"""Publishing document 10 001 into the tree, against the hundredth.

The records are written in bulk (`benchmarks.built`), each with its original and one representation; every document is
then published as any verb does it, from the catalogue. What counts is the median of 21 documents at either place.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.built import Made, build
from benchmarks.measuring import scaled
from benchmarks.table import Row
from eyeline.catalog.catalog import Catalog
from eyeline.media.admission import policy_version
from eyeline.model.limits import Limits
from eyeline.operations.entries import published
from eyeline.store.local import LocalStore
from eyeline.tree.publisher import Publisher

EARLY, LATE, TIMED = 100, 10_001, 21
AIM = 2.0


def rows() -> list[Row]:
    """Measure."""
    late = scaled(LATE, least=4 * EARLY)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        made = build(home, count=late + TIMED, originals=True)
        times = _published(home, made)
    early_ms, late_ms = (statistics.median(times[at - 1 : at - 1 + TIMED]) for at in (EARLY, late))
    unit = 1024 if sys.platform == "linux" else 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    remark = f"peak memory {peak / 1e6:.0f} MB, with the building of the records"
    return [Row(f"publish document {late}", late_ms, f"publish document {EARLY}", early_ms, AIM, remark)]


def _published(home: Path, made: list[Made]) -> list[float]:
    """Publish all in turn; how many milliseconds each took."""
    publisher, policy = Publisher(home / "tree", LocalStore(home / "blobs")), policy_version(Limits())
    times: list[float] = []
    with Catalog.open(home / "catalog.sqlite") as catalog:
        for each in made:
            start = time.perf_counter()
            assert published(each.doc_id, catalog=catalog, publisher=publisher, policy=policy) is not None
            times.append((time.perf_counter() - start) * 1000)
    return times


if __name__ == "__main__":
    for row in rows():
        print(row)
