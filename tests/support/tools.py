"""A small tool, its runner and a hook that remembers: what the tests of the tool runtime share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.definition import ToolAnnotations, ToolDefinition
from eyeline.toolkit.hooks import ToolCall, ToolEvent, ToolHooks
from eyeline.toolkit.outcome import SafeError
from eyeline.toolkit.registry import ToolRegistry
from eyeline.toolkit.runner import ToolRunner


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Count:
    """What the tool takes."""

    text: str = field(metadata={"description": "What to count in."})
    paths: str | tuple[str, ...] = field(default=(), metadata={"description": "One path or several."})
    window: Window | None = None
    windows: tuple[Window, ...] = ()
    at_most: int = 100


@dataclass(frozen=True, slots=True)
class Counted:
    """What the tool answers."""

    letters: int
    note: str = ""


ANNOTATIONS = ToolAnnotations(title="Count", read_only=True, idempotent=True, open_world=False)


def count(request: Count, context: ToolContext) -> Counted:
    """Count letters."""
    return Counted(letters=len(request.text), note=context.surface)


def say_letters(counted: Counted) -> str:
    """Present a count."""
    return f"{counted.letters} letters"


def counting_tool(
    handler: Callable[[Count, ToolContext], Any] = count, **changes: Any
) -> ToolDefinition[Count, Counted]:
    """The tool `count`, offered on `mcp` and `python`, presented on `mcp` only."""
    facts: dict[str, Any] = {
        "name": "count",
        "identity": "tests/count@1",
        "description": "Counts letters.",
        "input_type": Count,
        "output_type": Counted,
        "handler": handler,
        "annotations": ANNOTATIONS,
        "surfaces": frozenset({"mcp", "python"}),
        "presenters": {"mcp": say_letters},
    }
    return ToolDefinition(**(facts | changes))


def speaking_tool(told: object) -> ToolDefinition[Count, Counted]:
    """The tool `count`, offered to agents, whose presenter for them always gives `told`."""

    def present(_counted: Counted) -> object:
        return told

    return counting_tool(surfaces=frozenset({"agents"}), presenters={"agents": present})


def runner_of(*tools: ToolDefinition[Any, Any], hooks: tuple[ToolHooks, ...] = (), grace_s: float = 5.0) -> ToolRunner:
    return ToolRunner(ToolRegistry(tools), hooks=hooks, grace_s=grace_s)


def caller(**changes: Any) -> ToolContext:
    """The context of a caller on `python`."""
    facts: dict[str, Any] = {"principal": "ada", "surface": "python"}
    return ToolContext(**(facts | changes))


class Remembering(ToolHooks):
    """Remembers every hook it heard, by name, and every end."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.events: list[ToolEvent] = []
        self.raw: list[Any] = []
        self.errors: list[SafeError] = []
        self.causes: list[BaseException] = []

    def before_call(self, call: ToolCall) -> None:
        self.heard.append("before_call")
        self.raw.append(call.arguments)

    def authorise(self, call: ToolCall, request: Any) -> None:
        self.heard.append("authorise")

    def after_handle(self, call: ToolCall, value: Any) -> None:
        self.heard.append("after_handle")

    def on_error(self, call: ToolCall, error: SafeError, *, cause: BaseException) -> None:
        self.heard.append("on_error")
        self.errors.append(error)
        self.causes.append(cause)

    def after_call(self, event: ToolEvent) -> None:
        self.heard.append("after_call")
        self.events.append(event)
