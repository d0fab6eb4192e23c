"""Agents of Pydantic AI look into a home; the framework is real, its model is scripted."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Generator
from typing import Any

import pytest
from docs_src import agents_pydantic_ai
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from tests.support.agents import PUMP, QUESTION, Sighted, cancelled_statuses, sighted
from tests.support.answers import SOUND, opened, picture, sound, text
from tests.support.tools import Remembering, counting_tool, runner_of, speaking_tool

from eyeline.errors import MissingDependency
from eyeline.integrations.descriptions import MAX_CHARS
from eyeline.integrations.pydantic_ai import as_pydantic_ai_tools
from eyeline.model.digest import Digest
from eyeline.presenters.framing import framed
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.building import build_tools, tool_runner


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sighted]:
    with sighted(tmp_path_factory.mktemp("pydantic")) as at_hand:
        yield at_hand


class Scripted:
    """A model that makes its calls in turn and then answers; it keeps what it was handed."""

    def __init__(self, *turns: list[ToolCallPart]) -> None:
        self.turns = list(turns)
        self.offered: list[AgentInfo] = []
        self.returned: list[ToolReturnPart] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.offered.append(info)
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        self.returned += [part for part in last.parts if isinstance(part, ToolReturnPart)]
        return ModelResponse(parts=self.turns.pop(0) if self.turns else [TextPart(f"It was {PUMP}.")])


def handed(part: ToolReturnPart) -> list[Any]:
    items: list[Any] = part.content_items(mode="raw")
    return items


@pytest.mark.requirement("VF-12", "XC-07")
def test_an_agent_finds_a_page_and_is_handed_its_picture_inside_the_result(home: Sighted) -> None:
    nowhere = home.page | {"locator": "page=9"}
    script = Scripted(
        [ToolCallPart("find", {"query": "pump serial"})],
        [ToolCallPart("source_open", home.page), ToolCallPart("source_open", json.dumps(nowhere))],
    )
    assert PUMP in asyncio.run(agents_pydantic_ai.ask(QUESTION, eye=home.eye, model=FunctionModel(script)))
    found, good, bad = script.returned
    assert home.version_id in handed(found)[0]
    header, label, page, _, words = handed(good)
    picture_part, text_part = home.eye.open(home.version_id, locator="page=2").parts
    assert isinstance(page, BinaryContent)
    assert (page.data, page.media_type) == (picture_part.bytes, "image/png")
    assert label.endswith(page.identifier)
    assert page.identifier == str(Digest.of(page.data)) == json.loads(header)["content_manifest"][0]["digest"]
    assert words == text_part.text
    assert (good.outcome, bad.outcome) == ("success", "failed")
    assert json.loads(str(bad.content))["code"] == "locator_out_of_range"


def test_the_tools_are_declared_with_their_whole_schemas(home: Sighted) -> None:
    tools = as_pydantic_ai_tools(build_tools(home.eye))
    assert [tool.name for tool in tools] == ["find", "read", "source_open"]
    schema = tools[2].tool_def.parameters_json_schema
    assert schema["required"] == ["version_id"]
    assert schema["properties"]["version_id"]["maxLength"] == 200
    short = as_pydantic_ai_tools(build_tools(home.eye), brief=True)
    assert max(len(tool.description or "") for tool in short) <= MAX_CHARS < len(tools[2].description or "")


def test_a_model_that_fills_in_anything_gets_errors_to_read_and_the_run_goes_on(home: Sighted) -> None:
    agent = Agent(TestModel(), tools=as_pydantic_ai_tools(build_tools(home.eye)))
    result = asyncio.run(agent.run(QUESTION))
    returned = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert sorted(part.tool_name for part in returned) == ["find", "read", "source_open"]


def test_a_conversation_can_be_kept_as_json_and_read_back_with_its_pictures(home: Sighted) -> None:
    script = Scripted([ToolCallPart("source_open", home.page)])
    result = asyncio.run(Agent(FunctionModel(script), tools=as_pydantic_ai_tools(build_tools(home.eye))).run(QUESTION))
    kept = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
    pictures = [
        item
        for message in kept
        for part in message.parts
        if isinstance(part, ToolReturnPart)
        for item in part.content_items(mode="raw")
        if isinstance(item, BinaryContent)
    ]
    assert [each.data for each in pictures] == [home.eye.open(home.version_id, locator="page=2").parts[0].bytes]


def test_pictures_texts_and_sounds_are_handed_over_in_order(home: Sighted) -> None:
    mixed = framed(opened(sound(), text("words"), picture(), text(" \n")))
    tool = speaking_tool(mixed)
    script = Scripted([ToolCallPart("count", {"text": "a"})])
    asyncio.run(Agent(FunctionModel(script), tools=as_pydantic_ai_tools(runner_of(tool))).run(QUESTION))
    heard, words, seen, blank = handed(script.returned[0])[2::2]
    assert (heard.data, heard.media_type) == (SOUND, "audio/mpeg")
    assert words == "words"
    assert seen.media_type == "image/png"
    assert blank.strip()
    assert script.returned[0].metadata == {"identity": "tests/count@1"}


def test_hooks_see_the_call_and_its_id(home: Sighted) -> None:
    heard = Remembering()
    script = Scripted([ToolCallPart("source_open", home.page, tool_call_id="call_of_theirs")])
    tools = as_pydantic_ai_tools(tool_runner(home.eye, hooks=[heard]), principal="bob")
    asyncio.run(Agent(FunctionModel(script), tools=tools).run(QUESTION))
    (event,) = heard.events
    assert event.call.context.call_id == "call_of_theirs"
    assert home.eye.audit(limit=1).entries[0].record.principal == "bob"


def test_cancelling_a_run_fires_the_token_of_its_call() -> None:
    async def running(runner: ToolRunner) -> object:
        script = Scripted([ToolCallPart("count", {"text": "a"})])
        return await Agent(FunctionModel(script), tools=as_pydantic_ai_tools(runner)).run(QUESTION)

    assert cancelled_statuses(running) == ["cancelled"]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(MissingDependency) as caught:
        as_pydantic_ai_tools(runner_of(counting_tool()))
    assert caught.value.detail["extra"] == "pydantic-ai"
    assert "eyeline[pydantic-ai]" in str(caught.value.hint)
