"""The body of a Gemini `generateContent` request: `contents` and `systemInstruction`.

Pictures hold raw bytes, as the provider's own client takes them; `json_of` writes them in base64, as the wire has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.model.prepared import PreparedImage, PreparedText
from eyeline.request.providers.turns import arguments_of, held_by, joined, system_texts, turns_of

if TYPE_CHECKING:
    from eyeline.model.prepared import PreparedRequest, PreparedToolCall, PreparedToolResult
    from eyeline.request.providers.turns import Shown, Turn

_RESOLUTIONS = {
    "low": "MEDIA_RESOLUTION_LOW",
    "medium": "MEDIA_RESOLUTION_MEDIUM",
    "high": "MEDIA_RESOLUTION_HIGH",
    "ultra_high": "MEDIA_RESOLUTION_ULTRA_HIGH",
}

UNSIGNED = b"skip_thought_signature_validator"
"""What Gemini 3 takes for the signature of a call that it did not make itself in this conversation, or that was lost:
a message that is portable between models has no room for the provider's own."""


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """`contents`, and `systemInstruction` where there is one; the model stands in the address."""
    turns = turns_of(request)
    resolution = _RESOLUTIONS.get(request.route.detail or "")
    body: dict[str, Any] = {"contents": [_content(turn, resolution) for turn in turns if turn.role != "system"]}
    texts = system_texts(turns)
    return {"systemInstruction": {"parts": [{"text": text} for text in texts]}, **body} if texts else body


def _content(turn: Turn, resolution: str | None) -> dict[str, Any]:
    parts = [_result(result, resolution) for result in turn.results]
    parts += [_part(part, resolution) for part in (*turn.moved, *turn.loose)]
    return {"role": "model" if turn.role == "assistant" else "user", "parts": _signed(parts)}


def _signed(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first call of a turn carries the signature for all of them."""
    place = next((place for place, part in enumerate(parts) if "functionCall" in part), None)
    if place is not None:
        parts[place] = {**parts[place], "thoughtSignature": UNSIGNED}
    return parts


def _result(result: PreparedToolResult, resolution: str | None) -> dict[str, Any]:
    held = held_by(result)
    said = {"error" if result.is_error else "result": joined(held)}
    response: dict[str, Any] = {"id": result.call_id, "name": result.name, "response": said}
    pictures = [_part(part, resolution) for part in held if isinstance(part, PreparedImage)]
    return {"functionResponse": {**response, "parts": pictures} if pictures else response}


def _part(part: Shown | PreparedToolCall, resolution: str | None) -> dict[str, Any]:
    if isinstance(part, PreparedText):
        return {"text": part.text}
    if isinstance(part, PreparedImage):
        shown = _picture(part)
        return shown if resolution is None else {**shown, "mediaResolution": {"level": resolution}}
    return {"functionCall": {"id": part.call_id, "name": part.name, "args": arguments_of(part)}}


def _picture(picture: PreparedImage) -> dict[str, Any]:
    media_type = str(picture.image.media_type)
    if picture.remote_id is not None:
        return {"fileData": {"mimeType": media_type, "fileUri": picture.remote_id}}
    return {"inlineData": {"mimeType": media_type, "data": picture.image.bytes}}
