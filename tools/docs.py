"""Write the generated regions of docs/, or check with `--check` that they are what would be written.

A region stands in a page between `<!-- generated: name -->` and `<!-- end -->`; what is around it is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import addresses
import commands
import findings
import providers
import reference
import routes
import tool_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"
REGION = re.compile(r"(<!-- generated: (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)

REGIONS = (
    addresses.REGIONS
    | commands.REGIONS
    | findings.REGIONS
    | providers.REGIONS
    | reference.REGIONS
    | routes.REGIONS
    | tool_tables.REGIONS
)
"""What makes each region, by its name."""


def filled(text: str) -> str:
    """A page with its regions as the program has them."""
    return REGION.sub(lambda found: f"{found[1]}\n{REGIONS[found[2]]().rstrip()}\n{found[3]}", text)


def main() -> int:
    """Write the pages; with `--check`, name those that differ and write nothing."""
    is_check = sys.argv[1:] == ["--check"]
    stale: list[str] = []
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        new = filled(text)
        if new == text:
            continue
        stale.append(path.name)
        if is_check:
            sys.stderr.write(
                f"{path.relative_to(DOCS.parent)} is not what the program says: run python tools/docs.py\n"
            )
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
