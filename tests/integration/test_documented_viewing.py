"""The example of docs/viewing.md is the file in docs_src, and it does what the page says."""

from __future__ import annotations

import re

import pytest
from docs_src import viewing_example as example
from tests.meta.tree import ROOT


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    page = (ROOT / "docs" / "viewing.md").read_text(encoding="utf-8")
    source = (ROOT / "docs_src" / "viewing_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("VF-05")
def test_the_example_comes_to_what_the_page_says() -> None:
    assert example.codes == ["shown", "shown_in_part", "path_refused"]
    assert "pages 1 to 4 of 9" in example.batch.report.items[1].message
    assert example.left < 20 << 20
    assert [block["type"] for block in example.blocks].count("image") == 5
