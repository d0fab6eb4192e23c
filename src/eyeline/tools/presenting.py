"""Where the tools are offered, and how their answers are presented there: one way for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from eyeline.presenters.framing import framed
from eyeline.presenters.mcp import answer_blocks

SURFACES = frozenset({"agents", "mcp", "python"})
"""Where the tools are offered."""

PRESENTERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({"agents": framed, "mcp": answer_blocks})
"""For each surface that sends something of its own."""
