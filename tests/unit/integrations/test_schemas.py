"""What each provider is told of a tool's input: nothing its dialect does not know, and nothing of it lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tools import Count, counting_tool, runner_of

from eyeline import wire
from eyeline.errors import ConfigError
from eyeline.integrations.descriptions import MAX_CHARS, brief, instructions
from eyeline.integrations.gemini import as_gemini_tools
from eyeline.integrations.openai import as_openai_chat_tools, as_openai_tools
from eyeline.integrations.schemas import described, inlined, openapi, strict, without_nulls
from eyeline.tools.find import Find
from eyeline.tools.read import Read
from eyeline.tools.source_open import SourceOpen

STRICT_KEYS = {
    *("type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const"),
    *("pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minItems", "maxItems"),
}
"""What OpenAI's strict mode knows."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of an input."""

    depth: int = field(default=3, metadata={"description": "How deep.", "gt": 0, "lt": 9})
    title: str = ""


@dataclass(frozen=True, slots=True)
class Odd:
    """Everything a tool may ask for."""

    paths: str | tuple[str, ...]
    colour: Literal["red", "green"]
    step: Literal[1, 2] = 1
    leaf: Leaf | None = None
    leaves: tuple[Leaf, ...] = ()
    share: float = field(default=0.5, metadata={"multiple_of": 0.25})
    note: str | None = "none"


@dataclass(frozen=True, slots=True)
class Open:
    """An input with names of the caller's."""

    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class Branch:
    """An input that holds itself."""

    below: Branch | None = None


INPUTS = [Find, Read, SourceOpen, Count, Odd]


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    below = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
    for each in [*below, schema["items"]] if "items" in schema else below:
        yield from _nodes(each)


@pytest.mark.parametrize("kind", INPUTS)
def test_strict_mode_is_told_only_what_it_knows_and_every_property_is_required(kind: type) -> None:
    schema = described(strict, wire.schema_of(kind))
    assert schema is not None
    for node in _nodes(schema):
        assert set(node) <= STRICT_KEYS
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
        assert "anyOf" in node or isinstance(node["type"], str)
    assert schema["type"] == "object"


@pytest.mark.parametrize("kind", INPUTS)
def test_gemini_is_told_a_schema_of_its_own_kind(kind: type) -> None:
    schema = described(openapi, wire.schema_of(kind))
    read = types.Schema.model_validate(schema)
    assert read.type is types.Type.OBJECT
    assert read.model_dump(by_alias=True, exclude_none=True, mode="json") == schema
    assert set(schema["properties"]) == set(wire.schema_of(kind)["properties"])


def test_what_a_dialect_does_not_know_is_said_in_words() -> None:
    source = wire.schema_of(Odd)
    openai_fields = cast("dict[str, Any]", described(strict, source))["properties"]
    gemini_fields = described(openapi, source)["properties"]
    assert "0.5 when left out" in openai_fields["share"]["description"]
    assert "a multiple of 0.25" in gemini_fields["share"]["description"]
    depth = gemini_fields["leaves"]["items"]["properties"]["depth"]
    assert depth["description"] == "How deep. (3 when left out, below 9, above 0)"
    assert "one of 1, 2" in gemini_fields["step"]["description"]
    assert gemini_fields["colour"]["enum"] == ["red", "green"]
    assert "title" in gemini_fields["leaves"]["items"]["properties"]


def test_an_input_of_any_names_is_not_strict_and_not_for_gemini() -> None:
    assert described(strict, wire.schema_of(Open)) is None
    with pytest.raises(ConfigError):
        described(openapi, wire.schema_of(Open))
    tool = counting_tool(input_type=Open, surfaces=frozenset({"agents"}), presenters={})
    (function,) = as_openai_tools(runner_of(tool)).schemas
    assert function["strict"] is False
    assert function["parameters"]["properties"]["labels"]["additionalProperties"] == {"type": "string"}


def test_an_input_that_holds_itself_is_refused_before_a_model_is_told() -> None:
    with pytest.raises(ConfigError):
        inlined(wire.schema_of(Branch))


@pytest.mark.parametrize("kind", INPUTS)
@given(data=st.data())
def test_nulls_of_strict_mode_read_as_left_out_and_others_stay(kind: type, data: st.DataObject) -> None:
    schema = inlined(wire.schema_of(kind))
    needed, fields = schema.get("required", []), list(schema["properties"])
    nulls = data.draw(st.sets(st.sampled_from([*fields, "unknown"])))
    arguments = {name: None if name in nulls else "x" for name in [*fields, "unknown"]}
    kept = without_nulls(arguments, schema)
    for name, value in arguments.items():
        nullable = name == "unknown" or {"type": "null"} in schema["properties"][name].get("anyOf", ())
        assert (name in kept) is (value is not None or name in needed or nullable)
    assert kept.items() <= arguments.items()


def test_a_null_deep_inside_reads_as_left_out_too() -> None:
    leaf = {"depth": None, "title": "t"}
    given_ = {"paths": "a", "colour": "red", "step": None, "leaf": leaf, "leaves": [leaf, {"depth": 2}], "note": None}
    kept = without_nulls(given_, inlined(wire.schema_of(Odd)))
    odd = wire.validate(Odd, kept)
    assert (odd.note, odd.step) == (None, 1)
    assert (odd.leaf, odd.leaves) == (Leaf(title="t"), (Leaf(title="t"), Leaf(depth=2)))


PARAGRAPHS = st.lists(st.text(st.sampled_from("ab c"), min_size=1, max_size=600), min_size=1, max_size=6)


@given(PARAGRAPHS)
def test_a_short_description_fits_and_what_it_leaves_out_is_in_the_instructions(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    said = brief(text)
    assert len(said) <= MAX_CHARS
    assert said == text if len(text) <= MAX_CHARS else said.endswith("about this tool.")


def test_instructions_hold_the_descriptions_that_were_shortened_and_no_others() -> None:
    long = counting_tool(
        name="long", identity="tests/long@1", description="word " * 300, surfaces=frozenset({"agents"}), presenters={}
    )
    short = counting_tool(surfaces=frozenset({"agents"}), presenters={})
    runner = runner_of(long, short)
    for tools in (as_openai_tools(runner), as_openai_chat_tools(runner)):
        assert tools.instructions == instructions([long]) == f"# Tool long\n\n{long.description}"
        assert all(len(str(each)) < 3 * MAX_CHARS for each in tools.schemas)
    assert instructions([short]) == ""


def test_a_name_that_gemini_refuses_is_refused_here() -> None:
    tool = counting_tool(name="1st", surfaces=frozenset({"agents"}), presenters={})
    with pytest.raises(ConfigError):
        as_gemini_tools(runner_of(tool))
