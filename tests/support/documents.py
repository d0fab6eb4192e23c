"""Reading a `document.md` as a Markdown reader does."""

from __future__ import annotations

import re


def outside_fences(document: str) -> str:
    """What stands outside code fences, as CommonMark closes them: a run at least as long, alone on its line."""
    kept: list[str] = []
    fence: str | None = None
    for line in document.split("\n"):
        run = re.match(r" {0,3}(`{3,})(.*)$", line)
        if fence is None and run:
            fence = run[1]
        elif fence is not None and run and len(run[1]) >= len(fence) and not run[2].strip():
            fence = None
        elif fence is None:
            kept.append(line)
    assert fence is None
    return "\n".join(kept)
