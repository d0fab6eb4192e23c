"""What docs/mcp.md says is so."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, cast

from tests.meta.tree import ROOT, table_rows

from eyeline.mcp.renditions import TEMPLATE
from eyeline.model.limits import MCP_ANSWER
from eyeline.tools.find import Find
from eyeline.tools.read import Read
from eyeline.tools.source_open import SourceOpen
from eyeline.wire import schema_of

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands(value: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        if "command" in held:
            yield held["command"], held["args"]
        for each in held.values():
            yield from commands(each)


def test_every_registration_starts_the_same_server() -> None:
    settings = [json.loads(text) for text in blocks("json")] + [tomllib.loads(text) for text in blocks("toml")]
    assert len(settings) == 3
    assert [list(commands(each)) for each in settings] == [[("eyeline", ["mcp"])]] * 3


def test_the_inputs_of_each_tool_are_named() -> None:
    rows = {cells[0].strip("`"): cells[1] for cells in table_rows(PAGE) if len(cells) == 3}
    for name, kind in (("find", Find), ("read", Read), ("source_open", SourceOpen)):
        assert [each.rstrip("?") for each in re.findall(r"`(.*?)`", rows[name])] == list(schema_of(kind)["properties"])


def test_the_numbers_and_addresses_are_those_of_the_program() -> None:
    for number in (MCP_ANSWER.max_bytes, MCP_ANSWER.max_media_bytes, MCP_ANSWER.max_text_chars):
        assert f"{number:,}" in PAGE
    assert TEMPLATE.replace("{version_id}", "<version_id>").replace("{sha256}", "<sha256>") in PAGE
