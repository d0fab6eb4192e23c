"""The body of an Amazon Bedrock Converse request: `messages` and `system`.

Pictures hold raw bytes, as the provider's own client takes them; `json_of` writes them in base64, as the wire has them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText
from eyeline.request.providers.turns import arguments_of, fitting_id, held_by, system_texts, turns_of

if TYPE_CHECKING:
    from eyeline.model.prepared import PreparedRequest, PreparedToolCall, PreparedToolResult
    from eyeline.request.providers.turns import Shown, Turn

_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`messages`, and `system` where there is one; the caller adds `modelId`."""
    turns = turns_of(request)
    body: dict[str, Any] = {"messages": [_message(turn) for turn in turns if turn.role != "system"]}
    texts = system_texts(turns)
    return {"system": [{"text": text} for text in texts], **body} if texts else body


def _message(turn: Turn) -> dict[str, Any]:
    blocks = [_result(result) for result in turn.results]
    blocks += [_block(part) for part in (*turn.moved, *turn.loose)]
    return {"role": turn.role, "content": blocks}


def _result(result: PreparedToolResult) -> dict[str, Any]:
    status = "error" if result.is_error else "success"
    content = [_block(part) for part in held_by(result)]
    return {"toolResult": {"toolUseId": _id(result.call_id), "content": content, "status": status}}


def _block(part: Shown | PreparedToolCall) -> dict[str, Any]:
    if isinstance(part, PreparedText):
        return {"text": part.text}
    if isinstance(part, PreparedImage):
        encoding = part.image.media_type.name.removeprefix("image/")
        return {"image": {"format": encoding, "source": {"bytes": part.image.bytes}}}
    return {"toolUse": {"toolUseId": _id(part.call_id), "name": part.name, "input": arguments_of(part)}}


def _id(call_id: str) -> str:
    return fitting_id(call_id, _CALL_ID, length=32)
