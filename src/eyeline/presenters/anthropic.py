"""Blocks for a tool result of Anthropic's Messages: text and pictures, which is all it takes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.presenters.framing import encoded, filled, is_one_of, is_text, left_out

if TYPE_CHECKING:
    from eyeline.model.manifest import Part
    from eyeline.presenters.framing import Framed

PICTURES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def content_blocks(answer: Framed) -> list[dict[str, Any]]:
    """The `content` of a `tool_result`. An oversized picture is refused there rather than shrunk unsaid."""
    blocks = [_text(answer.header)]
    for each in answer.parts:
        blocks += [_text(each.label), _native(each.part)]
    return blocks


def tool_result(answer: Framed, *, tool_use_id: str) -> dict[str, Any]:
    """The `tool_result` that answers one `tool_use`."""
    return _result(content_blocks(answer), tool_use_id=tool_use_id, is_error=answer.went_wrong)


def tool_failure(text: str, *, tool_use_id: str) -> dict[str, Any]:
    """The `tool_result` of a call that went wrong."""
    return _result([_text(text)], tool_use_id=tool_use_id, is_error=True)


def _result(content: list[dict[str, Any]], *, tool_use_id: str, is_error: bool) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "is_error": is_error, "content": content}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _native(part: Part) -> dict[str, Any]:
    if is_text(part):
        return _text(filled(part))
    if not is_one_of(part, PICTURES):
        return _text(left_out(part, "a tool result here"))
    source = {"type": "base64", "media_type": str(part.entry.media_type), "data": encoded(part)}
    return {"type": "image", "source": source, "transformations": {"oversized_image": "error"}}
