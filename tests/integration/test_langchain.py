"""Agents built of LangChain's parts look into a home; the framework is real, its model is scripted."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from docs_src import agents_langchain
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field
from tests.support.agents import PUMP, QUESTION, Sighted, cancelled_statuses, sighted
from tests.support.answers import SOUND, opened, picture, sound, text
from tests.support.tools import Remembering, counting_tool, runner_of, speaking_tool

from eyeline.errors import MissingDependency
from eyeline.integrations.descriptions import MAX_CHARS
from eyeline.integrations.langchain import as_langchain_tools
from eyeline.model.envelope import Opened
from eyeline.presenters.framing import framed
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.building import build_tools, tool_runner


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sighted]:
    with sighted(tmp_path_factory.mktemp("langchain")) as at_hand:
        yield at_hand


def calling(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """A turn in which the model calls tools."""
    numbered = enumerate(calls, 1)
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": args, "id": f"call_{n}", "type": "tool_call"} for n, (name, args) in numbered
        ],
    )


class Scripted(BaseChatModel):
    """A chat model that says its turns one after the other; it keeps what it was handed."""

    turns: list[AIMessage]
    handed: list[list[BaseMessage]] = Field(default_factory=list[list[BaseMessage]])
    declared: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> Any:
        self.declared.extend(convert_to_openai_tool(tool) for tool in tools)
        return self

    def _generate(self, messages: list[BaseMessage], *_rest: Any, **_options: Any) -> ChatResult:
        self.handed.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self.turns[len(self.handed) - 1])])


def invoked(tool: BaseTool, arguments: dict[str, Any]) -> ToolMessage:
    message = tool.invoke({"name": tool.name, "args": arguments, "id": "call_1", "type": "tool_call"})
    assert isinstance(message, ToolMessage)
    return message


def only(*tools: StructuredTool) -> StructuredTool:
    (tool,) = tools
    return tool


@pytest.mark.requirement("VF-12", "XC-07")
def test_an_agent_finds_a_page_and_is_handed_its_picture_inside_the_message(home: Sighted) -> None:
    nowhere = home.page | {"locator": "page=9"}
    first, second = (
        calling(("find", {"query": "pump serial"})),
        calling(("source_open", home.page), ("source_open", nowhere)),
    )
    model = Scripted(turns=[first, second, AIMessage(f"It was {PUMP}.")])
    assert PUMP in agents_langchain.ask(QUESTION, eye=home.eye, model=model)
    good, bad = (message for message in model.handed[-1][-2:] if isinstance(message, ToolMessage))
    page, words = home.eye.open(home.version_id, locator="page=2").parts
    assert [block["type"] for block in good.content_blocks] == ["text", "text", "image", "text", "text"]
    blocks: list[Any] = list(good.content)
    encoded = base64.b64encode(page.bytes).decode()
    assert blocks[2] == {"type": "image", "base64": encoded, "mime_type": "image/png"}
    assert blocks[4]["text"] == words.text
    assert isinstance(good.artifact, Opened)
    assert good.artifact.parts[0].bytes == page.bytes
    assert (good.status, bad.status) == ("success", "error")
    assert json.loads(str(bad.content))["code"] == "locator_out_of_range"


def test_the_tools_are_declared_with_their_whole_schemas(home: Sighted) -> None:
    model = Scripted(turns=[])
    model.bind_tools(as_langchain_tools(build_tools(home.eye)))
    functions = {each["function"]["name"]: each["function"] for each in model.declared}
    assert sorted(functions) == ["find", "read", "source_open"]
    assert functions["source_open"]["parameters"]["required"] == ["version_id"]
    assert functions["find"]["parameters"]["properties"]["limit"]["maximum"] == 100
    short = as_langchain_tools(build_tools(home.eye), brief=True)
    assert max(len(tool.description) for tool in short) <= MAX_CHARS < len(functions["source_open"]["description"])


def test_a_sound_is_a_line_in_the_message_and_never_a_text_of_base64() -> None:
    mixed = opened(sound(), text(" \n"), picture())
    tools = as_langchain_tools(runner_of(speaking_tool(framed(mixed))))
    message = invoked(only(*tools), {"text": "a"})
    blocks: list[Any] = list(message.content)
    heard, blank, seen = blocks[2::2]
    assert heard["text"].endswith(f"cannot hold audio/mpeg ({len(SOUND)} bytes)")
    assert blank["text"].strip()
    assert seen["type"] == "image"
    assert base64.b64encode(SOUND).decode() not in json.dumps(message.content)


def test_what_a_tool_does_not_take_is_an_error_message_in_either_colour(home: Sighted) -> None:
    opener = next(tool for tool in as_langchain_tools(build_tools(home.eye)) if tool.name == "source_open")
    wrong = home.page | {"zoom": 3}
    call = {"name": "source_open", "args": wrong, "id": "call_1", "type": "tool_call"}
    for message in (invoked(opener, wrong), asyncio.run(opener.ainvoke(call))):
        assert message.status == "error"
        assert json.loads(str(message.content))["code"] == "unknown_input"


def test_hooks_see_the_call(home: Sighted) -> None:
    heard = Remembering()
    tools = as_langchain_tools(tool_runner(home.eye, hooks=[heard]), principal="bob")
    invoked(next(tool for tool in tools if tool.name == "source_open"), home.page)
    assert [event.call.name for event in heard.events] == ["source_open"]
    assert home.eye.audit(limit=1).entries[0].record.principal == "bob"


def test_cancelling_the_task_fires_the_token_of_its_call() -> None:
    async def invoking(runner: ToolRunner) -> object:
        return await only(*as_langchain_tools(runner)).ainvoke({"text": "a"})

    assert cancelled_statuses(invoking) == ["cancelled"]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core.tools", None)
    with pytest.raises(MissingDependency) as caught:
        as_langchain_tools(runner_of(counting_tool()))
    assert caught.value.detail["extra"] == "langchain"
    assert "eyeline[langchain]" in str(caught.value.hint)
