"""Conversations with attachments in the messages of agent frameworks: out as a prepared request, back as references."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
from langchain_core.messages import HumanMessage, ToolMessage, convert_to_openai_messages
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart, VideoUrl
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from tests.support.asking import KEY, post_to
from tests.support.conversations import looked_at, pictures_of, talk

from eyeline import Eyeline
from eyeline.errors import AttachmentRefused, InvalidRequest, MissingDependency
from eyeline.integrations.langchain_messages import from_langchain_messages, to_langchain_messages
from eyeline.integrations.litellm import from_litellm_messages, to_litellm_messages
from eyeline.integrations.pydantic_ai_messages import from_pydantic_ai_history, to_pydantic_ai_history
from eyeline.media.sample_pictures import make_picture
from eyeline.model.digest import Digest
from eyeline.model.message import ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.request.assembling import Assembled
from eyeline.request.worlds import HostWorld
from eyeline.testing.provider_double import ProviderDouble


@pytest.fixture(name="eye", scope="module")
def a_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    with Eyeline(tmp_path_factory.mktemp("home") / "home") as eye:
        yield eye


@pytest.fixture(name="double")
def a_double() -> Iterator[ProviderDouble]:
    with ProviderDouble() as double:
        yield double


def conversation(eye: Eyeline) -> list[Message]:
    """A picture of the user, and one that a tool found."""
    shown, found = (
        eye.attachments.save_image(make_picture(width=width, height=90), name=f"{width}.png") for width in (120, 140)
    )
    system = Message("system", (TextBlock("Answer briefly."),))
    return [system, *talk([[shown]]), *looked_at(found), Message("assistant", (TextBlock("A pump."),))]


def prepared(eye: Eyeline, route: str) -> Assembled:
    return eye.prepare(conversation(eye), route=route, world=HostWorld())


def digests(assembled: Assembled) -> list[Digest]:
    return [Digest.of(each.image.bytes) for each in pictures_of(assembled)]


def asked(double: ProviderDouble, kind: str, history: list[ModelMessage]) -> str:
    """What a run of Pydantic AI over the double answers; its client is closed with its loop."""
    claude = anthropic.AsyncAnthropic(base_url=double.base_url("anthropic"), api_key=KEY, max_retries=0)
    gpt = openai.AsyncOpenAI(base_url=double.base_url("openai") + "/v1", api_key=KEY, max_retries=0)
    models: dict[str, Model] = {
        "anthropic": AnthropicModel("claude-sonnet-4-6", provider=AnthropicProvider(anthropic_client=claude)),
        "responses": OpenAIResponsesModel("gpt-5.5", provider=OpenAIProvider(openai_client=gpt)),
        "chat": OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=gpt)),
    }

    async def run() -> str:
        async with claude, gpt:
            # with the largest number of tokens the client would stream the answer
            agent = Agent(models[kind], model_settings={"max_tokens": 64})
            return (await agent.run("And now?", message_history=history)).output

    return asyncio.run(run())


ROUTES = {"anthropic": "claude-sonnet-4-6", "responses": "gpt-5.5", "chat": "gpt-4o"}


@pytest.mark.parametrize("kind", ["anthropic", "responses", "chat"])
def test_a_prepared_request_is_the_history_of_a_pydantic_ai_run(
    eye: Eyeline, double: ProviderDouble, kind: str
) -> None:
    assembled = prepared(eye, ROUTES[kind])
    assert asked(double, kind, to_pydantic_ai_history(assembled.prepared)) == "Noted."
    call = double.calls[-1]
    assert [Digest.of(each.bytes) for each in call.pictures] == digests(assembled)
    for part in pictures_of(assembled):
        assert f"`{eye.attachments.image_host_path(part.ref)}`" in call.said
    assert "And now?" in call.said
    assert double.refused == []


@pytest.mark.parametrize("route", ["gpt-4o", "grok-5"])
def test_a_prepared_request_goes_through_the_messages_of_langchain(
    eye: Eyeline, double: ProviderDouble, route: str
) -> None:
    assembled = prepared(eye, route)
    messages = to_langchain_messages(assembled.prepared)
    plain: Any = convert_to_openai_messages([*messages, HumanMessage("And now?")])
    status, said = post_to(double, "openai", {"messages": plain}, model="gpt-4o")
    assert status == 200, said
    assert [Digest.of(each.bytes) for each in double.calls[-1].pictures] == digests(assembled)


def test_a_prepared_request_is_plain_chat_messages_for_litellm(eye: Eyeline, double: ProviderDouble) -> None:
    assembled = prepared(eye, "gpt-4o")
    messages = to_litellm_messages(assembled.prepared)
    status, said = post_to(double, "openai", {"messages": messages}, model="gpt-4o")
    assert status == 200, said
    assert [Digest.of(each.bytes) for each in double.calls[-1].pictures] == digests(assembled)
    nested = to_litellm_messages(prepared(eye, "claude-opus-5").prepared)
    (tool,) = (message for message in nested if message["role"] == "tool")
    assert [part["type"] for part in tool["content"]] == ["text", "text", "image_url"]


def shape(messages: list[Message]) -> list[tuple[str, list[str]]]:
    """Roles and kinds of blocks, tool results opened up."""
    return [
        (
            message.role,
            [
                f"result of {block.call_id}: {[each.type for each in block.blocks]}"
                if isinstance(block, ToolResultBlock)
                else block.type
                for block in message.blocks
            ],
        )
        for message in messages
    ]


def refs(messages: list[Message]) -> list[Digest]:
    blocks = [block for message in messages for block in message.blocks]
    inner = [each for block in blocks for each in (block.blocks if isinstance(block, ToolResultBlock) else (block,))]
    return [each.ref.attachment_id for each in inner if isinstance(each, ImageBlock)]


EXPECTED = [
    ("system", ["text"]),
    ("user", ["text", "text", "image"]),
    ("assistant", ["tool_call"]),
    ("user", ["result of call_1: ['text', 'text', 'image']"]),
    ("assistant", ["text"]),
]


def test_what_the_frameworks_hold_inline_becomes_references_again(eye: Eyeline) -> None:
    assembled = prepared(eye, "claude-opus-5")
    back = {
        "litellm": from_litellm_messages(to_litellm_messages(assembled.prepared), store=eye.attachments),
        "langchain": from_langchain_messages(to_langchain_messages(assembled.prepared), store=eye.attachments),
        "pydantic-ai": from_pydantic_ai_history(to_pydantic_ai_history(assembled.prepared), store=eye.attachments),
    }
    wanted = [each.ref.attachment_id for each in pictures_of(assembled)]
    for name, messages in back.items():
        assert shape(messages) == EXPECTED, name
        assert refs(messages) == wanted, name
        (call,) = (block for message in messages for block in message.blocks if isinstance(block, ToolCallBlock))
        assert (call.call_id, call.name, call.arguments) == ("call_1", "look", '{"at": "pump"}'), name
        again = eye.prepare(messages, route="gemini-3")
        assert digests(again) == digests(assembled), name


def test_an_error_of_a_tool_stays_one(eye: Eyeline) -> None:
    call = Message("assistant", (ToolCallBlock("call_1", "look", "{}"),))
    failed = Message("user", (ToolResultBlock("call_1", "look", (TextBlock("no such page"),), is_error=True),))
    request = eye.prepare([call, failed], route="claude-opus-5").prepared
    for messages in (
        from_langchain_messages(to_langchain_messages(request), store=eye.attachments),
        from_pydantic_ai_history(to_pydantic_ai_history(request), store=eye.attachments),
    ):
        (result,) = messages[1].blocks
        assert isinstance(result, ToolResultBlock)
        assert result.is_error


DATA = "data:image/png;base64,"


def test_a_picture_by_address_is_not_fetched_and_said(eye: Eyeline) -> None:
    address = {"type": "image_url", "image_url": {"url": "https://pictures.example/a.png"}}
    with pytest.raises(InvalidRequest):
        from_litellm_messages([{"role": "user", "content": [address]}], store=eye.attachments)
    with pytest.raises(InvalidRequest):
        from_langchain_messages([HumanMessage([address])], store=eye.attachments)


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image_url", "image_url": {"url": DATA + "%%%"}}],
        [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}],
        [{"no": "type"}],
        ["bare"],
    ],
)
def test_what_has_no_place_in_a_portable_message_is_refused(eye: Eyeline, content: list[Any]) -> None:
    with pytest.raises(InvalidRequest):
        from_litellm_messages([{"role": "user", "content": content}], store=eye.attachments)


def test_roles_and_parts_that_nobody_knows_are_refused(eye: Eyeline) -> None:
    with pytest.raises(InvalidRequest):
        from_litellm_messages([{"role": "nobody", "content": "hello"}], store=eye.attachments)
    film = ModelRequest(parts=[UserPromptPart([VideoUrl("https://films.example/a.mp4")])])
    with pytest.raises(InvalidRequest):
        from_pydantic_ai_history([film], store=eye.attachments)


def test_bytes_that_are_no_picture_are_told_by_the_store(eye: Eyeline) -> None:
    picture = BinaryContent(make_picture()[:60], media_type="image/png")
    with pytest.raises(AttachmentRefused):
        from_pydantic_ai_history([ModelRequest(parts=[UserPromptPart([picture])])], store=eye.attachments)


def test_a_bare_text_and_a_value_of_a_tool_become_texts(eye: Eyeline) -> None:
    messages = from_langchain_messages([ToolMessage("done", tool_call_id="c", name="do")], store=eye.attachments)
    assert messages == [Message("user", (ToolResultBlock("c", "do", (TextBlock("done"),)),))]


@pytest.mark.parametrize("library", ["langchain_core", "pydantic_ai"])
def test_a_framework_that_is_not_installed_is_named_with_its_extra(
    eye: Eyeline, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    request = prepared(eye, "gpt-4o").prepared
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    out = {"langchain_core": to_langchain_messages, "pydantic_ai": to_pydantic_ai_history}[library]
    with pytest.raises(MissingDependency) as caught:
        out(request)
    assert caught.value.detail["extra"] == library.removesuffix("_core").replace("_", "-")
