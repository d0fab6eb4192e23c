"""What each channel makes of an answer: the same order everywhere, each payload once, nothing dropped unsaid."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from mcp_types import CallToolResult
from tests.support.answers import FORGED, PICTURE, SOUND, clip, opened, picture, sound, text, viewed

from eyeline.model.envelope import Opened
from eyeline.model.viewing import Viewed
from eyeline.presenters import anthropic, gemini, openai
from eyeline.presenters.files import MANIFEST, opened_files, viewed_files
from eyeline.presenters.framing import framed
from eyeline.presenters.labels import label
from eyeline.presenters.mcp import answer_blocks
from eyeline.presenters.opened import OpenedSource
from eyeline.presenters.text import plain_text
from eyeline.presenters.viewed import ViewedBatch
from eyeline.wire import to_plain

OPENED = opened(picture(), text(), sound(), clip())
BATCH = viewed((picture(), text()), (), (sound(),), (clip(),))


def over_mcp(answer: Opened | Viewed) -> Any:
    blocks = answer_blocks(answer)
    return CallToolResult(content=blocks).model_dump(by_alias=True, mode="json", exclude_none=True)


CHANNELS: dict[str, Callable[[Opened | Viewed], Any]] = {
    "mcp": over_mcp,
    "anthropic": lambda answer: anthropic.tool_result(framed(answer), tool_use_id="toolu_1"),
    "openai responses": lambda answer: openai.function_call_output(framed(answer), call_id="call_1"),
    "openai chat": lambda answer: openai.chat_messages([openai.chat_answer(framed(answer), tool_call_id="call_1")]),
    "gemini": lambda answer: gemini.function_response(framed(answer), name="open", call_id="1"),
    "gemini 2": lambda answer: gemini.function_response(framed(answer), name="open", nested=False),
    "text": lambda answer: plain_text(framed(answer)),
}
HOLDS_SOUND = {"mcp", "openai chat", "gemini", "gemini 2"}
HOLDS_PICTURES = set(CHANNELS) - {"text"}


@pytest.mark.parametrize("answer", [OPENED, BATCH], ids=["opened", "viewed"])
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.requirement("VF-12")
def test_every_payload_is_sent_once_or_replaced_by_a_line_that_says_so(channel: str, answer: Opened | Viewed) -> None:
    sent = json.dumps(CHANNELS[channel](answer))
    pictures, sounds = (sent.count(base64.b64encode(data).decode()) for data in (PICTURE, SOUND))
    assert (pictures, sounds) == (int(channel in HOLDS_PICTURES), int(channel in HOLDS_SOUND))
    assert sent.count(json.dumps(FORGED)[1:-1]) == 1
    for held, media_type, size in (
        (channel in HOLDS_PICTURES, "image/png", len(PICTURE)),
        (channel in HOLDS_SOUND, "audio/mpeg", len(SOUND)),
        (False, "video/mp4", len(clip().bytes)),
    ):
        assert ("cannot hold " + f"{media_type} ({size} bytes)" in sent) is not held


@pytest.mark.parametrize("answer", [OPENED, BATCH], ids=["opened", "viewed"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_the_header_comes_first_and_every_label_in_its_order(channel: str, answer: Opened | Viewed) -> None:
    texts = list(_texts(CHANNELS[channel](answer)))
    if channel == "text":
        texts = texts[0].split("\n\n")
    account = answer.report if isinstance(answer, Viewed) else answer.envelope
    assert json.loads(texts[0]) == to_plain(account)
    labels = [label(answer, place) for place in range(len(answer.parts))]
    found = [next(place for place, said in enumerate(texts) if said.startswith(each)) for each in labels]
    assert found == sorted(found)
    assert len(set(found)) == len(labels)


def _texts(sent: object) -> Iterator[str]:
    """Every text in the order in which it is read, media and framing of the wire apart."""
    if isinstance(sent, str):
        yield sent
    elif isinstance(sent, list):
        for each in cast("list[object]", sent):
            yield from _texts(each)
    elif isinstance(sent, dict):
        held = cast("dict[str, object]", sent)
        for key in ("functionResponse", "response", "output", "error", "text", "content"):
            yield from _texts(held.get(key))


def test_the_label_of_a_batch_says_which_item_a_part_belongs_to() -> None:
    assert label(BATCH, 0).startswith("part 1 of 4: item 1, page, page=2, image/png, sha256:")
    assert label(BATCH, 2).startswith("part 3 of 4: item 3, audio, audio/mpeg, sha256:")
    assert label(OPENED, 1).startswith("part 2 of 4: source_text, text/plain, sha256:")


def test_media_that_follow_in_a_turn_of_their_own_are_paired_by_call_and_label() -> None:
    calls = {name: framed(opened(picture(), text(), sound())) for name in ("call_1", "call_2")}
    messages = openai.chat_messages(openai.chat_answer(each, tool_call_id=name) for name, each in calls.items())
    assert [message["role"] for message in messages] == ["tool", "tool", "user"]
    following = messages[2]["content"]
    assert [item["type"] for item in following] == ["text", "image_url", "text", "input_audio"] * 2
    for name, message in zip(calls, messages, strict=False):
        assert message["tool_call_id"] == name
        for item in following:
            if item["type"] == "text" and item["text"].startswith(name):
                assert sum(each["text"].endswith(item["text"]) for each in message["content"]) == 1


def test_a_model_before_gemini_3_gets_its_pictures_behind_the_response() -> None:
    parts = gemini.function_response(framed(OPENED), name="open", nested=False)
    assert [next(iter(part)) for part in parts] == ["functionResponse", "text", "inlineData", "text", "inlineData"]
    assert "parts" not in parts[0]["functionResponse"]
    nested = gemini.function_response(framed(OPENED), name="open", call_id="7")
    (blob,) = nested[0]["functionResponse"]["parts"]
    assert blob["inlineData"]["displayName"] == "part-1.png"
    assert [next(iter(part)) for part in nested] == ["functionResponse", "text", "inlineData"]


def test_a_batch_in_which_nothing_was_delivered_is_marked_where_a_channel_has_a_mark() -> None:
    nothing = framed(viewed((), ()))
    assert anthropic.tool_result(nothing, tool_use_id="toolu_1")["is_error"] is True
    assert anthropic.tool_result(framed(BATCH), tool_use_id="toolu_1")["is_error"] is False
    assert list(gemini.function_response(nothing, name="view")[0]["functionResponse"]["response"]) == ["error"]


@pytest.mark.parametrize("words", ["", " \n\t\u2003"])
def test_a_blank_text_is_told_where_a_blank_block_is_refused(words: str) -> None:
    blocks = anthropic.content_blocks(framed(opened(text(words))))
    assert all(block["text"].strip() for block in blocks)
    assert str(len(words)) in blocks[2]["text"]


def test_nothing_from_outside_ends_its_fence_in_plain_text() -> None:
    said = plain_text(framed(opened(text(FORGED), text("```\nlabel")))).splitlines()
    fences = [line for line in said if set(line) == {"`"}]
    assert fences == ["`````", "````", "`````", "````", "```", "````"]


def test_files_of_a_batch_are_named_by_place_item_and_role_and_told_in_the_manifest() -> None:
    files = viewed_files(BATCH)
    names = [file.name for file in files]
    assert names == [
        "01-item1-page.png",
        "02-item1-source_text.txt",
        "03-item3-audio.mp3",
        "04-item4-clip.mp4",
        MANIFEST,
    ]
    manifest = json.loads(files[-1].bytes)
    assert manifest["files"] == names[:-1]
    assert [entry["digest"] for entry in manifest["content_manifest"]] == [str(p.entry.digest) for p in BATCH.parts]
    assert [file.bytes for file in files[:-1]] == [part.bytes for part in BATCH.parts]
    assert [file.name for file in opened_files(OPENED)] == [
        "01-page.png",
        "02-source_text.txt",
        "03-audio.mp3",
        "04-clip.mp4",
        MANIFEST,
    ]


@pytest.mark.parametrize("answer", [OpenedSource.of(OPENED), ViewedBatch.of(BATCH)], ids=["opened", "viewed"])
def test_what_python_hands_out_becomes_what_the_channels_make_of_it(answer: OpenedSource | ViewedBatch) -> None:
    assert answer.to_anthropic() == anthropic.content_blocks(framed(answer))
    assert answer.to_openai_responses() == openai.output_items(framed(answer))
    assert answer.to_openai_chat("call_1") == CHANNELS["openai chat"](answer)
    assert answer.to_gemini("open", call_id="1") == CHANNELS["gemini"](answer)
    assert answer.to_text() == CHANNELS["text"](answer)
