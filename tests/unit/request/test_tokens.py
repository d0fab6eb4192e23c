"""Tokens and fitted sizes equal what providers publish (facts dated in `routes.toml`)."""

from __future__ import annotations

import pytest

from eyeline.model.geometry import Size
from eyeline.request.routes import route_named
from eyeline.request.tokens import fitted_by, image_tokens, text_tokens

STANDARD, HIGH = route_named("anthropic-standard").tokens, route_named("anthropic-high").tokens

ANTHROPIC = [
    (Size(1000, 1000), (Size(1000, 1000), 1296), (Size(1000, 1000), 1296)),
    (Size(1920, 1080), (Size(1456, 819), 1560), (Size(1920, 1080), 2691)),
    (Size(3840, 2160), (Size(1456, 819), 1560), (Size(2576, 1449), 4784)),
    (Size(1075, 1520), (Size(924, 1307), 1551), (Size(1075, 1520), 2145)),
    (Size(1654, 2339), (Size(924, 1307), 1551), (Size(1624, 2296), 4756)),
    (Size(2000, 2000), (Size(1092, 1092), 1521), (Size(1932, 1932), 4761)),
]


@pytest.mark.requirement("AT-20")
@pytest.mark.parametrize(("size", "standard", "high"), ANTHROPIC)
def test_every_example_that_anthropic_publishes_comes_out(
    size: Size, standard: tuple[Size, int], high: tuple[Size, int]
) -> None:
    assert (fitted_by(STANDARD, size), image_tokens(size, STANDARD)) == standard
    assert (fitted_by(HIGH, size), image_tokens(size, HIGH)) == high


@pytest.mark.requirement("AT-20")
@pytest.mark.parametrize(
    ("route", "size", "tokens"),
    [
        ("openai-responses-1536", Size(1800, 2400), 1452),
        ("openai-responses", Size(1920, 1080), 2040),
        ("openai-chat-tiles", Size(1024, 1024), 765),
        ("openai-chat-tiles", Size(1920, 1080), 1105),
        ("gemini-3", Size(640, 480), 1120),
        ("gemini-2", Size(384, 384), 258),
        ("gemini-2", Size(769, 768), 516),
        ("deepseek-responses", Size(1568, 1176), 384),
    ],
)
def test_the_examples_of_other_providers_come_out(route: str, size: Size, tokens: int) -> None:
    assert image_tokens(size, route_named(route).tokens) == tokens


def test_an_openai_picture_is_fitted_as_published() -> None:
    assert fitted_by(route_named("openai-responses-1536").tokens, Size(1800, 2400)) == Size(1056, 1408)


def test_a_factor_on_patches_is_rounded_up() -> None:
    assert image_tokens(Size(33, 32), route_named("openai-responses-mini").tokens) == 4


def test_where_no_formula_is_published_nothing_is_made_up() -> None:
    assert image_tokens(Size(100, 100), route_named("mistral").tokens) is None


def test_text_is_counted_in_bytes_and_rounded_up() -> None:
    rule = route_named("openai-responses").tokens
    assert [text_tokens(text, rule) for text in ("", "a", "abcd", "abcde", "日本")] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("size", [Size(1, 40_000), Size(40_000, 1), Size(8192, 8192), Size(57, 57), Size(7919, 31)])
@pytest.mark.parametrize(
    "route", ["anthropic-standard", "anthropic-high", "openai-responses-1536", "openai-chat-tiles"]
)
def test_a_fitted_picture_fits_and_stays_as_it_is_when_fitted_again(route: str, size: Size) -> None:
    rule = route_named(route).tokens
    fitted = fitted_by(rule, size)
    assert fitted_by(rule, fitted) == fitted
    assert fitted.width_px <= size.width_px
    assert fitted.height_px <= size.height_px
