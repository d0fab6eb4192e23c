"""The layers hold, and each contract that holds them fails when its rule is broken."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.meta.tree import ROOT, SOURCES

CONFIG = ROOT / ".importlinter"

BREACHES: dict[str, list[dict[str, str]]] = {
    "layers": [{"model/extra.py": "import eyeline.toolkit.extra", "toolkit/extra.py": ""}, {"nowhere.py": ""}],
    "access": [
        {"request/worlds.py": "import eyeline.request.layout\nimport eyeline.request.attachments"},
        {"request/objects.py": "import eyeline.request.worlds"},
    ],
    "acyclic": [{"model/one.py": "import eyeline.model.two", "model/two.py": "import eyeline.model.one"}],
    "pure": [{"model/extra.py": "import os"}, {"model/extra.py": "from pathlib import Path"}],
    "codecs": [{"render/extra.py": "import PIL.Image"}, {"convert/extra.py": "def late():\n    import pypdfium2"}],
    "sql": [{"store/extra.py": "import sqlite3"}, {"operations/extra.py": "from sqlalchemy import select"}],
    "schemas": [{"toolkit/extra.py": "import pydantic"}],
    "network": [{"convert/extra.py": "import httpx2"}, {"operations/extra.py": "import socket"}],
    "mcp": [{"presenters/extra.py": "import mcp"}],
    "terminal": [{"operations/extra.py": "import click"}, {"tools/extra.py": "from rich.table import Table"}],
    "web": [{"presenters/extra.py": "import jinja2"}],
    "bridge": [{"request/describing.py": "import eyeline.request.worlds"}],
    "carrying": [
        {"operations/wait.py": "import eyeline.catalog"},
        {"source/writing.py": "import eyeline.catalog.audit"},
    ],
    "verbs": [{"operations/find.py": "import eyeline.operations.show", "operations/show.py": ""}],
    "channels": [{"presenters/extra.py": "import eyeline.store"}, {"presenters/extra.py": "import eyeline.settings"}],
    "frameworks": [
        {"tools/extra.py": "import langchain_core"},
        {"integrations/langchain.py": "import pydantic_ai"},
        {"integrations/anthropic.py": "import anthropic"},
    ],
    "integrations": [{"integrations/gemini.py": "import eyeline.integrations.openai"}],
    "storeless": [
        {"operations/viewing/extra.py": "import eyeline.store"},
        {"render/text_parts.py": "import eyeline.store"},
    ],
    "presenters": [{"presenters/openai.py": "import eyeline.presenters.text", "presenters/text.py": ""}],
}
"""Contract by contract the ways to break it: files to add to the package, with their text."""


def contracts() -> list[str]:
    parser = configparser.ConfigParser()
    parser.read(CONFIG, encoding="utf-8")
    prefix = "importlinter:contract:"
    return [section.removeprefix(prefix) for section in parser.sections() if section.startswith(prefix)]


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo", *options, str(CONFIG)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_the_layers_hold() -> None:
    answer = lint(SOURCES.parent)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_contract_has_a_breach_here() -> None:
    assert sorted(BREACHES) == sorted(contracts())


@pytest.mark.parametrize(
    ("contract", "files"),
    [
        pytest.param(name, files, id=f"{name}-{number}")
        for name, breaches in BREACHES.items()
        for number, files in enumerate(breaches, 1)
    ],
)
def test_a_contract_fails_when_its_rule_is_broken(contract: str, files: dict[str, str], tmp_path: Path) -> None:
    package = tmp_path / "eyeline"
    shutil.copytree(SOURCES, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in files.items():
        target = package / name
        target.parent.mkdir(exist_ok=True)
        (target.parent / "__init__.py").touch()
        target.write_text(text + "\n", encoding="utf-8")
    answer = lint(tmp_path, "--contract", contract)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "1 broken" in answer.stdout, answer.stdout + answer.stderr
    assert "eyeline" in answer.stdout.partition("Broken contracts")[2], answer.stdout
