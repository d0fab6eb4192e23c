"""The example of docs/carrying.md is the file in docs_src, and it does what the page says."""

from __future__ import annotations

import re

import pytest
from docs_src import carrying_example as example
from tests.meta.tree import ROOT


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    page = (ROOT / "docs" / "carrying.md").read_text(encoding="utf-8")
    source = (ROOT / "docs_src" / "carrying_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("VF-14")
def test_the_example_saves_sends_and_waits_as_the_page_says() -> None:
    assert (example.saved.path, example.text) == ("notes/plain.txt", "plain text")
    assert example.again.error is not None
    assert example.again.error.code == "path_taken"
    assert example.sent.reference == "archive:plain.txt"
    assert (example.waited.ended, example.waited.message) == ("met", "10 bytes are filed")
