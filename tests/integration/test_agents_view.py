"""One mixed batch, viewed by agents of every provider and framework: the same records, the same bytes, no home."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import wave
from collections.abc import Callable, Generator
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.support.tools import Remembering, runner_of

from eyeline import Viewer
from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.integrations.gemini import as_gemini_tools
from eyeline.integrations.langchain import as_langchain_tools
from eyeline.integrations.openai import as_openai_chat_tools, as_openai_tools
from eyeline.integrations.pydantic_ai import as_pydantic_ai_tools
from eyeline.model.digest import Digest
from eyeline.model.limits import AnswerLimit
from eyeline.model.manifest import ContentKind
from eyeline.presenters.viewed import ViewedBatch
from eyeline.testing.media import make_pdf, make_picture
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.view_file import view_file
from eyeline.wire import to_plain

PATHS = ["plate.png", "gone.png", "notes.txt", "manual.pdf", "bell.wav", "strange.mp4", "plate.png"]
ARGUMENTS = {"paths": PATHS}
TIGHT = AnswerLimit(max_media_bytes=6_000, max_text_chars=20)
"""The page has to step down, and the texts to be cut."""


def _bell() -> bytes:
    stream = io.BytesIO()
    with wave.open(stream, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"\x00\x10\x00\xf0" * 400)
    return stream.getvalue()


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Generator[Viewer]:
    base = tmp_path_factory.mktemp("base")
    files = {
        "plate.png": make_picture(width=400, height=300),
        "notes.txt": b"Pump 88-1742 failed at noon.\n",
        "manual.pdf": make_pdf(["Working pressure 16 bar."]),
        "bell.wav": _bell(),
        "strange.mp4": b"nothing that anybody knows",
    }
    for name, data in files.items():
        (base / name).write_bytes(data)
    with Viewer(base) as at_hand:
        yield at_hand


@pytest.fixture(scope="module")
def batch(viewer: Viewer) -> ViewedBatch:
    return viewer.view(*PATHS)


Told = tuple[str, list[bytes]]
"""The header of an answer, and the media that travelled with it."""


def by_anthropic(runner: ToolRunner) -> Told:
    content = as_anthropic_tools(runner).run("view_file", ARGUMENTS, tool_use_id="toolu_1")["content"]
    return content[0]["text"], [_decoded(block["source"]["data"]) for block in content if block["type"] == "image"]


def by_responses(runner: ToolRunner) -> Told:
    output = as_openai_tools(runner).run("view_file", json.dumps(ARGUMENTS), call_id="call_1")["output"]
    urls = [item["image_url"] for item in output if item["type"] == "input_image"]
    return output[0]["text"], [_decoded(url.partition(",")[2]) for url in urls]


def by_chat(runner: ToolRunner) -> Told:
    answer = as_openai_chat_tools(runner).run("view_file", json.dumps(ARGUMENTS), tool_call_id="call_1")
    shown = [item["image_url"]["url"].partition(",")[2] for item in answer.user_content if "image_url" in item]
    heard = [item["input_audio"]["data"] for item in answer.user_content if "input_audio" in item]
    return answer.tool_message["content"][0]["text"], [_decoded(data) for data in [*shown, *heard]]


def by_gemini(runner: ToolRunner) -> Told:
    response, *after = as_gemini_tools(runner).run("view_file", ARGUMENTS, call_id="1")
    parts = [*response["functionResponse"]["parts"], *after]
    media = [_decoded(part["inlineData"]["data"]) for part in parts if "inlineData" in part]
    return response["functionResponse"]["response"]["output"][0], media


def by_pydantic_ai(runner: ToolRunner) -> Told:
    returned: list[ToolReturnPart] = []

    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        returned.extend(part for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        return ModelResponse(parts=[TextPart("done") if returned else ToolCallPart("view_file", ARGUMENTS)])

    asyncio.run(Agent(FunctionModel(model), tools=as_pydantic_ai_tools(runner)).run("look"))
    items: list[Any] = returned[0].content_items(mode="raw")
    return items[0], [item.data for item in items if isinstance(item, BinaryContent)]


def by_langchain(runner: ToolRunner) -> Told:
    (tool,) = as_langchain_tools(runner)
    message = tool.invoke({"name": "view_file", "args": ARGUMENTS, "id": "call_1", "type": "tool_call"})
    assert isinstance(message, ToolMessage)
    blocks: list[Any] = list(message.content)
    return blocks[0]["text"], [_decoded(block["base64"]) for block in blocks if block["type"] == "image"]


def _decoded(data: str) -> bytes:
    return base64.b64decode(data, validate=True)


PICTURES, SOUNDS = {ContentKind.PICTURE}, {ContentKind.PICTURE, ContentKind.AUDIO}
AGENTS: dict[str, tuple[Callable[[ToolRunner], Told], set[ContentKind]]] = {
    "anthropic": (by_anthropic, PICTURES),
    "openai responses": (by_responses, PICTURES),
    "openai chat": (by_chat, SOUNDS),
    "gemini": (by_gemini, SOUNDS),
    "pydantic ai": (by_pydantic_ai, SOUNDS),
    "langchain": (by_langchain, PICTURES),
}
"""Each with the media that its tool results hold."""


@pytest.mark.requirement("VF-01", "VF-10", "VF-12")
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_gets_the_records_and_the_bytes_that_python_gets(
    name: str, viewer: Viewer, batch: ViewedBatch
) -> None:
    told, holds = AGENTS[name]
    heard = Remembering()
    header, media = told(runner_of(view_file(viewer), hooks=(heard,)))
    assert json.loads(header) == to_plain(batch.report)
    digests = [str(part.entry.digest) for part in batch.parts if part.entry.content_kind in holds]
    assert sorted(str(Digest.of(each)) for each in media) == sorted(digests)
    (event,) = heard.events
    assert (event.value.report, event.value.parts) == (batch.report, batch.parts)


def test_the_batch_of_these_tests_holds_good_and_bad_of_every_sort(batch: ViewedBatch) -> None:
    kinds = {part.entry.content_kind for part in batch.parts}
    assert kinds == {ContentKind.PICTURE, ContentKind.TEXT, ContentKind.AUDIO}
    assert {item.status.value for item in batch.report.items} >= {"inlined", "failed"}
    assert batch.report.items[6].same_as == 1


@pytest.mark.requirement("VF-01")
def test_the_tool_says_all_of_itself_and_each_of_its_presenters_can_be_replaced(viewer: Viewer) -> None:
    tool = view_file(viewer)
    said = tool.describe()
    assert (said["name"], said["identity"]) == ("view_file", "eyeline/view_file@1")
    assert list(said["input_schema"]["properties"]) == ["paths"]
    assert {"report", "parts"} <= set(said["output_schema"]["properties"])
    assert said["annotations"]["read_only"] is True
    assert set(tool.presenters) == {"agents", "mcp"} <= set(said["surfaces"])
    mine = tool.with_presenter("agents", lambda viewed: f"{len(viewed.parts)} parts")
    result = as_anthropic_tools(runner_of(mine)).run("view_file", {"paths": "notes.txt"}, tool_use_id="toolu_1")
    assert result["content"] == [{"type": "text", "text": "1 parts"}]
    assert mine.presenters["mcp"] is tool.presenters["mcp"]
    assert tool.with_presenter("mcp", lambda viewed: [viewed]).presenters["agents"] is tool.presenters["agents"]


@pytest.mark.requirement("VF-01")
def test_a_tight_answer_limit_is_that_of_the_caller(viewer: Viewer, batch: ViewedBatch) -> None:
    tools = as_anthropic_tools(runner_of(view_file(viewer)), answer=TIGHT)
    content = tools.run("view_file", ARGUMENTS, tool_use_id="toolu_1")["content"]
    report = json.loads(content[0]["text"])
    assert report == to_plain(viewer.view(*PATHS, answer=TIGHT).report)
    roomy = to_plain(batch.report)
    (page, roomy_page), (notes, roomy_notes) = ((report["items"][at], roomy["items"][at]) for at in (3, 2))
    assert page["edge_px"] < roomy_page["edge_px"]
    assert notes["inlined_bytes"] < roomy_notes["inlined_bytes"]


def test_a_batch_in_which_everything_failed_is_an_error_that_still_has_its_records(viewer: Viewer) -> None:
    result = as_anthropic_tools(runner_of(view_file(viewer))).run("view_file", {"paths": "gone.png"}, tool_use_id="t")
    assert result["is_error"] is True
    (item,) = json.loads(result["content"][0]["text"])["items"]
    assert item["status"] == "failed"


def test_a_list_that_came_as_text_is_refused_with_the_name_of_the_field(viewer: Viewer) -> None:
    tools = as_openai_tools(runner_of(view_file(viewer)))
    output = tools.run("view_file", json.dumps({"paths": json.dumps(PATHS)}), call_id="call_1")["output"]
    error = json.loads(output[0]["text"])["error"]
    assert (error["code"], error["detail"]["field"]) == ("invalid_request", "paths")
