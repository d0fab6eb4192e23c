"""Routes are data: complete, sourced, found by name and by model."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from eyeline.errors import InvalidRequest
from eyeline.model.route import RoutePolicy, TokenRule
from eyeline.request.routes import route_named, shipped_routes

PLAIN = {"name", "provider", "adapter", "models", "tokens", "facts"}


@pytest.mark.requirement("AT-12")
def test_every_number_of_a_route_has_a_source_a_date_and_a_mark() -> None:
    for route in shipped_routes().values():
        named = {fact.name for fact in route.facts}
        limits = {each.name for each in fields(RoutePolicy) if getattr(route, each.name) not in (None, each.default)}
        rule = {f"token.{each.name}" for each in fields(TokenRule) if getattr(route.tokens, each.name) != each.default}
        assert sorted((limits - PLAIN | rule) - named) == []
        for fact in route.facts:
            assert fact.source
            assert re.fullmatch(r"2026-\d\d-\d\d", fact.date)
            assert fact.trust in {"read", "tried", "second_hand", "memory", "chosen"}


@pytest.mark.parametrize(
    ("asked", "route"),
    [
        ("anthropic-high", "anthropic-high"),
        ("claude-opus-4-7", "anthropic-high"),
        ("claude-opus-5-20260801", "anthropic-high"),
        ("claude-sonnet-4-6", "anthropic-standard"),
        ("claude-sonnet-4-5@20250929", "anthropic-google-cloud"),
        ("gpt-5.4", "openai-responses"),
        ("gpt-5.4-mini", "openai-responses-mini"),
        ("gpt-5.4-nano-2026-01-01", "openai-responses-nano"),
        ("gpt-4o", "openai-chat-tiles"),
        ("gemini-2.5-pro", "gemini-2"),
        ("us.anthropic.claude-sonnet-4-5", "bedrock-claude"),
        ("deepseek-flash", "deepseek-responses"),
        ("grok-5", "xai"),
    ],
)
def test_a_route_is_found_by_its_name_and_by_a_model(asked: str, route: str) -> None:
    assert route_named(asked).name == route


def test_what_is_neither_a_route_nor_a_model_is_refused_with_the_routes() -> None:
    with pytest.raises(InvalidRequest) as refused:
        route_named("clawed-3")
    assert "anthropic-high" in (refused.value.hint or "")


def test_limits_that_differ_by_provider_differ_by_route() -> None:
    anthropic, bedrock = route_named("anthropic-high"), route_named("bedrock-claude")
    assert (anthropic.max_image_bytes, anthropic.counted) == (10_000_000, "base64")
    assert (bedrock.max_image_bytes, bedrock.counted, bedrock.max_images) == (3_750_000, "raw", 20)
    assert (anthropic.many_from, anthropic.many_side_px) == (21, 2000)
    assert route_named("anthropic-google-cloud").files_api is None
