"""The README is true: its program and its commands are run as they stand, and each of its links leads somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.homes import fill_inbox

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _block(first: str, *, info: str) -> str:
    """The fenced block that begins with these words."""
    blocks = re.findall(rf"^```{info}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if block.startswith(first))


def _run(command: list[str], place: Path) -> str:
    variables = {"HOME": str(place), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=place, env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


@pytest.mark.requirement("XC-07")
def test_the_program_of_the_readme_runs_as_it_stands(tmp_path: Path) -> None:
    fill_inbox(tmp_path / "inbox")
    program = _block("from eyeline", info="python")
    told = _run([sys.executable, "-c", f"{program}\nprint(opened.content_manifest[0].origin, len(blocks))"], tmp_path)
    assert told.split()[0] in ("original", "agent_rendition")
    assert int(told.split()[1]) >= 3


@pytest.mark.requirement("XC-07")
def test_the_commands_of_the_readme_run_as_they_stand(tmp_path: Path) -> None:
    fill_inbox(tmp_path / "inbox")
    lines = _block("eyeline ingest", info="sh").splitlines()
    told = [_run([sys.executable, "-m", *shlex.split(line.replace("~", str(tmp_path)))], tmp_path) for line in lines]
    assert "PX-4417" in told[1]
    assert sorted(path.name for path in (tmp_path / "seen").iterdir())[:2] == ["01-overview.png", "02-detail.png"]
    assert (tmp_path / "shown" / "manifest.json").exists()


@pytest.mark.requirement("XC-07")
def test_what_make_is_asked_for_is_there_and_does_what_is_said() -> None:
    does = {"make demo": "/eyeline demo", "make test": "-m pytest -n"}
    assert _block("make demo", info="sh").splitlines() == list(does)
    for command, done in does.items():
        told = subprocess.run([*shlex.split(command), "-n"], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done in told.stdout


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
    assert len(README.splitlines()) < 150
