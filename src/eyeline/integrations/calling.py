"""Calls of tools in this process: every integration runs them here and shapes what comes back."""

from __future__ import annotations

import getpass
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eyeline.errors import ConfigError
from eyeline.presenters.framing import Framed, framed
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.deliveries import run_delivered, run_delivered_async

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyeline.model.limits import AnswerLimit
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.outcome import SafeError, ToolOutcome
    from eyeline.toolkit.registry import ToolRegistry

SURFACE = "agents"
"""The surface on which these tools are offered. A presenter of that name makes a `Framed` or a text of an answer."""

# What providers call their calls; anything else gets an id of ours, since it ends up in logs.
_CALL_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


@dataclass(frozen=True, slots=True)
class Answered:
    """How a call ended: its framed answer with the value behind it, or its error; never both."""

    answer: Framed
    value: Any = None
    error: SafeError | None = None

    def error_text(self) -> str:
        """The error as JSON, `{code, message, retryable, …}`."""
        assert self.error is not None
        return json.dumps(self.error.to_plain(), ensure_ascii=False, separators=(",", ":"))

    def told_error(self) -> str:
        """The error as JSON where no mark says that it is one: `{"error": {…}}`."""
        return f'{{"error":{self.error_text()}}}'


class InProcess:
    """The tools of a runner or a registry, called by one principal under one answer limit.

    `principal` is who stands in the audit log, `local:<user>` unless given. `answer` bounds one answer; left out, the
    application's own limit does.
    """

    def __init__(
        self, tools: ToolRunner | ToolRegistry, *, principal: str | None = None, answer: AnswerLimit | None = None
    ) -> None:
        self._runner = tools if isinstance(tools, ToolRunner) else ToolRunner(tools)
        self._principal = f"local:{getpass.getuser()}" if principal is None else principal
        self._answer_limit: Mapping[str, int] = {} if answer is None else asdict(answer)

    @property
    def offered(self) -> Sequence[ToolDefinition[Any, Any]]:
        """The tools that are offered to agents, in the order of their names."""
        return self._runner.tools.on(SURFACE)

    def run(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        call_id: str | None = None,
        cancel: CancelToken | None = None,
    ) -> Answered:
        """Call a tool in this thread. What goes wrong in the call is in what it returns."""
        context = self._context(call_id, cancel=cancel)
        return _answered(run_delivered(self._runner, name, arguments=arguments, context=context)[0])

    async def run_async(self, name: str, arguments: Mapping[str, Any] | str, *, call_id: str | None = None) -> Answered:
        """Call a tool in a worker thread. When the waiting task is cancelled, so is the call."""
        context = self._context(call_id)
        return _answered((await run_delivered_async(self._runner, name, arguments=arguments, context=context))[0])

    def _context(self, call_id: str | None, *, cancel: CancelToken | None = None) -> ToolContext:
        return ToolContext(
            principal=self._principal,
            surface=SURFACE,
            call_id=call_id if call_id is not None and _CALL_ID.fullmatch(call_id) else "",
            cancel=cancel or CancelToken(),
            answer_limit=self._answer_limit,
        )


def _answered(outcome: ToolOutcome[Any]) -> Answered:
    if outcome.error is not None:
        return Answered(Framed(""), error=outcome.error)
    presented = framed(outcome.value) if outcome.presented is None else outcome.presented
    if isinstance(presented, str):
        presented = Framed(presented)
    if not isinstance(presented, Framed):
        raise ConfigError(
            f"the presenter for {SURFACE!r} gave {type(presented).__name__}",
            hint="give a text, or a Framed of eyeline.presenters.framing",
        )
    return Answered(presented, outcome.value)
