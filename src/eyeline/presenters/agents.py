"""Blocks for tool results of model providers: the envelope as JSON text, then each part with a one-line label."""

from __future__ import annotations

import base64
from typing import Any

from eyeline.model.envelope import Opened
from eyeline.model.manifest import ContentKind, Part
from eyeline.presenters.labels import label
from eyeline.wire import dumps


def to_anthropic(opened: Opened) -> list[dict[str, Any]]:
    """Content blocks of an Anthropic `tool_result`. An oversized picture is refused there rather than shrunk unsaid."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": dumps(opened.envelope)}]
    for place, part in enumerate(opened.parts):
        blocks.append({"type": "text", "text": label(opened, place)})
        blocks.append({"type": "text", "text": part.text} if _is_text(part) else _anthropic_picture(part))
    return blocks


def to_openai_responses(opened: Opened) -> list[dict[str, Any]]:
    """The `output` list of an OpenAI Responses `function_call_output`."""
    blocks: list[dict[str, Any]] = [{"type": "input_text", "text": dumps(opened.envelope)}]
    for place, part in enumerate(opened.parts):
        blocks.append({"type": "input_text", "text": label(opened, place)})
        blocks.append({"type": "input_text", "text": part.text} if _is_text(part) else _openai_picture(part))
    return blocks


def _is_text(part: Part) -> bool:
    return part.entry.content_kind is ContentKind.TEXT


def _anthropic_picture(part: Part) -> dict[str, Any]:
    source = {"type": "base64", "media_type": str(part.entry.media_type), "data": encoded(part)}
    return {"type": "image", "source": source, "transformations": {"oversized_image": "error"}}


def _openai_picture(part: Part) -> dict[str, Any]:
    url = f"data:{part.entry.media_type};base64,{encoded(part)}"
    return {"type": "input_image", "image_url": url, "detail": "high"}


def encoded(part: Part) -> str:
    """The bytes of a part as base64 text."""
    return base64.b64encode(part.bytes).decode("ascii")
