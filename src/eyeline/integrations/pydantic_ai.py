"""Ready-made tools for Pydantic AI; the extra `eyeline[pydantic-ai]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.integrations import descriptions
from eyeline.integrations.calling import Answered, InProcess
from eyeline.integrations.extras import needs
from eyeline.integrations.schemas import described, full
from eyeline.presenters.framing import filled, is_text

if TYPE_CHECKING:
    from pydantic_ai import BinaryContent, RunContext, Tool, ToolReturn

    from eyeline.model.limits import AnswerLimit
    from eyeline.model.manifest import Part
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry
    from eyeline.toolkit.runner import ToolRunner


def as_pydantic_ai_tools(
    tools: ToolRunner | ToolRegistry,
    *,
    principal: str | None = None,
    answer: AnswerLimit | None = None,
    brief: bool = False,
) -> list[Tool[Any]]:
    """The tools of a runner for `Agent(tools=…)`. `principal` stands in the audit log, `answer` bounds one result.

    A result is a `ToolReturn` of texts and `BinaryContent`, which the framework puts into the tool result where the
    model takes that and behind it where not; media that the model does not take become a note there. A call that goes
    wrong raises the framework's `ToolFailed`, which the model reads. Cancelling the run cancels the call. `brief` keeps
    descriptions inside the 1024 characters that OpenAI takes; `eyeline.integrations.descriptions.instructions` has the
    rest for the agent's instructions.

    Raises `MissingDependency` where the extra is not installed.
    """
    needs("pydantic_ai", extra="pydantic-ai")
    from pydantic_ai import Tool

    calls = InProcess(tools, principal=principal, answer=answer)
    return [
        Tool[Any].from_schema(
            _function(calls, tool),
            name=tool.name,
            description=descriptions.brief(tool.description) if brief else tool.description,
            json_schema=described(full, tool.describe()["input_schema"]),
            takes_ctx=True,
        )
        for tool in calls.offered
    ]


def _function(calls: InProcess, tool: ToolDefinition[Any, Any]) -> Any:
    async def call(context: RunContext[Any], /, **arguments: Any) -> ToolReturn[Any]:
        return _returned(await calls.run_async(tool.name, arguments, call_id=context.tool_call_id), tool)

    return call


def _returned(answered: Answered, tool: ToolDefinition[Any, Any]) -> ToolReturn[Any]:
    from pydantic_ai import ToolReturn
    from pydantic_ai.exceptions import ToolFailed

    if answered.error is not None:
        raise ToolFailed(answered.error_text())
    content: list[str | BinaryContent] = [answered.answer.header]
    for each in answered.answer.parts:
        content += [each.label, _native(each.part)]
    return ToolReturn(content, metadata={"identity": tool.identity})


def _native(part: Part) -> str | BinaryContent:
    from pydantic_ai import BinaryContent

    if is_text(part):
        return filled(part)
    # where the framework has to part a file from its label it names it by this, and the label ends with it
    return BinaryContent(part.bytes, media_type=str(part.entry.media_type), identifier=str(part.entry.digest))
