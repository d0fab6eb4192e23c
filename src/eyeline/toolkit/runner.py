"""`ToolRunner`: one lifecycle for every tool on every surface.

Fork the context → `before_call` with raw arguments → read the arguments → authorise → handle → `after_handle` →
validate the answer → present it → `after_call`, exactly once whatever happened.
"""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from eyeline import wire
from eyeline.errors import Cancelled, IntegrityError, InvalidRequest
from eyeline.toolkit.arguments import read_arguments
from eyeline.toolkit.hooks import ToolCall, ToolEvent, ToolHooks
from eyeline.toolkit.outcome import SafeError, Status, ToolOutcome
from eyeline.toolkit.safety import safe_error
from eyeline.toolkit.threads import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyeline.toolkit.context import ToolContext
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry

_logger = logging.getLogger("eyeline")


class ToolRunner:
    """Runs the tools of a registry. It holds no state of a call, so any number of calls may run at once.

    Neither `run` nor `run_async` raises for a call that went wrong: the outcome says so. What stops the process
    (`KeyboardInterrupt`, `SystemExit`) passes through, after `after_call`. `grace_s` is how long `run_async` waits,
    once its task is cancelled, for the work to end.
    """

    def __init__(self, tools: ToolRegistry, *, hooks: Sequence[ToolHooks] = (), grace_s: float = 1.0) -> None:
        self.tools = tools
        self._hooks = tuple(hooks)
        self._grace_s = grace_s

    def run(self, name: str, arguments: Mapping[str, Any] | str, *, context: ToolContext) -> ToolOutcome[Any]:
        """Call a tool in this thread. `arguments` are plain JSON values by name, or the JSON text of them."""
        with context.forked() as own:
            return self._run(self._received(name, arguments, context=own))

    async def run_async(
        self, name: str, arguments: Mapping[str, Any] | str, *, context: ToolContext
    ) -> ToolOutcome[Any]:
        """Call a tool in a worker thread; when the waiting task is cancelled, so is the call."""
        with context.forked() as own:
            call = self._received(name, arguments, context=own)
            return await run_in_thread(lambda: self._run(call), cancel=own.cancel, grace_s=self._grace_s)

    def _received(self, name: str, arguments: Mapping[str, Any] | str, *, context: ToolContext) -> ToolCall:
        raw = arguments if isinstance(arguments, str) else MappingProxyType(dict(arguments))
        return ToolCall(name=name, tool=self.tools.find(name, surface=context.surface), arguments=raw, context=context)

    def _run(self, call: ToolCall) -> ToolOutcome[Any]:
        started = time.monotonic()
        outcome: ToolOutcome[Any] = ToolOutcome(
            call_id=call.context.call_id,
            status=Status.CANCELLED,
            error=SafeError(code=Cancelled.code, message="the program is stopping"),
        )
        try:
            outcome = self._answer(call)
            return outcome
        finally:
            self._tell_end(call, outcome, elapsed_ms=round((time.monotonic() - started) * 1000))

    def _answer(self, call: ToolCall) -> ToolOutcome[Any]:
        handled = False
        try:
            tool, request = self._accept(call)
            handled = True
            value = self._perform(call, tool, request=request)
            present = tool.presenters.get(call.context.surface)
            presented = None if present is None else present(value)
        # The top of every surface: whatever a tool raises becomes a safe error here, and its cause goes to the log.
        except Exception as cause:
            return self._refusal(call, cause, handled=handled)
        return ToolOutcome(call_id=call.context.call_id, status=Status.SUCCESS, value=value, presented=presented)

    def _accept(self, call: ToolCall) -> tuple[ToolDefinition[Any, Any], Any]:
        call.context.cancel.raise_if_cancelled()
        tool = self.tools.get(call.name, surface=call.context.surface)
        for hook in self._hooks:
            hook.before_call(call)
        request = read_arguments(tool.input_type, call.arguments)
        for hook in self._hooks:
            hook.authorise(call, request)
        if tool.authorise is not None:
            tool.authorise(request, call.context)
        call.context.cancel.raise_if_cancelled()
        return tool, request

    def _perform(self, call: ToolCall, tool: ToolDefinition[Any, Any], *, request: Any) -> Any:
        value = tool.handler(request, call.context)
        for hook in self._hooks:
            hook.after_handle(call, value)
        if not isinstance(value, tool.output_type):
            raise TypeError(f"{tool.name!r} answered {type(value).__name__}, not {tool.output_type.__name__}")
        try:
            return wire.validate(tool.output_type, value)
        except InvalidRequest as exc:
            # Ours, not the caller's: the answer breaks the tool's own promise.
            raise TypeError(f"{tool.name!r} answered what its output schema does not allow") from exc

    def _refusal(self, call: ToolCall, cause: Exception, *, handled: bool) -> ToolOutcome[Any]:
        about = f"call {call.context.call_id} of {call.name[:80]!r}"
        token = call.context.cancel
        if token.cancelled and not isinstance(cause, (Cancelled, IntegrityError)):
            # A child that was killed or a socket that was closed on the caller's wish fails in its own words.
            _logger.debug("%s ended by cancelling", about, exc_info=cause)
            cause = Cancelled(token.reason)
        error = safe_error(cause, about=about)
        for hook in self._hooks:
            _quietly(lambda told=hook: told.on_error(call, error, cause=cause), what=f"on_error, {about}")
        if isinstance(cause, Cancelled):
            status = Status.CANCELLED
        else:
            status = Status.FAILED if handled and error.incident_id is not None else Status.REFUSED
        return ToolOutcome(call_id=call.context.call_id, status=status, error=error)

    def _tell_end(self, call: ToolCall, outcome: ToolOutcome[Any], *, elapsed_ms: int) -> None:
        event = ToolEvent(
            call=call, status=outcome.status, elapsed_ms=elapsed_ms, value=outcome.value, error=outcome.error
        )
        # A stack runs all its callbacks, even past one that stops the process.
        with ExitStack() as stack:
            for hook in reversed(self._hooks):
                stack.callback(
                    _quietly, lambda told=hook: told.after_call(event), what=f"after_call of {call.name[:80]!r}"
                )


def _quietly(tell: Callable[[], None], *, what: str) -> None:
    """Tell a hook what can no longer be changed; what it raises is logged."""
    try:
        tell()
    # A hook is someone else's code; the call has ended and its outcome stands.
    except Exception:
        _logger.exception("a hook failed: %s", what)
