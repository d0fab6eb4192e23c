"""Ready-made tools for LangChain and LangGraph; the extra `eyeline[langchain]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.integrations import descriptions
from eyeline.integrations.calling import Answered, InProcess
from eyeline.integrations.extras import needs
from eyeline.integrations.schemas import described, full
from eyeline.model.manifest import ContentKind
from eyeline.presenters.framing import encoded, filled, is_text, left_out

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

    from eyeline.model.limits import AnswerLimit
    from eyeline.model.manifest import Part
    from eyeline.toolkit.definition import ToolDefinition
    from eyeline.toolkit.registry import ToolRegistry
    from eyeline.toolkit.runner import ToolRunner


def as_langchain_tools(
    tools: ToolRunner | ToolRegistry,
    *,
    principal: str | None = None,
    answer: AnswerLimit | None = None,
    brief: bool = False,
) -> list[StructuredTool]:
    """The tools of a runner for `model.bind_tools(…)` and agents. `principal` stands in the audit log.

    The content of a `ToolMessage` is a list of standard content blocks, its artifact the answer as a value. A tool
    message of LangChain holds texts and pictures; of a sound there is a line in it, and the bytes are in the artifact.
    A call that goes wrong is a message of status `error`. Cancelling the task of `ainvoke` cancels the call. `answer`
    bounds one answer. `brief` keeps each description inside the 1024 characters that OpenAI takes;
    `eyeline.integrations.descriptions.instructions` has the rest for your system message.

    Raises `MissingDependency` where the extra is not installed.
    """
    needs("langchain_core.tools", extra="langchain")
    from langchain_core.tools import StructuredTool

    calls = InProcess(tools, principal=principal, answer=answer)
    return [
        StructuredTool(
            name=tool.name,
            description=descriptions.brief(tool.description) if brief else tool.description,
            args_schema={"title": tool.name, **described(full, tool.describe()["input_schema"])},
            response_format="content_and_artifact",
            handle_tool_error=True,
            metadata={"identity": tool.identity},
            **_functions(calls, tool),
        )
        for tool in calls.offered
    ]


def _functions(calls: InProcess, tool: ToolDefinition[Any, Any]) -> dict[str, Any]:
    """What runs a tool, in either colour."""

    def call(**arguments: Any) -> tuple[list[dict[str, Any]], Any]:
        return _returned(calls.run(tool.name, arguments))

    async def call_async(**arguments: Any) -> tuple[list[dict[str, Any]], Any]:
        return _returned(await calls.run_async(tool.name, arguments))

    return {"func": call, "coroutine": call_async}


def _returned(answered: Answered) -> tuple[list[dict[str, Any]], Any]:
    from langchain_core.tools import ToolException

    if answered.error is not None:
        raise ToolException(answered.error_text())
    content = [_text(answered.answer.header)]
    for each in answered.answer.parts:
        content += [_text(each.label), _native(each.part)]
    return content, answered.value


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _native(part: Part) -> dict[str, Any]:
    if is_text(part):
        return _text(filled(part))
    if part.entry.content_kind is ContentKind.PICTURE:
        return {"type": "image", "base64": encoded(part), "mime_type": str(part.entry.media_type)}
    # one block of a type that is not taken, and all of them would be sent as one long text
    return _text(left_out(part, "a tool message here"))
