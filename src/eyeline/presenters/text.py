"""Plain text: for a channel that has nothing else.

What comes from outside stands in fences longer than any run of backticks in it, so that nothing in it can pass for a
label or end its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyeline.presenters.framing import is_text, left_out

if TYPE_CHECKING:
    from eyeline.model.manifest import Part
    from eyeline.presenters.framing import Framed

_BACKTICKS = re.compile(r"`+")


def plain_text(answer: Framed) -> str:
    """The header, then each label with its text in a fence, or with the line that stands in for its media."""
    return "\n\n".join([answer.header, *(f"{each.label}\n{_told(each.part)}" for each in answer.parts)])


def _told(part: Part) -> str:
    return _fenced(part.text) if is_text(part) else left_out(part, "plain text")


def _fenced(text: str) -> str:
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(text)), default=2))
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
