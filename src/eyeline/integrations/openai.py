"""Tools for OpenAI: Responses, whose function results hold pictures, and Chat Completions, whose do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from eyeline.integrations.calling import Answered, InProcess
from eyeline.integrations.descriptions import brief, instructions
from eyeline.integrations.schemas import described, full, strict, without_nulls
from eyeline.presenters.openai import (
    ChatAnswer,
    chat_answer,
    chat_failure,
    chat_messages,
    function_call_failure,
    function_call_output,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyeline.model.limits import AnswerLimit
    from eyeline.toolkit.cancel import CancelToken
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry
    from eyeline.toolkit.runner import ToolRunner

__all__ = ["ChatAnswer", "OpenAIChatTools", "OpenAITools", "as_openai_chat_tools", "as_openai_tools", "chat_messages"]


class _Functions:
    """What both interfaces share: functions in strict mode where their schemas allow it, and calls of them.

    A description has little room there. What does not fit is in `instructions`, to be put with your own.
    """

    def __init__(self, calls: InProcess) -> None:
        self._calls = calls
        self._strict = {tool.name: flat for tool in calls.offered if (flat := _strict_source(tool)) is not None}
        self.instructions = instructions(calls.offered)

    def _functions(self) -> list[dict[str, Any]]:
        return [self._function(tool) for tool in self._calls.offered]

    def _function(self, tool: ToolDefinition[Any, Any]) -> dict[str, Any]:
        is_strict = tool.name in self._strict
        parameters = described(strict if is_strict else full, tool.describe()["input_schema"])
        return {
            "name": tool.name,
            "description": brief(tool.description),
            "parameters": parameters,
            "strict": is_strict,
        }

    def _run(self, name: str, arguments: str, *, call_id: str, cancel: CancelToken | None) -> Answered:
        return self._calls.run(name, self._given(name, arguments), call_id=call_id, cancel=cancel)

    async def _run_async(self, name: str, arguments: str, *, call_id: str) -> Answered:
        return await self._calls.run_async(name, self._given(name, arguments), call_id=call_id)

    def _given(self, name: str, arguments: str) -> Mapping[str, Any] | str:
        """The arguments without what strict mode adds; what is no JSON object is left for the runner to refuse."""
        if name not in self._strict:
            return arguments
        try:
            given: object = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
        if not isinstance(given, dict):
            return arguments
        return without_nulls(cast("dict[str, Any]", given), self._strict[name])


class OpenAITools(_Functions):
    """`schemas` go into a request as `tools=`, `instructions` into its own; `run` answers one function call."""

    def __init__(self, calls: InProcess) -> None:
        super().__init__(calls)
        self.schemas: list[Any] = [{"type": "function", **each} for each in self._functions()]

    def run(self, name: str, arguments: str, *, call_id: str, cancel: CancelToken | None = None) -> dict[str, Any]:
        """Call a tool in this thread: `run(item.name, item.arguments, call_id=item.call_id)`."""
        return _output(self._run(name, arguments, call_id=call_id, cancel=cancel), call_id)

    async def run_async(self, name: str, arguments: str, *, call_id: str) -> dict[str, Any]:
        """The same in a worker thread; cancelling the waiting task cancels the call."""
        return _output(await self._run_async(name, arguments, call_id=call_id), call_id)


class OpenAIChatTools(_Functions):
    """`schemas` go into a request as `tools=`, `instructions` into its system message; `run` answers one tool call.

    `chat_messages` makes the messages of all answers to one assistant message: every `tool` message first, then one
    user message with the media.
    """

    def __init__(self, calls: InProcess) -> None:
        super().__init__(calls)
        self.schemas: list[Any] = [{"type": "function", "function": each} for each in self._functions()]

    def run(self, name: str, arguments: str, *, tool_call_id: str, cancel: CancelToken | None = None) -> ChatAnswer:
        """Call a tool in this thread: `run(call.function.name, call.function.arguments, tool_call_id=call.id)`."""
        return _chat(self._run(name, arguments, call_id=tool_call_id, cancel=cancel), tool_call_id)

    async def run_async(self, name: str, arguments: str, *, tool_call_id: str) -> ChatAnswer:
        """The same in a worker thread; cancelling the waiting task cancels the call."""
        return _chat(await self._run_async(name, arguments, call_id=tool_call_id), tool_call_id)


def as_openai_tools(
    tools: ToolRunner | ToolRegistry, *, principal: str | None = None, answer: AnswerLimit | None = None
) -> OpenAITools:
    """The tools of a runner for OpenAI's Responses. `principal` stands in the audit log, `answer` bounds one output."""
    return OpenAITools(InProcess(tools, principal=principal, answer=answer))


def as_openai_chat_tools(
    tools: ToolRunner | ToolRegistry, *, principal: str | None = None, answer: AnswerLimit | None = None
) -> OpenAIChatTools:
    """The same for Chat Completions and the many servers that speak it."""
    return OpenAIChatTools(InProcess(tools, principal=principal, answer=answer))


def _strict_source(tool: ToolDefinition[Any, Any]) -> dict[str, Any] | None:
    """The inlined schema of a tool, if strict mode can say it."""
    flat = described(full, tool.describe()["input_schema"])
    return flat if strict(flat) is not None else None


def _output(answered: Answered, call_id: str) -> dict[str, Any]:
    if answered.error is not None:
        return function_call_failure(answered.told_error(), call_id=call_id)
    return function_call_output(answered.answer, call_id=call_id)


def _chat(answered: Answered, tool_call_id: str) -> ChatAnswer:
    if answered.error is not None:
        return chat_failure(answered.told_error(), tool_call_id=tool_call_id)
    return chat_answer(answered.answer, tool_call_id=tool_call_id)
