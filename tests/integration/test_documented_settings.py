"""What docs/reference/settings.md shows can be put into a home as it stands, and does what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.meta.tree import ROOT
from tests.support.cli import environment

from eyeline import Eyeline
from eyeline.errors import ConfigError
from eyeline.settings import FILE, OcrSettings, Settings

PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
LANES = (ROOT / "docs" / "lanes.md").read_text(encoding="utf-8")
SHORT, WHOLE = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def _settings(folder: Path, text: str) -> Settings:
    (folder / FILE).write_text(text, encoding="utf-8")
    with Eyeline(folder) as eye:
        return eye.settings


@pytest.mark.requirement("XC-07")
def test_the_file_of_all_defaults_changes_nothing(tmp_path: Path) -> None:
    assert _settings(tmp_path, WHOLE) == Settings()


@pytest.mark.requirement("XC-07")
def test_the_short_file_and_the_program_say_the_same(tmp_path: Path) -> None:
    told = f"{PROGRAM}\nprint(eye.settings == settings, repr(settings)); eye.close()"
    done = subprocess.run(
        [sys.executable, "-c", told],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    same, _, shown = done.stdout.strip().partition(" ")
    assert (same, shown) == ("True", repr(_settings(tmp_path, SHORT)))
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.requirement("XC-07")
def test_the_settings_on_the_page_of_the_lanes_are_settings(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```", LANES, re.DOTALL | re.MULTILINE)
    assert _settings(tmp_path, text).ocr == OcrSettings(languages=("deu", "eng"), models="/srv/ocr-models")


@pytest.mark.parametrize(
    "text",
    ["worker = 4", 'workers = "four"', "[ocr]\nlanguage = []", "workers = ", 'share = "nobody"', "[limits]\nx = 1"],
)
def test_what_the_page_does_not_have_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        _settings(tmp_path, text)
