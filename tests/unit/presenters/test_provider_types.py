"""What goes to a provider is what its own client's types say: every key known, every required one there."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest
from anthropic.types import ImageBlockParam, TextBlockParam, ToolParam, ToolResultBlockParam
from google.genai import types
from openai.types.chat import (
    ChatCompletionContentPartImageParam,
    ChatCompletionContentPartInputAudioParam,
    ChatCompletionContentPartTextParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionToolMessageParam,
    ChatCompletionUserMessageParam,
)
from openai.types.responses import FunctionToolParam, ResponseInputImageContentParam, ResponseInputTextContentParam
from openai.types.responses.response_input_item_param import FunctionCallOutput
from pydantic import TypeAdapter
from tests.support.answers import clip, opened, picture, sound, text, viewed
from tests.support.tools import counting_tool, runner_of

from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.integrations.gemini import as_gemini_tools
from eyeline.integrations.openai import as_openai_chat_tools, as_openai_tools
from eyeline.presenters import anthropic, gemini, openai
from eyeline.presenters.framing import framed
from eyeline.toolkit.runner import ToolRunner

ANSWERS = [
    pytest.param(framed(opened(picture(), text(), sound(), sound("audio/wav"), clip())), id="opened"),
    pytest.param(framed(viewed((picture("image/webp"), text()), (), (sound(),))), id="viewed"),
    pytest.param(framed(viewed(())), id="nothing"),
]


def fits(value: dict[str, Any], kind: Any) -> None:
    """The value is of a typed dict: no key that it does not have, and every value as its hints say."""
    assert set(value) <= set(get_type_hints(kind))
    read = TypeAdapter(kind).validate_python(value, strict=True)
    assert set(read) == set(value)


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_tool_result_is_one_of_anthropic(answer: Any) -> None:
    result = anthropic.tool_result(answer, tool_use_id="toolu_1")
    fits({**result, "content": "checked below"}, ToolResultBlockParam)
    for block in result["content"]:
        fits(block, {"text": TextBlockParam, "image": ImageBlockParam}[block["type"]])
    fits({**anthropic.tool_failure("{}", tool_use_id="toolu_1"), "content": ""}, ToolResultBlockParam)


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_function_output_is_one_of_openai(answer: Any) -> None:
    kinds = {"input_text": ResponseInputTextContentParam, "input_image": ResponseInputImageContentParam}
    output = openai.function_call_output(answer, call_id="call_1")
    fits({**output, "output": "checked below"}, FunctionCallOutput)
    for item in output["output"]:
        fits(item, kinds[item["type"]])


@pytest.mark.parametrize("answer", ANSWERS)
def test_messages_are_those_of_chat_completions(answer: Any) -> None:
    kinds = {
        "text": ChatCompletionContentPartTextParam,
        "image_url": ChatCompletionContentPartImageParam,
        "input_audio": ChatCompletionContentPartInputAudioParam,
    }
    roles = {"tool": ChatCompletionToolMessageParam, "user": ChatCompletionUserMessageParam}
    for message in openai.chat_messages([openai.chat_answer(answer, tool_call_id="call_1")]):
        fits({**message, "content": "checked below"}, roles[message["role"]])
        for item in message["content"]:
            assert message["role"] == "user" or item["type"] == "text"
            fits(item, kinds[item["type"]])


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("answer", ANSWERS)
def test_parts_are_those_of_gemini_and_carry_the_bytes(answer: Any, nested: bool) -> None:
    parts = [types.Part.model_validate(part) for part in gemini.function_response(answer, name="open", nested=nested)]
    response = parts[0].function_response
    assert response is not None
    inside = [part.inline_data for part in response.parts or ()]
    after = [part.inline_data for part in parts if part.inline_data is not None]
    sent = sorted(blob.data for blob in [*inside, *after] if blob is not None and blob.data is not None)
    held = (each.part for each in answer.parts)
    assert sent == sorted(part.bytes for part in held if str(part.entry.media_type) in gemini.FOLLOWING)
    assert not (inside and not nested)


def everything() -> ToolRunner:
    return runner_of(counting_tool(surfaces=frozenset({"agents"}), presenters={}))


def test_tools_are_declared_as_each_provider_declares_them() -> None:
    runner = everything()
    for schema in as_anthropic_tools(runner).schemas:
        fits(schema, ToolParam)
    for schema in as_openai_tools(runner).schemas:
        fits(schema, FunctionToolParam)
    for schema in as_openai_chat_tools(runner).schemas:
        fits(schema, ChatCompletionFunctionToolParam)
    for declaration in as_gemini_tools(runner).declarations:
        types.FunctionDeclaration.model_validate(declaration)
