"""The body of an OpenAI Responses request: `input`. DeepSeek's Responses take the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText, PreparedToolCall
from eyeline.model.route import Adapter
from eyeline.request.providers.turns import data_url, fitting_id, held_by, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.model.prepared import PreparedRequest
    from eyeline.request.providers.turns import Shown, Turn

_CALL_ID = re.compile(r"[!-~]{1,64}")


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`input`; the caller adds `model`."""
    detail = request.route.detail or ("high" if request.route.adapter is Adapter.DEEPSEEK else "auto")
    return {"input": [item for turn in turns_of(request) for item in _items(turn, detail=detail)]}


def _items(turn: Turn, *, detail: str) -> list[dict[str, Any]]:
    if turn.role == "assistant":
        return [_said(part) for part in turn.loose if not isinstance(part, PreparedImage)]
    items = [
        {
            "type": "function_call_output",
            "call_id": _id(result.call_id),
            "output": _content(held_by(result), detail=detail),
        }
        for result in turn.results
    ]
    messages = ([turn.moved] if turn.moved else []) + [_shown(message) for message in turn.shown]
    return items + [{"role": turn.role, "content": _content(parts, detail=detail)} for parts in messages]


def _said(part: PreparedText | PreparedToolCall) -> dict[str, Any]:
    """A text of the model goes as plain characters: a part of a list would need the id that its answer had."""
    if isinstance(part, PreparedText):
        return {"role": "assistant", "content": part.text}
    return {"type": "function_call", "call_id": _id(part.call_id), "name": part.name, "arguments": part.arguments}


def _shown(parts: Iterable[Shown | PreparedToolCall]) -> tuple[Shown, ...]:
    return tuple(part for part in parts if not isinstance(part, PreparedToolCall))


def _content(parts: Iterable[Shown], *, detail: str) -> list[dict[str, Any]]:
    return [
        {"type": "input_text", "text": part.text} if isinstance(part, PreparedText) else _picture(part, detail=detail)
        for part in parts
    ]


def _picture(picture: PreparedImage, *, detail: str) -> dict[str, Any]:
    if picture.remote_id is not None:
        return {"type": "input_image", "file_id": picture.remote_id, "detail": detail}
    return {"type": "input_image", "image_url": data_url(picture), "detail": detail}


def _id(call_id: str) -> str:
    return fitting_id(call_id, _CALL_ID, length=32)
