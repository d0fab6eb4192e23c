"""The example of docs/attachments.md is the file in docs_src, and it does what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from docs_src import attachments_example as example
from tests.meta.tree import ROOT
from tests.support.cli import invoke

from eyeline.model.attachment import REFUSALS, AttachmentRefusal
from eyeline.testing.media import make_picture

PAGE = (ROOT / "docs" / "attachments.md").read_text(encoding="utf-8")


@pytest.mark.requirement("XC-07")
def test_the_page_shows_the_file() -> None:
    source = (ROOT / "docs_src" / "attachments_example.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert shown == [source.partition('"""\n\n')[2].removeprefix("from __future__ import annotations\n\n")]


@pytest.mark.requirement("AT-02")
def test_the_example_comes_to_what_the_page_says() -> None:
    assert example.told == "plan.bmp: image/bmp, 2000 x 1000"
    assert (example.sent.size.width_px, example.sent == example.again) == (1568, True)
    assert (example.kept.attachments, example.gone.attachments) == (0, 2)
    assert example.where is not None
    assert example.where.endswith(f"{example.ref.attachment_id.hex}.png")


@pytest.mark.requirement("XC-07")
def test_the_commands_of_the_page_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plan.png").write_bytes(make_picture("image/png", width=20, height=10))
    (tmp_path / "notes.txt").write_text("Mind the gap.")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^eyeline (attach .*)$", PAGE, re.MULTILINE)
    assert [invoke(tmp_path / "home", *shlex.split(line)).exit_code for line in lines] == [0, 0, 0]


def test_every_refusal_is_explained() -> None:
    assert set(REFUSALS) == set(AttachmentRefusal)
    assert all(f"`{each.value}`" in PAGE for each in AttachmentRefusal)
