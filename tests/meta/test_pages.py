"""Pages are true: generated regions say what the program says, and every example is run by a test named here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest
from tests.meta.tree import ROOT, TESTS, modules
from tests.support.cli import WAIT_S, environment

STORES = "test_store_survives.py::test_the_layout_is_what_the_documentation_says_and_its_command_verifies_it"
EXAMPLES = {
    "README.md": {
        "make demo": "test_readme.py::test_what_make_is_asked_for_is_there_and_does_what_is_said",
        "eyeline ingest ~/inbox": "test_readme.py::test_the_commands_of_the_readme_run_as_they_stand",
        "claude mcp add": "test_documented_hosts.py::test_what_a_host_is_told_to_run_is_a_server",
        "from eyeline import": "test_readme.py::test_the_program_of_the_readme_runs_as_it_stands",
    },
    "docs/agents.md": dict.fromkeys(
        (
            '"""An agent on Anthropic',
            '"""An agent on OpenAI',
            '"""An agent on Chat Completions',
            '"""An agent on Google',
            '"""An agent of Pydantic AI',
            '"""An agent of LangChain',
        ),
        "test_agents.py::test_the_page_shows_the_file_that_is_run",
    ),
    "docs/attachments.md": {
        "import tempfile": "test_documented_attachments.py::test_the_page_shows_the_file",
        "eyeline attach": "test_documented_attachments.py::test_the_commands_of_the_page_run_as_they_stand",
    },
    "docs/viewing.md": {
        "import tempfile": "test_documented_viewing.py::test_the_page_shows_the_file",
    },
    "docs/providers.md": {
        "import tempfile": "test_documented_providers.py::test_the_page_shows_the_file",
    },
    "docs/carrying.md": {
        "import tempfile": "test_documented_carrying.py::test_the_page_shows_the_file",
    },
    "docs/format.md": {
        "find blobs/v1/sha256": STORES,
    },
    "docs/lanes.md": {
        "[ocr]": "test_documented_settings.py::test_the_settings_on_the_page_of_the_lanes_are_settings",
        "import tempfile": "test_documented_lanes.py::test_the_page_shows_the_file",
    },
    "docs/mcp.md": {
        "claude mcp add": "test_documented_hosts.py::test_what_a_host_is_told_to_run_is_a_server",
        "[mcp_servers": "test_documented_hosts.py::test_what_a_host_is_told_to_run_is_a_server",
        '{"servers"': "test_documented_hosts.py::test_what_a_host_is_told_to_run_is_a_server",
        '{"mcpServers"': "test_documented_hosts.py::test_what_a_host_is_told_to_run_is_a_server",
    },
    "docs/office.md": {
        "import tempfile": "test_documented_office.py::test_the_page_shows_the_file",
    },
    "docs/reference/settings.md": {
        "workers = 4": "test_documented_settings.py::test_the_short_file_and_the_program_say_the_same",
        "from eyeline import": "test_documented_settings.py::test_the_short_file_and_the_program_say_the_same",
        "unroutable": "test_documented_settings.py::test_the_file_of_all_defaults_changes_nothing",
    },
    "docs/requests.md": {
        "import tempfile": "test_documented_requests.py::test_the_page_shows_the_file",
        "eyeline prepare": "test_documented_requests.py::test_the_command_of_the_page_runs_as_it_stands",
    },
    "docs/toolkit.md": {
        "from dataclasses": "test_documented_example.py::test_the_page_shows_the_file",
    },
}
"""Page by page how each example begins, and the test that runs it."""


def _blocks() -> list[tuple[str, str, str]]:
    """Page, language and text of every fenced block in the README and below docs/."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        (page.relative_to(ROOT).as_posix(), language, text)
        for page in pages
        for language, text in re.findall(r"^```(.*)\n((?s:.*?))^```$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def _tests_of_claims() -> set[str]:
    """`file::name` of every test that is marked as proving what a page claims."""
    return {
        f"{module.path.rpartition('/')[2]}::{node.name}"
        for module in modules(folder=TESTS)
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef) and any("XC-07" in ast.unparse(each) for each in node.decorator_list)
    }


def test_the_generated_pages_are_what_would_be_written_now() -> None:
    command = [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, check=False, env=environment(), timeout=WAIT_S)
    assert (done.returncode, done.stderr) == (0, b"")


def test_every_block_says_what_it_is() -> None:
    assert {language for _, language, _ in _blocks()} <= {"text", "sh", "python", "toml", "json"}


@pytest.mark.requirement("XC-07")
def test_every_example_is_run_by_a_test_and_every_named_test_is_there() -> None:
    proving = _tests_of_claims()
    for page, language, text in _blocks():
        if language != "text":
            (test,) = (test for begin, test in EXAMPLES.get(page, {}).items() if text.startswith(begin))
            assert test in proving, f"{page}: {test} does not carry XC-07"


def test_no_test_is_named_for_an_example_that_is_gone() -> None:
    shown = [(page, text) for page, _, text in _blocks()]
    gone = [
        (page, begin)
        for page, named in EXAMPLES.items()
        for begin in named
        if not any(each == page and text.startswith(begin) for each, text in shown)
    ]
    assert gone == []


def test_every_link_between_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_link_inside_a_page_leads_to_a_heading() -> None:
    broken: list[str] = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        heads = {
            re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-")
            for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        }
        broken += [f"{page.name}: {link}" for link in re.findall(r"\]\(#([^)]+)\)", text) if link not in heads]
    assert broken == []
