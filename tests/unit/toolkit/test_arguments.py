"""Raw arguments become an input, or are refused by the name of the field."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.support.tools import Count, Window

from eyeline.errors import InvalidRequest, UnknownInput
from eyeline.toolkit.arguments import read_arguments


def refusal(arguments: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        read_arguments(Count, arguments)
    return caught.value


def test_a_mapping_and_its_json_text_are_the_same_call() -> None:
    given = {"text": "a", "paths": ["b", "c"], "window": {"start": 0, "end": 2}, "windows": [{"start": 1, "end": 2}]}
    read = read_arguments(Count, given)
    assert read == Count("a", ("b", "c"), Window(0, 2), (Window(1, 2),))
    assert read == read_arguments(Count, json.dumps(given))


def test_an_input_the_tool_does_not_have_is_named_with_those_it_has() -> None:
    error = refusal({"text": "a", "size": 3})
    assert isinstance(error, UnknownInput)
    assert error.detail["field"] == "size"
    assert error.hint is not None
    assert "at_most" in error.hint


def test_an_unknown_input_deep_inside_is_named_by_its_way() -> None:
    error = refusal({"text": "a", "windows": [{"start": 0, "end": 1, "step": 2}]})
    assert isinstance(error, UnknownInput)
    assert error.detail["field"] == "windows.0.step"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", 5),
        ("text", None),
        ("at_most", "5"),
        ("at_most", 5.5),
        ("at_most", True),
        ("window", 3),
        ("windows", "none"),
        ("windows", {"start": 0, "end": 1}),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_by_its_field_and_never_coerced(field: str, value: object) -> None:
    error = refusal({"text": "a"} | {field: value})
    assert error.code == "invalid_request"
    assert error.detail["field"] == field


def test_a_missing_input_is_named() -> None:
    assert refusal({}).detail["field"] == "text"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("paths", '["a.png", "b.png"]'),
        ("paths", ' ["a.png"]\n'),
        ("window", '{"start": 0, "end": 1}'),
        ("windows", '[{"start": 0, "end": 1}]'),
    ],
)
def test_a_structure_sent_as_json_text_is_refused_with_a_hint_that_names_the_field(field: str, value: str) -> None:
    error = refusal({"text": "a", field: value})
    assert error.code == "invalid_request"
    assert error.detail["field"] == field
    assert error.hint is not None
    assert field in error.hint


def test_a_structure_sent_as_json_text_inside_a_list_is_named_by_its_place() -> None:
    assert refusal({"text": "a", "windows": [{"start": 0, "end": 1}, "{}"]}).detail["field"] == "windows.1"


@dataclass(frozen=True, slots=True)
class Sorted:
    """Inputs of every form that can hold a list or an object."""

    pair: tuple[str, Window] | None = None
    by_name: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    mixed: tuple[str | Window, ...] = ()


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"pair": ["a", '{"start": 0, "end": 1}']}, "pair.1"),
        ({"by_name": {"k": '["a"]'}}, "by_name.k"),
        ({"mixed": ["a", "{}"]}, "mixed.1"),
    ],
)
def test_a_structure_sent_as_json_text_is_found_wherever_a_schema_has_room_for_one(
    arguments: dict[str, Any], place: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_arguments(Sorted, arguments)
    assert caught.value.detail["field"] == place
    assert place in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"text": "a", "paths": 5}, "paths"),
        ({"text": "a", "paths": {"a": 1}}, "paths"),
        ({"text": "a", "paths": ["a", 5]}, "paths.1"),
        ({"text": "a", "window": {"start": "x", "end": 1}}, "window.start"),
    ],
)
def test_a_field_of_several_types_is_named_as_it_was_sent(arguments: dict[str, Any], place: str) -> None:
    assert refusal(arguments).detail["field"] == place


def test_an_input_of_the_wrong_member_of_a_union_is_named_with_what_it_has() -> None:
    with pytest.raises(UnknownInput) as caught:
        read_arguments(Sorted, {"mixed": [{"start": 0, "end": 1, "begin": 1}]})
    assert caught.value.detail["field"] == "mixed.0.begin"
    assert "start" in (caught.value.hint or "")


def test_a_name_from_outside_is_told_short_and_on_one_line() -> None:
    error = refusal({"text": "a", "x\n\u202e" * 10_000: 1})
    assert isinstance(error, UnknownInput)
    assert len(str(error)) < 2000
    assert "\n" not in str(error)
    assert "\u202e" not in str(error)


@pytest.mark.parametrize("name", ["[preview].PNG", "{draft}.txt", "[", "{", "[a, b]"])
def test_a_name_that_only_looks_like_json_stays_a_name(name: str) -> None:
    assert read_arguments(Count, {"text": "a", "paths": name}).paths == name


@pytest.mark.parametrize("text", ['["a"]', '{"a": 1}', "[preview].PNG"])
def test_where_only_text_is_expected_json_is_text_like_any_other(text: str) -> None:
    assert read_arguments(Count, {"text": text}).text == text
    assert read_arguments(Count, {"text": "a", "paths": [text]}).paths == (text,)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "null",
        "[]",
        '"text"',
        "{",
        "{'text': 'a'}",
        pytest.param("[" * 100_000, id="very deep"),
        '{"text": "\\ud800"}',
        '{"text": NaN}',
    ],
)
def test_a_text_that_is_no_json_object_of_inputs_is_refused(raw: str) -> None:
    assert refusal(raw).code == "invalid_request"


def test_a_value_that_json_does_not_have_is_refused() -> None:
    assert refusal({"text": b"bytes"}).code == "invalid_request"
    assert refusal({"text": float("nan")}).code == "invalid_request"
