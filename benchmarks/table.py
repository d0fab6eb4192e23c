"""One row a comparison: our time, the peer's time on the same work in the same run, their ratio, and the aim."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A comparison. Times are medians in milliseconds; `aim` is the ratio hoped for, where there is one."""

    work: str
    ours_ms: float
    peer: str
    peer_ms: float
    aim: float | None = None
    remark: str = ""

    @property
    def ratio(self) -> float:
        """Our time as a share of the peer's."""
        return self.ours_ms / self.peer_ms


def in_turns(*acts: Callable[[], object], runs: int) -> list[float]:
    """Median time of each act in milliseconds; acts take turns, so that noise of the machine meets all of them."""
    for act in acts:
        act()
    times: list[list[float]] = [[] for _ in acts]
    for _ in range(runs):
        for taken, act in zip(times, acts, strict=True):
            start = time.perf_counter()
            act()
            taken.append((time.perf_counter() - start) * 1000)
    return [statistics.median(taken) for taken in times]


def printed(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| work | ours | peer | its time | ratio | aim | remark |", "|---|--:|---|--:|--:|--:|---|"]
    lines += [_line(row) for row in rows]
    return "\n".join(lines)


def _line(row: Row) -> str:
    aim = "" if row.aim is None else f"≤ {row.aim:g}"
    cells: Sequence[str] = (
        row.work,
        f"{row.ours_ms:.2f} ms",
        row.peer,
        f"{row.peer_ms:.2f} ms",
        f"{row.ratio:.2f}",
        aim,
        row.remark,
    )
    return f"| {' | '.join(cells)} |"
