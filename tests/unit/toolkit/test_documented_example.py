"""The example of docs/toolkit.md is the file in docs_src, and it does what the page says."""

from __future__ import annotations

import re

import pytest
from docs_src import toolkit_example as example
from tests.meta.tree import ROOT


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    page = (ROOT / "docs" / "toolkit.md").read_text(encoding="utf-8")
    source = (ROOT / "docs_src" / "toolkit_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


def test_the_example_answers_and_refuses_as_the_page_says() -> None:
    assert example.answer.value == example.Turned(quarters=3)
    assert example.answer.presented == "3 quarter turns"
    assert example.refusal.error is not None
    assert example.refusal.error.to_plain() == {
        "code": "invalid_request",
        "message": "45 is no multiple of 90",
        "retryable": False,
        "hint": "send 0, 90, 180 or 270",
    }
    assert example.journal.lines == ["ada turn success", "ada turn refused"]


def test_the_bounds_of_a_field_stand_in_the_schema() -> None:
    (described,) = example.runner.tools.describe()
    degrees = described["input_schema"]["properties"]["degrees"]
    assert degrees["description"] == "Clockwise, a multiple of 90."
    assert (degrees["minimum"], degrees["exclusiveMaximum"]) == (0, 360)
    refused = example.runner.run("turn", {"degrees": 360}, context=example.ada)
    assert refused.error is not None
    assert refused.error.detail["field"] == "degrees"
