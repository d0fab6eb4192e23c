"""The example of docs/providers.md runs, and the page shows it."""

from __future__ import annotations

import runpy

import pytest
from tests.meta.tree import ROOT

EXAMPLE = ROOT / "docs_src" / "providers_example.py"


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    shown = EXAMPLE.read_text(encoding="utf-8").partition("from __future__ import annotations\n\n")[2]
    assert f"```python\n{shown}```" in (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
    came = runpy.run_path(str(EXAMPLE))
    assert came["said"] == ["Noted."]
    assert len(came["uploaded"]) == 1
