"""The example of docs/lanes.md is the file in docs_src, and it does what the page says."""

from __future__ import annotations

import re

import pytest
from docs_src import lanes_example as example
from tests.meta.tree import ROOT

from eyeline.convert.budgets import DescriptionBudget, OcrBudget

PAGE = (ROOT / "docs" / "lanes.md").read_text(encoding="utf-8")


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    source = (ROOT / "docs_src" / "lanes_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("SA-09")
def test_both_lanes_read_the_screenshot_and_each_says_what_it_is_worth() -> None:
    assert (example.seen.derivation_kind, example.seen.evidence_mode) == ("ocr", "model_observation")
    assert example.seen.locator.region is not None
    assert (example.described.derivation_kind, example.described.evidence_mode) == (
        "description",
        "model_interpretation",
    )
    assert example.described.excerpt == "Twenty lines of status."
    (asked,) = example.endpoint.asked
    assert b"023757" not in asked.body


def test_the_budgets_of_the_page_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| ([01][.\d]*) \| (\d+) million \| (\d+) s \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    assert [row[0] for row in rows] == ["0", "0.5", "1"]
    for emphasis, pixels, seconds, tokens, edge in rows:
        ocr, description = OcrBudget.of(float(emphasis)), DescriptionBudget.of(float(emphasis))
        assert (round(ocr.max_pixels / 1e6), round(ocr.cpu_ms / 1000)) == (int(pixels), int(seconds))
        assert (description.max_tokens, description.edge_px) == (int(tokens), int(edge))
