"""`make bench`: every benchmark in turn, one table each; `python -m benchmarks pdf_page` runs one."""

from __future__ import annotations

import importlib
import os
import platform
import sys

from benchmarks.table import printed

ALL = ("bounded_overhead", "import_time", "picture_rendition", "pdf_page", "mcp_open", "catalog")


def main(names: list[str]) -> None:
    """Run the named benchmarks, all without names."""
    print(f"CPython {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}")
    for name in names or ALL:
        print(f"\n## {name}\n", flush=True)
        print(printed(importlib.import_module(f"benchmarks.{name}").rows()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
