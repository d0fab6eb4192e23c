"""From a prepared request to the body that its route takes, and that body as the wire has it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from eyeline.model.route import Adapter
from eyeline.request.providers import anthropic, bedrock, gemini, mistral, openai_chat, openai_responses

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.model.prepared import PreparedRequest

_BODIES: dict[Adapter, Callable[[PreparedRequest], dict[str, Any]]] = {
    Adapter.ANTHROPIC: anthropic.body_of,
    Adapter.OPENAI_RESPONSES: openai_responses.body_of,
    Adapter.OPENAI_CHAT: openai_chat.body_of,
    Adapter.GEMINI: gemini.body_of,
    Adapter.BEDROCK: bedrock.body_of,
    Adapter.MISTRAL: mistral.body_of,
    Adapter.DEEPSEEK: openai_responses.body_of,
    Adapter.COMPATIBLE: openai_chat.body_of,
}


FILES_APIS: dict[Adapter, str] = {
    Adapter.ANTHROPIC: "anthropic",
    Adapter.OPENAI_RESPONSES: "openai",
    Adapter.GEMINI: "gemini",
    Adapter.DEEPSEEK: "deepseek",
}
"""The shapes that can name an uploaded file, and whose file it is."""


def body_of(request: PreparedRequest) -> dict[str, Any]:
    """What a prepared request fills of its provider's body, as the provider's own client takes it.

    Whatever else a request needs (model, tools, how many tokens) is the caller's. The same request gives the same body,
    key by key in the same order.
    """
    return _BODIES[request.route.adapter](request)


def json_of(body: dict[str, Any]) -> bytes:
    """A body as the wire has it: JSON in UTF-8 without spaces, raw bytes as base64 text."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=_text_of_bytes).encode()


def _text_of_bytes(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no place in a body")
