"""How the tools that answer with a plain value present it: its JSON, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from eyeline.presenters.framing import framed
from eyeline.presenters.mcp import framed_blocks

SURFACES = frozenset({"agents", "mcp", "python"})
"""Where these tools are offered."""


def value_blocks(value: object) -> list[Any]:
    """The one block of an answer."""
    return [*framed_blocks(framed(value))]


PRESENTERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({"agents": framed, "mcp": value_blocks})
"""For each surface that sends something of its own."""
