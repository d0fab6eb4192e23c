"""Tools for Anthropic's Messages: schemas for `tools=`, and a `tool_result` for each `tool_use`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.integrations.calling import Answered, InProcess
from eyeline.integrations.schemas import described, full
from eyeline.presenters.anthropic import tool_failure, tool_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.model.limits import AnswerLimit
    from eyeline.toolkit.cancel import CancelToken
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry
    from eyeline.toolkit.runner import ToolRunner


class AnthropicTools:
    """`schemas` go into a request as `tools=`; `run` answers one `tool_use` block with its `tool_result` block.

    A call that goes wrong, and a batch in which nothing was delivered, are results with `is_error`.
    """

    def __init__(self, calls: InProcess) -> None:
        self._calls = calls
        self.schemas: list[Any] = [_schema(tool) for tool in calls.offered]

    def run(
        self, name: str, arguments: Mapping[str, Any], *, tool_use_id: str, cancel: CancelToken | None = None
    ) -> dict[str, Any]:
        """Call a tool in this thread: `run(block.name, block.input, tool_use_id=block.id)`."""
        return _result(self._calls.run(name, arguments, call_id=tool_use_id, cancel=cancel), tool_use_id)

    async def run_async(self, name: str, arguments: Mapping[str, Any], *, tool_use_id: str) -> dict[str, Any]:
        """The same in a worker thread; cancelling the waiting task cancels the call."""
        return _result(await self._calls.run_async(name, arguments, call_id=tool_use_id), tool_use_id)


def as_anthropic_tools(
    tools: ToolRunner | ToolRegistry, *, principal: str | None = None, answer: AnswerLimit | None = None
) -> AnthropicTools:
    """The tools of a runner for Anthropic. `principal` stands in the audit log, `answer` bounds one result."""
    return AnthropicTools(InProcess(tools, principal=principal, answer=answer))


def _schema(tool: ToolDefinition[Any, Any]) -> dict[str, Any]:
    parameters = described(full, tool.describe()["input_schema"])
    return {"name": tool.name, "description": tool.description, "input_schema": parameters}


def _result(answered: Answered, tool_use_id: str) -> dict[str, Any]:
    if answered.error is not None:
        return tool_failure(answered.error_text(), tool_use_id=tool_use_id)
    return tool_result(answered.answer, tool_use_id=tool_use_id)
