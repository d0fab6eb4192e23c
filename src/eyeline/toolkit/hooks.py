"""Hooks: what a program adds around every call, the same on every surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.toolkit.context import ToolContext
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.outcome import SafeError, Status


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it came in. `tool` is None when no tool of that name is offered here.

    `arguments` are raw: a mapping, or JSON text where the surface has only that.
    """

    name: str
    tool: ToolDefinition[Any, Any] | None
    arguments: Mapping[str, Any] | str
    context: ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEvent:
    """How a call ended, told once. `value` is the answer before any surface presents it."""

    call: ToolCall
    status: Status
    elapsed_ms: int
    value: Any = None
    error: SafeError | None = None


class ToolHooks:
    """Base for hooks: override what you need. Hooks run in the order they were given, in the thread of the call.

    What `before_call` or `authorise` raises refuses the call; what `after_handle` raises fails it. What `on_error` or
    `after_call` raises is logged and changes nothing. `after_call` comes exactly once for every call, whatever
    happened before it.
    """

    def before_call(self, call: ToolCall) -> None:
        """Before the arguments are read."""

    def authorise(self, call: ToolCall, request: Any) -> None:
        """After the arguments were read, before the handler: the gate."""

    def after_handle(self, call: ToolCall, value: Any) -> None:
        """After the handler answered, before the answer is validated and presented."""

    def on_error(self, call: ToolCall, error: SafeError, *, cause: BaseException) -> None:
        """After something was raised. `cause` is the whole truth: keep it on this side."""

    def after_call(self, event: ToolEvent) -> None:
        """At the end of every call, exactly once."""
