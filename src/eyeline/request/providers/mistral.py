"""The body of a Mistral chat request: `messages`. A tool message holds pictures beside its texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText, PreparedToolCall
from eyeline.request.providers.turns import data_url, fitting_id, held_by, joined, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.model.prepared import PreparedRequest
    from eyeline.request.providers.turns import Shown, Turn

_CALL_ID = re.compile(r"[A-Za-z0-9]{9}")

BETWEEN: dict[str, Any] = {"role": "assistant", "content": "Noted."}
"""Stands between a tool message and a user message, which Mistral does not take one after the other."""


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`messages`; the caller adds `model`."""
    return {"messages": [message for turn in turns_of(request) for message in _messages(turn)]}


def _messages(turn: Turn) -> list[dict[str, Any]]:
    if turn.role == "assistant":
        return [_answer(turn.loose)]
    if turn.role == "system":
        return [{"role": "system", "content": joined(turn.loose)}]
    messages: list[dict[str, Any]] = [_result(result.call_id, result.name, held_by(result)) for result in turn.results]
    shown = (*turn.moved, *turn.loose)
    if shown:
        messages += [BETWEEN] if messages else []
        messages.append({"role": "user", "content": _content(shown)})
    return messages


def _result(call_id: str, name: str, parts: Iterable[Shown]) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": _id(call_id), "name": name, "content": _content(parts)}


def _answer(parts: tuple[Shown | PreparedToolCall, ...]) -> dict[str, Any]:
    calls = [_call(part) for part in parts if isinstance(part, PreparedToolCall)]
    message: dict[str, Any] = {"role": "assistant", "content": joined(parts)}
    return {**message, "tool_calls": calls} if calls else message


def _call(call: PreparedToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": _id(call.call_id), "type": "function", "function": function}


def _content(parts: Iterable[Shown | PreparedToolCall]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, PreparedText):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, PreparedImage):
            content.append({"type": "image_url", "image_url": data_url(part)})
    return content


def _id(call_id: str) -> str:
    """Mistral takes nine letters and digits."""
    return fitting_id(call_id, _CALL_ID, length=9)
