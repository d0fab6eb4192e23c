"""Which corner of the double of the providers takes the requests of which route, and a model of that route."""

from __future__ import annotations

from typing import Any

from tests.support.asking import post_to

from eyeline.request.assembling import Assembled
from eyeline.request.providers import body_of
from eyeline.testing.provider_double import Call, ProviderDouble

ROUTES = {
    "anthropic-high": ("anthropic", "claude-opus-5"),
    "anthropic-standard": ("anthropic", "claude-sonnet-4-6"),
    "openai-responses": ("openai", "gpt-5.5"),
    "openai-chat-tiles": ("openai", "gpt-4o"),
    "gemini-3": ("gemini", "gemini-3-pro"),
    "gemini-2": ("gemini", "gemini-2.5-pro"),
    "deepseek-responses": ("deepseek", "deepseek-flash"),
    "bedrock-claude": ("bedrock", "anthropic.claude-opus-5-v1:0"),
    "bedrock-next-turn": ("bedrock", "mistral.pixtral-large-v1:0"),
    "mistral": ("mistral", "mistral-medium-latest"),
    "xai": ("xai", "grok-5"),
    "qwen": ("qwen", "qwen3-vl-plus"),
    "ollama": ("ollama", "gemma4"),
}
"""Routes that differ in shape or limits."""


def accepted(double: ProviderDouble, route: str, body: dict[str, Any]) -> Call:
    """What a provider found in a body; the test fails where it is refused."""
    corner, model = ROUTES[route]
    status, said = post_to(double, corner, body, model=model)
    assert status == 200, said
    return double.calls[-1]


def accepted_request(double: ProviderDouble, route: str, assembled: Assembled) -> Call:
    """The same for an assembled request."""
    return accepted(double, route, body_of(assembled.prepared))
