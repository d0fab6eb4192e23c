"""The region of docs/checking.md: every code that a check may answer with."""

from __future__ import annotations

from markdown import code, table

from eyeline.model.finding import MEANINGS, FindingCode


def findings() -> str:
    """Codes in the order of how bad they are, with what a repair does."""
    rows = ((code(each.value), MEANINGS[each]) for each in FindingCode)
    said = ((name, meaning.severity.value, meaning.found, meaning.subject, meaning.repair) for name, meaning in rows)
    return table("code | how bad | what was found | named by | `--repair`", said)


REGIONS = {"findings": findings}
