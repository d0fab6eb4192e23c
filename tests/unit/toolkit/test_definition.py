"""A tool is refused when it is defined, not when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.tools import Count, Counted, caller, counting_tool, runner_of

from eyeline.errors import ConfigError
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.definition import MAX_DESCRIPTION_BYTES


@dataclass
class Changeable:
    text: str


async def count_later(request: Count, context: ToolContext) -> Counted:
    return Counted(letters=len(request.text))


@pytest.mark.requirement("VF-11")
@pytest.mark.parametrize("name", ["", "two words", "dots.are.out", "a" * 65, "größe", "name\n"])
def test_an_illegal_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        counting_tool(name=name)


@pytest.mark.parametrize("name", ["a", "A-b_9", "a" * 64])
def test_a_legal_name_is_kept(name: str) -> None:
    assert counting_tool(name=name).name == name


@pytest.mark.parametrize(
    "changes",
    [
        {"identity": "count"},
        {"identity": "Tests/count@1"},
        {"identity": "tests/count"},
        {"description": ""},
        {"description": "é" * (MAX_DESCRIPTION_BYTES // 2 + 1)},
        {"input_type": Changeable},
        {"output_type": dict},
        {"handler": count_later},
        {"surfaces": frozenset[str](), "presenters": {}},
        {"presenters": {"http": str}},
    ],
    ids=[
        "identity without owner",
        "identity in capitals",
        "identity without number",
        "no description",
        "description too long",
        "input that changes",
        "output that is no dataclass",
        "async handler",
        "no surface",
        "presenter for another surface",
    ],
)
def test_a_definition_that_no_surface_could_offer_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        counting_tool(**changes)


def test_a_description_may_have_just_under_two_kilobytes() -> None:
    assert counting_tool(description="d" * MAX_DESCRIPTION_BYTES)


def test_a_presenter_is_replaced_in_a_copy() -> None:
    tool = counting_tool()
    loud = tool.with_presenter("mcp", lambda counted: f"{counted.letters}!")
    context = caller(surface="mcp")
    assert runner_of(tool).run("count", {"text": "four"}, context=context).presented == "4 letters"
    assert runner_of(loud).run("count", {"text": "four"}, context=context).presented == "4!"


def test_a_presenter_for_another_surface_is_refused() -> None:
    with pytest.raises(ConfigError):
        counting_tool().with_presenter("http", str)
