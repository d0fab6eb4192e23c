"""Items for OpenAI's Responses, whose function results hold pictures, and messages for Chat Completions.

A `tool` message of Chat Completions holds text only, so its media go into the user turn that follows all tool messages;
the label, led by the id of the call, stands at both places and keeps the pair together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyeline.presenters.framing import data_url, encoded, is_one_of, is_text, left_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.model.manifest import Part
    from eyeline.presenters.framing import Framed

PICTURES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})
SOUNDS = {"audio/mpeg": "mp3", "audio/wav": "wav"}


def output_items(answer: Framed) -> list[dict[str, Any]]:
    """The `output` of a `function_call_output`: text and pictures."""
    items = [_input_text(answer.header)]
    for each in answer.parts:
        items += [_input_text(each.label), _native(each.part)]
    return items


def function_call_output(answer: Framed, *, call_id: str) -> dict[str, Any]:
    """The item that answers one `function_call` of Responses."""
    return {"type": "function_call_output", "call_id": call_id, "output": output_items(answer)}


def function_call_failure(text: str, *, call_id: str) -> dict[str, Any]:
    """The item of a call that went wrong. Responses has no mark for that; the text says it."""
    return {"type": "function_call_output", "call_id": call_id, "output": [_input_text(text)]}


def _input_text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _native(part: Part) -> dict[str, Any]:
    if is_text(part):
        return _input_text(part.text)
    if is_one_of(part, PICTURES):
        return {"type": "input_image", "image_url": data_url(part), "detail": "high"}
    return _input_text(left_out(part, "a function result here"))


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One call answered over Chat Completions: its `tool` message, and the media that follow in a user turn."""

    tool_message: dict[str, Any]
    user_content: tuple[dict[str, Any], ...] = ()


def chat_answer(answer: Framed, *, tool_call_id: str) -> ChatAnswer:
    """What answers one tool call of Chat Completions."""
    texts, media = [answer.header], list[dict[str, Any]]()
    for each in answer.parts:
        native = None if is_text(each.part) else _chat_media(each.part)
        if native is None:
            texts += [each.label, each.part.text if is_text(each.part) else left_out(each.part, "a chat message here")]
        else:
            texts.append(f"{each.label}, in the next user message under: {tool_call_id}: {each.label}")
            media += [_chat_text(f"{tool_call_id}: {each.label}"), native]
    return ChatAnswer(_tool_message([_chat_text(text) for text in texts], tool_call_id), tuple(media))


def chat_failure(text: str, *, tool_call_id: str) -> ChatAnswer:
    """What answers a tool call that went wrong. There is no mark for that; the text says it."""
    return ChatAnswer(_tool_message([_chat_text(text)], tool_call_id))


def chat_messages(answers: Iterable[ChatAnswer]) -> list[dict[str, Any]]:
    """The messages that answer all tool calls of one assistant message, in the only order that is accepted."""
    all_answers = list(answers)
    media = [item for answer in all_answers for item in answer.user_content]
    following = [{"role": "user", "content": media}] if media else []
    return [*(answer.tool_message for answer in all_answers), *following]


def _tool_message(content: list[dict[str, Any]], tool_call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": tool_call_id, "content": content}


def _chat_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _chat_media(part: Part) -> dict[str, Any] | None:
    if is_one_of(part, PICTURES):
        return {"type": "image_url", "image_url": {"url": data_url(part), "detail": "high"}}
    if is_one_of(part, SOUNDS):
        sound = {"data": encoded(part), "format": SOUNDS[str(part.entry.media_type)]}
        return {"type": "input_audio", "input_audio": sound}
    return None
