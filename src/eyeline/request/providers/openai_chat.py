"""The body of a Chat Completions request: `messages`.

A tool message holds text only, so the pictures of a turn's results go into a user message after all its tool messages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText, PreparedToolCall
from eyeline.request.providers.turns import data_url, fitting_id, held_by, joined, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.model.prepared import PreparedRequest
    from eyeline.request.providers.turns import Shown, Turn

_CALL_ID = re.compile(r"[!-~]{1,64}")


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`messages`; the caller adds `model`."""
    detail = request.route.detail
    return {"messages": [message for turn in turns_of(request) for message in _messages(turn, detail=detail)]}


def _messages(turn: Turn, *, detail: str | None) -> list[dict[str, Any]]:
    if turn.role == "assistant":
        return [_answer(message) for message in turn.shown]
    if turn.role == "system":
        return [{"role": "system", "content": joined(message)} for message in turn.shown]
    messages: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": _id(result.call_id), "content": _held(held_by(result), detail=detail)}
        for result in turn.results
    ]
    users = ([turn.moved] if turn.moved else []) + list(turn.shown)
    return messages + [{"role": "user", "content": _content(parts, detail=detail)} for parts in users]


def _answer(parts: Iterable[Shown | PreparedToolCall]) -> dict[str, Any]:
    parts = tuple(parts)
    calls = [_call(part) for part in parts if isinstance(part, PreparedToolCall)]
    message: dict[str, Any] = {"role": "assistant", "content": joined(parts) or None}
    return {**message, "tool_calls": calls} if calls else message


def _call(call: PreparedToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": _id(call.call_id), "type": "function", "function": function}


def _held(parts: tuple[Shown, ...], *, detail: str | None) -> str | list[dict[str, Any]]:
    """Text, as the provider has it; pictures that a route leaves in a result are not dropped unsaid."""
    return _content(parts, detail=detail) if any(isinstance(part, PreparedImage) for part in parts) else joined(parts)


def _content(parts: Iterable[Shown | PreparedToolCall], *, detail: str | None) -> str | list[dict[str, Any]]:
    """Plain characters where there is but one text: every server takes those."""
    parts = tuple(parts)
    if len(parts) == 1 and isinstance(parts[0], PreparedText):
        return parts[0].text
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, PreparedText):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, PreparedImage):
            content.append(_picture(part, detail=detail))
    return content


def _picture(picture: PreparedImage, *, detail: str | None) -> dict[str, Any]:
    address = {"url": data_url(picture)}
    return {"type": "image_url", "image_url": address if detail is None else {**address, "detail": detail}}


def _id(call_id: str) -> str:
    return fitting_id(call_id, _CALL_ID, length=32)
