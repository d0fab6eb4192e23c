"""Bodies in each provider's words: what goes where, the same every time, and what the providers' own types say."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any, cast

import pytest
from anthropic.types import MessageParam, TextBlockParam
from botocore.session import Session
from botocore.validate import ParamValidator
from google.genai import types as gemini_types
from mistralai.client import models as mistral_types
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputParam
from pydantic import TypeAdapter
from tests.support.prepared import everything, picture, plain, route, showing

from eyeline.model.geometry import Size
from eyeline.model.prepared import (
    PreparedMessage,
    PreparedRequest,
    PreparedText,
    PreparedToolCall,
    PreparedToolResult,
)
from eyeline.model.route import Adapter, ResultPictures
from eyeline.request.providers import body_of, json_of

ALL = list(Adapter)
PARTING = [
    (adapter, where)
    for adapter in Adapter
    for where in ResultPictures
    if where is not ResultPictures.NESTED or adapter not in (Adapter.OPENAI_CHAT, Adapter.COMPATIBLE)
]


def strings(value: Any) -> list[str]:
    """Every text in a body, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in cast("dict[str, Any]", value).values() for text in strings(each)]
    return [text for each in cast("list[Any]", value) for text in strings(each)] if isinstance(value, list) else []


def places(body: dict[str, Any], *wanted: str) -> list[int]:
    """Where these texts stand in a body, as the wire has it."""
    written = json_of(body).decode()
    return [written.index(text) for text in wanted]


@pytest.mark.parametrize("adapter", ALL)
def test_the_same_request_gives_the_same_bytes_and_a_longer_one_begins_with_them(adapter: Adapter) -> None:
    request = everything(adapter, detail="high")
    assert json_of(body_of(request)) == json_of(body_of(everything(adapter, detail="high")))
    longer = replace(
        request,
        messages=(
            *request.messages,
            PreparedMessage("assistant", (PreparedText("You are welcome."),)),
            PreparedMessage("user", (PreparedText("One more thing."),)),
        ),
    )
    written, after = json_of(body_of(request)), json_of(body_of(longer))
    assert after.startswith(written.rstrip(b"]}"))


@pytest.mark.parametrize(("adapter", "where"), PARTING)
@pytest.mark.requirement("AT-13")
def test_every_picture_stands_right_after_the_text_that_describes_it(adapter: Adapter, where: ResultPictures) -> None:
    body = body_of(everything(adapter, where=where))
    shown, found = (
        base64.b64encode(plain(*size, level=level)).decode() for size, level in (((64, 48), 90), ((40, 40), 200))
    )
    described, first, second = places(body, "a picture, 64x48", shown, found)
    assert described < first < second
    (caption,) = places(body, "a crop, 40x40" if where is ResultPictures.NESTED else "[pair-1 of this result:]")
    assert caption < second


@pytest.mark.parametrize(("adapter", "where"), PARTING)
@pytest.mark.requirement("AT-14")
def test_a_picture_that_leaves_its_tool_result_keeps_its_id_on_both_sides(
    adapter: Adapter, where: ResultPictures
) -> None:
    texts = strings(body_of(everything(adapter, where=where)))
    pointers = [text for text in texts if "[pair-1 follows]" in text]
    captions = [text for text in texts if "[pair-1 of this result:]" in text]
    expected = 0 if where is ResultPictures.NESTED else 1
    assert (len(pointers), len(captions)) == (expected, expected)


@pytest.mark.requirement("AT-14")
def test_chat_gives_all_results_of_parallel_calls_before_the_pictures_that_left_them() -> None:
    messages = body_of(everything(Adapter.OPENAI_CHAT))["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "user", "assistant", "user"]
    moved = messages[5]["content"]
    assert [part["type"] for part in moved] == ["text", "image_url"]
    assert "[pair-1 follows]" in messages[3]["content"]
    assert moved[0]["text"] == "[pair-1 of this result:]"


@pytest.mark.parametrize("adapter", ALL)
def test_blank_texts_are_left_out(adapter: Adapter) -> None:
    assert [text for text in strings(body_of(everything(adapter))) if not text.strip()] == []


@pytest.mark.parametrize(
    ("adapter", "held"),
    [
        (Adapter.ANTHROPIC, {"type": "file", "file_id": "file-7"}),
        (Adapter.OPENAI_RESPONSES, {"type": "input_image", "file_id": "file-7", "detail": "auto"}),
        (Adapter.GEMINI, {"mimeType": "image/png", "fileUri": "file-7"}),
        (Adapter.DEEPSEEK, {"type": "input_image", "file_id": "file-7", "detail": "high"}),
    ],
)
@pytest.mark.requirement("AT-13")
def test_an_uploaded_picture_goes_by_its_id_and_brings_no_bytes(adapter: Adapter, held: dict[str, str]) -> None:
    sent = picture(plain(64, 48), Size(64, 48), remote_id="file-7")
    written = json_of(body_of(showing(adapter, sent)))
    assert json_of(held) in written
    assert base64.b64encode(sent.image.bytes) not in written


@pytest.mark.parametrize("adapter", [Adapter.OPENAI_CHAT, Adapter.BEDROCK, Adapter.MISTRAL, Adapter.COMPATIBLE])
def test_where_there_are_no_uploaded_files_a_picture_goes_with_its_bytes(adapter: Adapter) -> None:
    sent = picture(plain(64, 48), Size(64, 48), remote_id="file-7")
    written = json_of(body_of(showing(adapter, sent)))
    assert base64.b64encode(sent.image.bytes) in written
    assert b"file-7" not in written


def test_the_detail_of_a_route_is_asked_for_beside_each_picture() -> None:
    asked = {
        Adapter.OPENAI_RESPONSES: b'"detail":"original"',
        Adapter.OPENAI_CHAT: b'"detail":"original"',
        Adapter.COMPATIBLE: b'"detail":"original"',
    }
    for adapter, written in asked.items():
        assert json_of(body_of(everything(adapter, detail="original"))).count(written) == 2
    body = json_of(body_of(everything(Adapter.GEMINI, detail="ultra_high")))
    assert body.count(b'"mediaResolution":{"level":"MEDIA_RESOLUTION_ULTRA_HIGH"}') == 2


LONG_ID = "call:" + "x" * 90


@pytest.mark.parametrize("adapter", ALL)
def test_ids_of_calls_made_elsewhere_stay_paired(adapter: Adapter) -> None:
    request = PreparedRequest(
        route(adapter),
        (
            PreparedMessage("user", (PreparedText("Look."),)),
            PreparedMessage("assistant", (PreparedToolCall(LONG_ID, "crop", "{}"),)),
            PreparedMessage("user", (PreparedToolResult(LONG_ID, "crop", (PreparedText("done"),)),)),
        ),
    )
    ids = [text for text in strings(body_of(request)) if text == LONG_ID or re.fullmatch("[0-9a-f]{9,32}", text)]
    assert (len(ids), len(set(ids))) == (2, 1)
    assert adapter is Adapter.GEMINI or len(ids[0]) <= 64


@pytest.mark.parametrize("adapter", [Adapter.ANTHROPIC, Adapter.BEDROCK, Adapter.GEMINI])
def test_arguments_that_are_no_object_are_handed_on_as_a_text(adapter: Adapter) -> None:
    request = everything(adapter)
    call = PreparedToolCall("call_one", "crop", '{"x": ')
    spoilt = replace(request.messages[2], parts=(call, *request.messages[2].parts[2:]))
    body = body_of(replace(request, messages=(*request.messages[:2], spoilt, *request.messages[3:])))
    assert b'{"arguments":"{\\"x\\": "}' in json_of(body)


DEEP = '{"a":' * 65 + "{}" + "}" * 65
LIKE_JSON = ['{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', '{"\\udc00": 1}', DEEP, '{"a": ' + "9" * 5000 + "}"]


@pytest.mark.parametrize("adapter", ALL)
@pytest.mark.parametrize("arguments", LIKE_JSON)
def test_arguments_that_only_look_like_json_leave_a_body_that_is_json(adapter: Adapter, arguments: str) -> None:
    request = everything(adapter)
    call = PreparedToolCall("call_one", "crop", arguments)
    spoilt = replace(request.messages[2], parts=(call, *request.messages[2].parts[2:]))
    written = json_of(body_of(replace(request, messages=(*request.messages[:2], spoilt, *request.messages[3:]))))

    def refuse(word: str) -> None:
        pytest.fail(f"{word} is no JSON")

    assert arguments in strings(json.loads(written, parse_constant=refuse))


def test_anthropic_refuses_an_oversized_picture_rather_than_shrinking_it_unsaid() -> None:
    written = json_of(body_of(everything(Adapter.ANTHROPIC)))
    assert written.count(b'"transformations":{"oversized_image":"error"}') == 2


def test_an_error_of_a_tool_is_said_where_the_provider_has_a_place_for_it() -> None:
    assert json_of(body_of(everything(Adapter.ANTHROPIC))).count(b'"is_error":true') == 1
    assert json_of(body_of(everything(Adapter.BEDROCK))).count(b'"status":"error"') == 1
    assert b'"response":{"error":"nothing to count"}' in json_of(body_of(everything(Adapter.GEMINI)))


def test_anthropic_types_take_the_body() -> None:
    body = body_of(everything(Adapter.ANTHROPIC))
    TypeAdapter(list[MessageParam]).validate_python(body["messages"], strict=False)
    TypeAdapter(list[TextBlockParam]).validate_python(body["system"])


@pytest.mark.parametrize("adapter", [Adapter.OPENAI_RESPONSES, Adapter.DEEPSEEK])
def test_openai_types_take_the_input_of_responses(adapter: Adapter) -> None:
    TypeAdapter(ResponseInputParam).validate_python(body_of(everything(adapter))["input"])


@pytest.mark.parametrize("adapter", [Adapter.OPENAI_CHAT, Adapter.COMPATIBLE])
def test_openai_types_take_the_messages_of_chat(adapter: Adapter) -> None:
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(body_of(everything(adapter))["messages"])


def test_gemini_types_take_the_contents() -> None:
    body = body_of(everything(Adapter.GEMINI, detail="high"))
    contents = [gemini_types.Content.model_validate(each) for each in body["contents"]]
    gemini_types.Content.model_validate(body["systemInstruction"])
    parts = contents[2].parts or []
    assert parts[0].function_response is not None
    (nested,) = parts[0].function_response.parts or []
    assert nested.inline_data is not None
    assert nested.inline_data.data == plain(40, 40, level=200)


def test_the_service_model_of_bedrock_takes_the_body() -> None:
    session: Any = Session()
    shape = session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    validator: Any = ParamValidator()
    report = validator.validate({"modelId": "m", **body_of(everything(Adapter.BEDROCK))}, shape)
    assert report.generate_report() == ""


def test_mistral_types_take_the_messages() -> None:
    kinds = {
        "system": mistral_types.SystemMessage,
        "user": mistral_types.UserMessage,
        "assistant": mistral_types.AssistantMessage,
        "tool": mistral_types.ToolMessage,
    }
    messages = body_of(everything(Adapter.MISTRAL))["messages"]
    assert [message["role"] for message in messages] == [
        *("system", "user", "assistant", "tool", "tool"),
        *("assistant", "user", "assistant", "user"),
    ]
    for message in messages:
        kinds[message["role"]].model_validate(message)


def test_the_wire_holds_bytes_as_base64_and_nothing_else_that_is_no_json() -> None:
    body = body_of(everything(Adapter.BEDROCK))
    held = json.loads(json_of(body))["messages"][0]["content"][2]["image"]["source"]["bytes"]
    assert base64.b64decode(held) == plain(64, 48)
    with pytest.raises(TypeError):
        json_of({"messages": {1, 2}})


def test_a_turn_of_blank_texts_only_is_no_turn() -> None:
    request = everything(Adapter.ANTHROPIC)
    blank = PreparedMessage("assistant", (PreparedText(" "),))
    messages = body_of(replace(request, messages=(*request.messages, blank)))["messages"]
    assert messages[-1]["role"] == "user"
