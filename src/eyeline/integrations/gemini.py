"""Tools for Gemini's generateContent: function declarations, and the parts that answer a function call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.errors import ConfigError
from eyeline.integrations.calling import Answered, InProcess
from eyeline.integrations.schemas import described, openapi
from eyeline.presenters.gemini import function_failure, function_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.model.limits import AnswerLimit
    from eyeline.toolkit.cancel import CancelToken
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry
    from eyeline.toolkit.runner import ToolRunner

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")


class GeminiTools:
    """`declarations` go into a request as `tools=[{"function_declarations": …}]`; `run` answers one function call.

    The parts of all answers to one turn go into one content of role `user`. `ConfigError`: a tool whose name or input
    cannot be declared there.
    """

    def __init__(self, calls: InProcess, *, nested: bool) -> None:
        self._calls = calls
        self._nested = nested
        self.declarations: list[Any] = [_declaration(tool) for tool in calls.offered]

    def run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        call_id: str | None = None,
        cancel: CancelToken | None = None,
    ) -> list[dict[str, Any]]:
        """Call a tool in this thread: `run(call.name, call.args, call_id=call.id)`."""
        return self._parts(self._calls.run(name, arguments, call_id=call_id, cancel=cancel), name, call_id=call_id)

    async def run_async(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str | None = None
    ) -> list[dict[str, Any]]:
        """The same in a worker thread; cancelling the waiting task cancels the call."""
        return self._parts(await self._calls.run_async(name, arguments, call_id=call_id), name, call_id=call_id)

    def _parts(self, answered: Answered, name: str, *, call_id: str | None) -> list[dict[str, Any]]:
        if answered.error is not None:
            return function_failure(answered.error.to_plain(), name=name, call_id=call_id)
        return function_response(answered.answer, name=name, call_id=call_id, nested=self._nested)


def as_gemini_tools(
    tools: ToolRunner | ToolRegistry,
    *,
    principal: str | None = None,
    answer: AnswerLimit | None = None,
    nested: bool = True,
) -> GeminiTools:
    """The tools of a runner for Gemini. `principal` stands in the audit log, `answer` bounds one response.

    `nested`: the model takes pictures inside a function response, as those from Gemini 3 on do; for models before, the
    pictures follow the response.
    """
    return GeminiTools(InProcess(tools, principal=principal, answer=answer), nested=nested)


def _declaration(tool: ToolDefinition[Any, Any]) -> dict[str, Any]:
    if not _NAME.fullmatch(tool.name):
        raise ConfigError(f"Gemini takes no function called {tool.name!r}", hint="begin it with a letter")
    parameters = described(openapi, tool.describe()["input_schema"])
    # an object without properties is refused there; a function without parameters is not
    held = {"parameters": parameters} if parameters["properties"] else {}
    return {"name": tool.name, "description": tool.description, **held}
