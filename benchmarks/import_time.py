"""`import eyeline` against `import httpx2`: a fresh interpreter each time, the bare interpreter's start taken off."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.table import Row, in_turns, printed

RUNS = 15


def _start(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def rows() -> list[Row]:
    """Measure."""
    bare, ours, peer = in_turns(
        lambda: _start("pass"), lambda: _start("import eyeline"), lambda: _start("import httpx2"), runs=RUNS
    )
    remark = f"a bare interpreter ({bare:.0f} ms) is taken off both"
    return [Row("import eyeline", max(ours - bare, 0.01), "import httpx2", max(peer - bare, 0.01), 1.0, remark)]


if __name__ == "__main__":
    print(printed(rows()))
