"""The regions of docs/checking.md and docs/attachments.md: every code of a check, and of what is not attached."""

from __future__ import annotations

from markdown import code, table

from eyeline.model.attachment import REFUSALS
from eyeline.model.finding import MEANINGS, FindingCode


def findings() -> str:
    """Codes in the order of how bad they are, with what a repair does."""
    rows = ((code(each.value), MEANINGS[each]) for each in FindingCode)
    said = ((name, meaning.severity.value, meaning.found, meaning.subject, meaning.repair) for name, meaning in rows)
    return table("code | how bad | what was found | named by | `--repair`", said)


def refusals() -> str:
    """Why something is not attached."""
    return table("refusal | what it says", ((code(each.value), said) for each, said in REFUSALS.items()))


REGIONS = {"findings": findings, "refusals": refusals}
