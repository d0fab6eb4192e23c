"""The body of an Anthropic Messages request: `system` and `messages`.

Pictures stand in tool results and in user turns alike. One above the model's size is refused by Anthropic itself rather
than shrunk unsaid, so that the size that was announced is the size that is looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText
from eyeline.request.providers.turns import arguments_of, encoded, fitting_id, held_by, system_texts, turns_of

if TYPE_CHECKING:
    from eyeline.model.prepared import PreparedRequest, PreparedToolCall, PreparedToolResult
    from eyeline.request.providers.turns import Shown, Turn

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`messages`, and `system` where there is one; the caller adds `model` and `max_tokens`."""
    turns = turns_of(request)
    # others that speak this way need not know the field
    added = {"transformations": {"oversized_image": "error"}} if request.route.provider == "anthropic" else {}
    messages = [_message(turn, added) for turn in turns if turn.role != "system"]
    body: dict[str, Any] = {"messages": messages}
    texts = system_texts(turns)
    return {"system": [{"type": "text", "text": text} for text in texts], **body} if texts else body


def _message(turn: Turn, added: dict[str, Any]) -> dict[str, Any]:
    # the results of a turn come before anything else in it
    blocks = [_result(result, added) for result in turn.results]
    blocks += [_block(part, added) for part in (*turn.moved, *turn.loose)]
    return {"role": turn.role, "content": blocks}


def _result(result: PreparedToolResult, added: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": _id(result.call_id),
        "content": [_block(part, added) for part in held_by(result)],
        "is_error": result.is_error,
    }


def _block(part: Shown | PreparedToolCall, added: dict[str, Any]) -> dict[str, Any]:
    if isinstance(part, PreparedText):
        return {"type": "text", "text": part.text}
    if isinstance(part, PreparedImage):
        return {"type": "image", "source": _source(part), **added}
    return {"type": "tool_use", "id": _id(part.call_id), "name": part.name, "input": arguments_of(part)}


def _source(picture: PreparedImage) -> dict[str, str]:
    if picture.remote_id is not None:
        return {"type": "file", "file_id": picture.remote_id}
    return {"type": "base64", "media_type": str(picture.image.media_type), "data": encoded(picture)}


def _id(call_id: str) -> str:
    return fitting_id(call_id, _CALL_ID, length=32)
