"""Descriptions of tools where there is little room for them, and what did not fit, for a model's instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.toolkit.definition import ToolDefinition

MAX_CHARS = 1024
"""A longer description of a function is refused by OpenAI's Chat Completions and by servers like it."""

_MORE = "The instructions say more about this tool."


def brief(description: str) -> str:
    """The description, or as many of its paragraphs as there is room for, and always the last."""
    if len(description) <= MAX_CHARS:
        return description
    *paragraphs, last = description.split("\n\n")
    ending = [last, _MORE] if len(last) < MAX_CHARS // 2 else [_MORE]
    kept: list[str] = []
    for each in paragraphs:
        if len("\n\n".join([*kept, each, *ending])) > MAX_CHARS:
            break
        kept.append(each)
    if not kept:
        room = MAX_CHARS - len("\n\n".join(["", *ending])) - 1
        kept.append(f"{description[:room].rpartition(' ')[0] or description[:room]}…")
    return "\n\n".join([*kept, *ending])


def instructions(tools: Iterable[ToolDefinition[Any, Any]]) -> str:
    """The descriptions that `brief` shortens, whole; empty where it shortens none."""
    return "\n\n".join(
        f"# Tool {tool.name}\n\n{tool.description}" for tool in tools if brief(tool.description) != tool.description
    )
