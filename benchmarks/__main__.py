"""`make bench`: every benchmark in turn, one table each; `python -m benchmarks pdf_page` runs one.

`EYELINE_BENCH_SCALE=0.1` makes the larger ones a tenth as large.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys

from benchmarks.table import printed

ALL = (
    "bounded_overhead",
    "import_time",
    "picture_rendition",
    "attach_image",
    "pdf_page",
    "mcp_open",
    "view_batch",
    "catalog",
    "ingest_many",
    "large_original",
    "recording_span",
    "recording_intake",
    "publish_one",
    "find_many",
    "assemble_request",
)


def main(names: list[str]) -> None:
    """Run the named benchmarks, all without names."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"CPython {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}")
    print(f"load averages as it starts: {load}")
    for name in names or ALL:
        print(f"\n## {name}\n", flush=True)
        print(printed(importlib.import_module(f"benchmarks.{name}").rows()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
