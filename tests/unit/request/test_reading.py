"""Conversations from JSON: what is wrong is told by its place, and a bad reference by a code of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support.conversations import image_ref

from eyeline.errors import InvalidReference, InvalidRequest
from eyeline.model.attachment import FileRef
from eyeline.model.digest import Digest
from eyeline.model.media_type import MediaType
from eyeline.model.message import FileBlock, ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.request.reading import json_of, messages_of
from eyeline.wire import to_plain

FILE = FileRef(Digest.of(b"f"), MediaType("application/pdf"), 3, "a.pdf")
TALK = (
    Message("system", (TextBlock("be brief"),)),
    Message("user", (TextBlock("see"), ImageBlock(image_ref(), pinned=True), FileBlock(FILE))),
    Message("assistant", (ToolCallBlock("c1", "look", "{}"),)),
    Message("user", (ToolResultBlock("c1", "look", (TextBlock("ok"), ImageBlock(image_ref(1))), is_error=True),)),
)
CALL_IN_RESULT = """[{"role": "user", "blocks": [{"type": "tool_result", "call_id": "a", "name": "b", "blocks": [
    {"type": "tool_call", "call_id": "c", "name": "d", "arguments": "{}"}]}]}]"""
PLAIN = [to_plain(message) for message in TALK]


def test_a_conversation_is_the_same_as_values_as_data_and_as_json() -> None:
    text = json_of(TALK)
    assert json.loads(text) == PLAIN
    assert messages_of(TALK) == messages_of(PLAIN) == messages_of(text) == TALK
    assert messages_of(json.dumps({"messages": PLAIN}).encode()) == TALK
    assert json_of(messages_of(text)) == text


def changed(**ref: Any) -> list[Any]:
    plain = json.loads(json.dumps(PLAIN))
    plain[1]["blocks"][1]["ref"].update(ref)
    return plain


@pytest.mark.requirement("AT-16")
@pytest.mark.parametrize(
    "ref",
    [
        {"attachment_id": "sha256:zz"},
        {"attachment_id": None},
        {"attachment_id": "../../etc/passwd"},
        {"width_px": "1000"},
        {"media_type": "png"},
        {"path": "/srv/ann/x.png"},
        {"kind": "file"},
        {"original": {}},
        {"byte_count": 1.5},
    ],
)
def test_a_malformed_reference_has_a_code_of_its_own_and_its_place(ref: dict[str, Any]) -> None:
    with pytest.raises(InvalidReference) as refused:
        messages_of(changed(**ref))
    assert refused.value.code == "invalid_reference"
    assert (refused.value.detail["message"], refused.value.detail["block"]) == (2, 2)


def test_a_reference_that_is_missing_or_no_object_is_malformed() -> None:
    refs: list[Any] = [None, "sha256:" + "0" * 64, [], 7]
    for ref in refs:
        plain = json.loads(json.dumps(PLAIN))
        plain[3]["blocks"][0]["blocks"][1]["ref"] = ref
        with pytest.raises(InvalidReference):
            messages_of(plain)


def test_a_message_built_by_hand_is_checked_too() -> None:
    wrong: Any = "sha256:" + "0" * 64
    with pytest.raises(InvalidReference):
        messages_of([Message("user", (ImageBlock(wrong),))])
    width: Any = "wide"
    with pytest.raises(InvalidReference):
        messages_of([Message("user", (ImageBlock(replace(image_ref(), width_px=width)),))])


def test_plain_data_may_hold_the_references_that_attaching_gave() -> None:
    plain = [{"role": "user", "blocks": [{"type": "image", "ref": image_ref()}, {"type": "file", "ref": FILE}]}]
    assert messages_of(plain) == (Message("user", (ImageBlock(image_ref()), FileBlock(FILE))),)
    wrong = [{"role": "user", "blocks": [{"type": "image", "ref": FILE}]}]
    with pytest.raises(InvalidReference):
        messages_of(wrong)


def test_an_object_that_holds_the_messages_is_read_and_what_holds_none_is_refused() -> None:
    assert messages_of({"messages": PLAIN}) == TALK
    wrong: list[Any] = [5, None, {}, {"messages": 3}, b"\xff\xfe", {1, 2}]
    for conversation in wrong:
        with pytest.raises(InvalidRequest):
            messages_of(conversation)


@pytest.mark.parametrize(
    "conversation",
    [
        "",
        "{}",
        "null",
        '"text"',
        "[" * 100_000,
        "[1]",
        '[{"role":"robot","blocks":[]}]',
        '[{"role":"user"}]',
        '[{"role":"user","blocks":"x"}]',
        '[{"role":"user","blocks":[{"type":"video"}]}]',
        '[{"role":"user","blocks":[{"text":"no type"}]}]',
        '[{"role":"user","blocks":[{"type":"text","text":5}]}]',
        '[{"role":"user","blocks":[{"type":"text","text":"x","more":1}]}]',
        '[{"role":"user","blocks":[],"content":[]}]',
        '[{"role":"user","blocks":[{"type":"tool_result","call_id":"a","name":"b"}]}]',
        CALL_IN_RESULT,
    ],
)
def test_what_is_no_conversation_is_refused(conversation: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        messages_of(conversation)
    assert not isinstance(refused.value, InvalidReference)


HALF = "\ud800"


HALVES: list[Any] = [
    {"role": "assistant", "blocks": [{"type": "tool_call", "call_id": HALF, "name": f"n{HALF}", "arguments": HALF}]},
    {
        "role": "user",
        "blocks": [
            {
                "type": "tool_result",
                "call_id": HALF,
                "name": f"n{HALF}",
                "blocks": [{"type": "text", "text": f"a{HALF}b"}],
            },
            {"type": "text", "text": "\ud83d\ude00 is whole"},
        ],
    },
]
BY_HAND = [
    Message("assistant", (ToolCallBlock(HALF, f"n{HALF}", HALF),)),
    Message(
        "user",
        (ToolResultBlock(HALF, f"n{HALF}", (TextBlock(f"a{HALF}b"),)), TextBlock("\ud83d\ude00 is whole")),
    ),
]


@pytest.mark.parametrize("conversation", [json.dumps(HALVES), HALVES, BY_HAND])
def test_halves_of_characters_in_any_text_are_read_as_the_replacement_character(conversation: Any) -> None:
    assert messages_of(conversation) == (
        Message("assistant", (ToolCallBlock("\ufffd", "n\ufffd", "\ufffd"),)),
        Message(
            "user",
            (ToolResultBlock("\ufffd", "n\ufffd", (TextBlock("a\ufffdb"),)), TextBlock("\N{GRINNING FACE} is whole")),
        ),
    )


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "conversation",
    [
        [{"role": LONG, "blocks": []}],
        [{"role": [LONG], "blocks": []}],
        [{"role": "user", "blocks": [{"type": LONG}]}],
        [{"role": "user", "blocks": [{"type": 10**5000}]}],
        [{"role": "user", "blocks": [], LONG: 1}],
        [{"role": "user", "blocks": [], 10**5000: 1}],
        [10**5000],
        [LONG],
        [{"role": "user", "blocks": [{"type": "image", "ref": LONG}]}],
        [{"role": "user", "blocks": [{"type": "image", "ref": to_plain(image_ref()), "pinned": LONG}]}],
        [{"role": "user", "blocks": [{"type": "image", "ref": {**to_plain(image_ref()), "attachment_id": [LONG]}}]}],
        [{"role": "user", "blocks": [{"type": "image", "ref": {**to_plain(image_ref()), "media_type": [LONG]}}]}],
    ],
)
def test_a_message_quotes_little_of_what_it_is_about(conversation: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        messages_of(conversation)
    assert len(str(refused.value)) < 500
    assert sum(len(str(each)) for each in refused.value.detail.values()) < 500
