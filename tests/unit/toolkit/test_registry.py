"""Tools as a collection and as data."""

from __future__ import annotations

import json

import jsonschema
import pytest
from tests.support.tools import counting_tool

from eyeline.errors import ConfigError, ToolNotFound
from eyeline.toolkit.registry import ToolRegistry


@pytest.mark.requirement("VF-11")
def test_tools_are_listed_as_data_in_the_order_of_their_names() -> None:
    last = counting_tool(name="z", identity="tests/z@1", surfaces=frozenset({"http"}), presenters={})
    listed = ToolRegistry([last, counting_tool()]).describe()
    assert json.loads(json.dumps(listed)) == listed
    assert [tool["name"] for tool in listed] == ["count", "z"]
    first = listed[0]
    assert first["identity"] == "tests/count@1"
    assert first["description"] == "Counts letters."
    assert first["surfaces"] == ["mcp", "python"]
    assert first["annotations"] == {
        "title": "Count",
        "read_only": True,
        "idempotent": True,
        "open_world": False,
        "destructive": False,
    }
    assert first["input_schema"]["properties"]["text"]["description"] == "What to count in."
    assert first["input_schema"]["additionalProperties"] is False
    assert first["output_schema"]["required"] == ["letters"]


@pytest.mark.requirement("VF-11")
def test_both_schemas_are_schemas_of_the_draft_that_hosts_read() -> None:
    for tool in ToolRegistry([counting_tool()]).describe():
        jsonschema.Draft202012Validator.check_schema(tool["input_schema"])
        jsonschema.Draft202012Validator.check_schema(tool["output_schema"])
        jsonschema.validate({"text": "a", "paths": ["b"], "window": {"start": 0, "end": 1}}, tool["input_schema"])


@pytest.mark.requirement("VF-11")
def test_a_name_or_an_identity_that_is_there_already_is_refused() -> None:
    with pytest.raises(ConfigError):
        ToolRegistry([counting_tool(), counting_tool(identity="tests/other@1")])
    with pytest.raises(ConfigError):
        ToolRegistry([counting_tool(), counting_tool(name="other")])


def test_a_tool_that_is_not_offered_here_looks_like_one_that_does_not_exist() -> None:
    tools = ToolRegistry([counting_tool()])
    with pytest.raises(ToolNotFound) as elsewhere:
        tools.get("count", surface="http")
    with pytest.raises(ToolNotFound) as nowhere:
        tools.get("ghost", surface="http")
    assert elsewhere.value.detail == nowhere.value.detail == {"tools": []}
    assert [tool.name for tool in tools.on("mcp")] == ["count"]
    assert tools.describe("http") == []
    assert len(tools) == 1
