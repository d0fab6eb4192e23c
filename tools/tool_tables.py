"""Regions of docs/reference/tools.md: the tools as their definitions have them, and the values in their answers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from markdown import code, table

from eyeline import Eyeline
from eyeline.app.courier import Courier
from eyeline.model.carrying import Checked, Standing
from eyeline.model.media_type import MediaType
from eyeline.tools.building import build_tools
from eyeline.tools.carrying import courier_tools

BOUNDS = {"minimum": "at least {}", "maximum": "at most {}", "maxLength": "up to {} characters", "maxItems": "up to {}"}
"""Bounds of a JSON Schema, in words."""


def tools() -> str:
    """Every tool: identity, hints, description, inputs."""
    return "\n".join(part for tool in _described() for part in _tool(tool))


def values() -> str:
    """Every value that stands in an answer, by name."""
    found: dict[str, Any] = {}
    for tool in _described():
        schema = tool["output_schema"]
        found |= schema.get("$defs", {}) | {schema["title"]: schema}
    return "\n".join(part for name in sorted(found) for part in _shown(name, found[name]))


class _Archive:
    """A sink, so that there are uploads to describe."""

    name = "archive"

    def put(self, stream: BinaryIO, *, name: str, media_type: MediaType, byte_count: int) -> str:
        del stream, media_type, byte_count
        return name


class _Filed:
    """A condition, so that there is something to wait for."""

    name = "filed"

    def check(self, subject: str) -> Checked:
        return Checked(Standing.MET, subject)


def _described() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as home, Eyeline(home) as eye:
        courier = Courier(home, allow_urls=True, sinks=[_Archive()], conditions=[_Filed()])
        carrying = [tool.describe() for tool in courier_tools(courier)]
        return [*build_tools(eye).describe(), *carrying]


def _tool(tool: dict[str, Any]) -> Iterator[str]:
    yield f"## {tool['name']}\n"
    hints = ", ".join(f"{name} {_word(value)}" for name, value in tool["annotations"].items())
    yield f"Identity `{tool['identity']}`; {hints}; on {', '.join(tool['surfaces'])}.\n"
    yield f"```text\n{tool['description']}\n```\n"
    yield table("input | type | required | bounds | is", _inputs(tool["input_schema"]))
    yield f"Answers with `{tool['output_schema']['title']}`.\n"


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"*{value}*"


def _inputs(schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, field in schema["properties"].items():
        required = "required" if name in schema.get("required", ()) else _default(field)
        yield code(name), _type(field), required, _bounds(field), field["description"]


def _default(field: dict[str, Any]) -> str:
    value = field.get("default")
    return "" if value in (None, "", []) else f"else {code(value)}"


def _bounds(field: dict[str, Any]) -> str:
    stated = field | next(iter(field.get("anyOf", ())), {})
    return ", ".join(words.format(stated[bound]) for bound, words in BOUNDS.items() if bound in stated)


def _type(field: dict[str, Any]) -> str:
    """The type of a field in words; a value of its own is a link to its table."""
    kinds = [each for each in field.get("anyOf", ()) if each.get("type") != "null"]
    if kinds:
        return " or ".join(map(_type, kinds))
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}" if "items" in field else "list"
    if "const" in field:
        return code(field["const"])
    if isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(field['additionalProperties'])}"
    return {"string": "text", "integer": "whole number", "number": "number", "boolean": "yes or no"}[field["type"]]


def _shown(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield " ".join(schema.get("description", "").split()) + "\n"
    if "enum" in schema:
        yield ", ".join(map(code, schema["enum"])) + "\n"
    else:
        required = schema.get("required", ())
        rows = (
            (code(each), _type(field), "" if each in required else "yes")
            for each, field in schema["properties"].items()
        )
        yield table("field | type | may be left out", rows)


REGIONS = {"tools": tools, "values": values}
