"""Whatever a page tells an agent host to run is a server: it is started as it stands, and answers."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.meta.tree import ROOT
from tests.support.cli import environment

BOUND_S = 60
PAGES = ("README.md", "docs/mcp.md")


def _commands(value: object) -> Iterator[list[str]]:
    """Every `command` with its `args` in plain data."""
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        if "command" in held:
            yield [held["command"], *held["args"]]
        for each in held.values():
            yield from _commands(each)


def _told() -> Iterator[tuple[str, list[str]]]:
    """What the pages tell hosts to run, each with where it stands."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for language, block in re.findall(r"^```(sh|json|toml)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if language == "sh":
                lines = [line for line in block.splitlines() if " -- " in line]
                yield from ((page, shlex.split(line.partition(" -- ")[2])) for line in lines)
            else:
                read = json.loads if language == "json" else tomllib.loads
                yield from ((page, command) for command in _commands(read(block)))


def test_the_pages_tell_each_host() -> None:
    assert [page for page, _ in _told()] == ["README.md", *["docs/mcp.md"] * 4]


@pytest.mark.requirement("XC-07")
@pytest.mark.parametrize("command", sorted({tuple(command) for _, command in _told()}), ids=" ".join)
def test_what_a_host_is_told_to_run_is_a_server(command: tuple[str, ...], tmp_path: Path) -> None:
    program, *arguments = command
    assert program == "eyeline"
    place = environment(EYELINE_HOME=str(tmp_path / "home"))
    server = StdioServerParameters(command=sys.executable, args=["-m", "eyeline", *arguments], env=place)

    async def meet() -> list[str]:
        with (tmp_path / "log").open("w") as log, anyio.fail_after(BOUND_S):
            async with Client(stdio_client(server, errlog=log)) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(meet) == ["find", "read", "source_open"]
    assert (tmp_path / "home" / "catalog.sqlite").is_file()
