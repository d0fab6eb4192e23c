"""Agents on the clients of four providers look into a home; the clients are real, the model is scripted."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import anthropic
import anyio
import openai
import pytest
from docs_src import agents_anthropic, agents_gemini, agents_openai, agents_openai_chat
from google import genai
from tests.support.agents import PUMP, QUESTION, Sighted, sighted
from tests.support.answers import SOUND, opened, sound
from tests.support.tools import Remembering, counting_tool, runner_of, speaking_tool

from eyeline.errors import ConfigError
from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.integrations.gemini import as_gemini_tools
from eyeline.integrations.openai import as_openai_chat_tools, as_openai_tools
from eyeline.model.digest import Digest
from eyeline.model.limits import AnswerLimit
from eyeline.presenters.framing import Framed, framed
from eyeline.testing.scripted_model import Prompted, ScriptedModel
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.context import ToolContext
from eyeline.tools.building import build_tools, tool_runner

WAIT_S = 60


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sighted]:
    with sighted(tmp_path_factory.mktemp("agents")) as at_hand:
        yield at_hand


def on_anthropic(home: Sighted, address: str) -> str:
    with anthropic.Anthropic(base_url=address, api_key="none", max_retries=0) as client:
        return agents_anthropic.ask(QUESTION, eye=home.eye, client=client)


def on_responses(home: Sighted, address: str) -> str:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        return agents_openai.ask(QUESTION, eye=home.eye, client=client)


def on_chat(home: Sighted, address: str) -> str:
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        return agents_openai_chat.ask(QUESTION, eye=home.eye, client=client)


def on_gemini(home: Sighted, address: str) -> str:
    with closing(genai.Client(api_key="none", http_options={"base_url": address})) as client:
        return agents_gemini.ask(QUESTION, eye=home.eye, client=client)


Agent = Callable[[Sighted, str], str]
AGENTS: dict[str, Agent] = {
    "anthropic": on_anthropic,
    "openai responses": on_responses,
    "openai chat": on_chat,
    "gemini": on_gemini,
}


def last_prompt(agent: Agent, home: Sighted) -> tuple[str, Prompted]:
    """What the agent said in the end, and its last request."""
    with ScriptedModel(home.script) as model:
        said = agent(home, model.base_url)
    assert len(model.prompted) == 3
    return said, model.prompted[-1]


@pytest.mark.requirement("VF-12", "SA-23", "XC-07")
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_handed_the_page_that_python_is_handed_and_each_payload_once(name: str, home: Sighted) -> None:
    said, prompt = last_prompt(AGENTS[name], home)
    assert PUMP in said
    page, text = home.eye.open(home.version_id, locator="page=2").parts
    sent = json.dumps(prompt.body)
    # Google's client writes base64 in its other alphabet
    encode = base64.urlsafe_b64encode if name == "gemini" else base64.b64encode
    assert sent.count(encode(page.bytes).decode()) == 1
    assert sent.count(f"page, page=2, image/png, {Digest.of(page.bytes)}") in (1, 3)
    assert json.dumps(text.text)[1:-1] in sent
    assert "locator_out_of_range" in sent


@pytest.mark.requirement("XC-07")
def test_anthropic_hears_which_result_is_an_error(home: Sighted) -> None:
    _, prompt = last_prompt(on_anthropic, home)
    good, bad = prompt.body["messages"][-1]["content"]
    assert [block["type"] for block in good["content"]] == ["text", "text", "image", "text", "text"]
    assert (good["is_error"], bad["is_error"]) == (False, True)
    error = json.loads(bad["content"][0]["text"])
    assert (error["code"], error["detail"]["extent"]) == ("locator_out_of_range", 2)


@pytest.mark.requirement("XC-07")
def test_responses_gets_the_picture_inside_the_output(home: Sighted) -> None:
    _, prompt = last_prompt(on_responses, home)
    good, bad = prompt.body["input"][-2:]
    assert [item["type"] for item in good["output"]] == ["input_text", "input_text", "input_image"] + ["input_text"] * 2
    assert json.loads(bad["output"][0]["text"])["error"]["code"] == "locator_out_of_range"
    assert all(tool["strict"] for tool in prompt.body["tools"])
    assert "xywh=percent" in prompt.body["instructions"]


@pytest.mark.requirement("XC-07")
def test_chat_gets_both_tool_messages_first_and_then_the_picture_under_the_name_of_its_call(home: Sighted) -> None:
    _, prompt = last_prompt(on_chat, home)
    roles = [message["role"] for message in prompt.body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "tool", "user"]
    called, shown = prompt.body["messages"][-3], prompt.body["messages"][-1]["content"]
    assert shown[0]["text"].startswith(f"{called['tool_call_id']}: part 1 of 2: page, page=2")
    assert called["content"][1]["text"].endswith(shown[0]["text"])
    assert shown[1]["type"] == "image_url"


@pytest.mark.requirement("XC-07")
def test_gemini_gets_the_picture_inside_the_response_and_the_id_of_the_call(home: Sighted) -> None:
    _, prompt = last_prompt(on_gemini, home)
    good, bad = (part["functionResponse"] for part in prompt.body["contents"][-1]["parts"])
    (blob,) = good["parts"]
    assert blob["inline_data"]["display_name"] == "part-1.png"
    assert (good["id"], bad["id"]) == ("fc_2_1", "fc_2_2")
    assert bad["response"]["error"]["code"] == "locator_out_of_range"


@pytest.mark.requirement("VF-10")
def test_hooks_see_the_call_by_the_id_of_the_provider_and_the_same_neutral_answer(home: Sighted) -> None:
    heard = Remembering()
    runner = tool_runner(home.eye, hooks=[heard])
    values: list[Any] = []
    as_anthropic_tools(runner, principal="bob").run("source_open", home.page, tool_use_id="toolu_7")
    as_openai_tools(runner).run("source_open", json.dumps(home.page), call_id="strange id\n")
    as_openai_chat_tools(runner).run("source_open", json.dumps(home.page), tool_call_id="call_7")
    as_gemini_tools(runner).run("source_open", home.page, call_id="7")
    for event in heard.events:
        values.append([part.entry for part in event.value.parts])
        assert event.call.context.surface == "agents"
    assert len(values) == 4
    assert all(value == values[0] for value in values)
    assert heard.events[0].call.context.call_id == "toolu_7"
    assert heard.events[0].call.context.principal == "bob"
    assert heard.events[1].call.context.call_id.startswith("call_")
    last = home.eye.audit(limit=4).entries[-1].record
    assert (last.principal, last.surface) == ("bob", "agents")


def test_what_strict_mode_adds_to_say_that_an_input_is_left_out_is_taken_back(home: Sighted) -> None:
    arguments = json.dumps({"version_id": home.version_id, "representation_id": None, "start": None, "end": 40})
    output = as_openai_tools(build_tools(home.eye)).run("read", arguments, call_id="call_1")["output"]
    assert output[2]["text"] == home.eye.read(home.version_id, end=40).parts[0].text


def test_the_limit_of_an_answer_is_the_callers(home: Sighted) -> None:
    tools = as_anthropic_tools(build_tools(home.eye), answer=AnswerLimit(max_text_chars=12))
    result = tools.run("source_open", home.page, tool_use_id="toolu_1")
    assert result["content"][-1]["text"] == "Pump serial "
    assert json.loads(result["content"][0]["text"])["truncation"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("{", "invalid_request"),
        ("[1]", "invalid_request"),
        ('{"version_id": 5}', "invalid_request"),
        ('{"version_id": "x", "zoom": 3}', "unknown_input"),
        ('{"version_id": "x", "accept": "[\\"image/png\\"]"}', "invalid_request"),
        ('{"version_id": null}', "invalid_request"),
    ],
)
def test_bad_arguments_are_an_error_that_the_model_reads(arguments: str, code: str, home: Sighted) -> None:
    tools = build_tools(home.eye)
    output = as_openai_tools(tools).run("source_open", arguments, call_id="call_1")
    assert json.loads(output["output"][0]["text"])["error"]["code"] == code
    answer = as_openai_chat_tools(tools).run("source_open", arguments, tool_call_id="call_1")
    assert json.loads(answer.tool_message["content"][0]["text"])["error"]["code"] == code
    assert answer.user_content == ()


def test_a_tool_that_is_not_offered_is_an_error_and_not_declared() -> None:
    hidden = counting_tool()
    tools = as_anthropic_tools(runner_of(hidden))
    assert tools.schemas == []
    result = tools.run("count", {"text": "abc"}, tool_use_id="toolu_1")
    assert json.loads(result["content"][0]["text"])["code"] == "tool_not_found"


@pytest.mark.requirement("VF-01")
def test_a_presenter_is_replaced_for_one_tool_and_for_every_provider_at_once(home: Sighted) -> None:
    (find, read, source_open) = build_tools(home.eye)
    spoken = source_open.with_presenter("agents", lambda answer: f"{len(answer.parts)} parts")
    runner = runner_of(find, read, spoken)
    result = as_anthropic_tools(runner).run("source_open", home.page, tool_use_id="toolu_1")
    assert result["content"] == [{"type": "text", "text": "2 parts"}]
    (part,) = as_gemini_tools(runner).run("source_open", home.page)
    assert part["functionResponse"]["response"] == {"output": ["2 parts"]}
    framing = source_open.with_presenter("agents", lambda answer: Framed("mine", went_wrong=True))
    assert as_anthropic_tools(runner_of(framing)).run("source_open", home.page, tool_use_id="t")["is_error"] is True
    wrong = source_open.with_presenter("agents", lambda answer: [answer])
    with pytest.raises(ConfigError):
        as_anthropic_tools(runner_of(wrong)).run("source_open", home.page, tool_use_id="toolu_1")


def test_a_tool_without_a_presenter_tells_its_answer_as_json() -> None:
    plain = counting_tool(surfaces=frozenset({"agents"}), presenters={})
    result = as_anthropic_tools(runner_of(plain)).run("count", {"text": "abc"}, tool_use_id="toolu_1")
    assert json.loads(result["content"][0]["text"]) == {"letters": 3, "note": "agents"}


def test_cancelling_the_waiting_task_fires_the_token_of_the_call() -> None:
    entered, ended = threading.Event(), threading.Event()

    def wait(_request: Any, context: ToolContext) -> Any:
        entered.set()
        context.cancel.wait(WAIT_S)
        ended.set()
        context.cancel.raise_if_cancelled()

    heard = Remembering()
    slow = counting_tool(wait, surfaces=frozenset({"agents"}), presenters={})
    tools = as_openai_tools(runner_of(slow, hooks=(heard,)))

    async def turn_away() -> None:
        async with anyio.create_task_group() as group:

            async def call() -> None:
                await tools.run_async("count", '{"text": "a"}', call_id="call_1")

            group.start_soon(call)
            await anyio.to_thread.run_sync(entered.wait, WAIT_S)
            group.cancel_scope.cancel()

    anyio.run(turn_away)
    assert ended.is_set()
    assert [event.status.value for event in heard.events] == ["cancelled"]
    token = CancelToken()
    token.cancel("no longer wanted")
    told = tools.run("count", '{"text": "a"}', call_id="call_1", cancel=token)["output"][0]["text"]
    assert json.loads(told)["error"] == {"code": "cancelled", "message": "no longer wanted", "retryable": False}


def test_an_answer_that_nobody_waits_for_any_more_is_completed_in_the_audit_log(home: Sighted) -> None:
    released, go_on = threading.Event(), threading.Event()

    class Holding(Remembering):
        def after_handle(self, call: Any, value: Any) -> None:
            released.set()
            go_on.wait(WAIT_S)

    tools = as_anthropic_tools(tool_runner(home.eye, hooks=[Holding()]))

    async def turn_away() -> None:
        async with anyio.create_task_group() as group:

            async def call() -> None:
                await tools.run_async("source_open", home.page, tool_use_id="toolu_1")

            group.start_soon(call)
            await anyio.to_thread.run_sync(released.wait, WAIT_S)
            group.cancel_scope.cancel()
            go_on.set()

    anyio.run(turn_away)
    last = home.eye.audit(limit=1).entries[0].record
    assert (last.outcome.value, last.code) == ("failed", "cancelled")


def test_sound_goes_where_a_provider_holds_it_and_a_line_where_not() -> None:
    runner, encoded = runner_of(speaking_tool(framed(opened(sound())))), base64.b64encode(SOUND).decode()
    arguments = json.dumps({"text": "a"})
    chat = as_openai_chat_tools(runner).run("count", arguments, tool_call_id="call_1")
    assert chat.user_content[1]["input_audio"] == {"data": encoded, "format": "mp3"}
    assert encoded in json.dumps(as_gemini_tools(runner).run("count", {"text": "a"}))
    for told in (
        as_anthropic_tools(runner).run("count", {"text": "a"}, tool_use_id="toolu_1"),
        as_openai_tools(runner).run("count", arguments, call_id="call_1"),
    ):
        assert encoded not in json.dumps(told)
        assert f"cannot hold audio/mpeg ({len(SOUND)} bytes)" in json.dumps(told)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
EXAMPLES = ("anthropic", "openai", "openai_chat", "gemini", "pydantic_ai", "langchain")


@pytest.mark.requirement("XC-07")
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_shows_the_file_that_is_run(name: str) -> None:
    source = (PAGE.parents[1] / "docs_src" / f"agents_{name}.py").read_text(encoding="utf-8")
    shown = source.replace("from __future__ import annotations\n\n", "").strip()
    assert f"```python\n{shown}\n```" in PAGE.read_text(encoding="utf-8")
