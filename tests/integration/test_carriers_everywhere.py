"""One definition of `download`, `upload` and `wait`: the same answer and the same hooks on every surface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool
from tests.support.couriers import QUICK, Scripted, Shelf, settings_for
from tests.support.tools import Remembering, caller, runner_of

from eyeline.app.courier import Courier
from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.integrations.openai import as_openai_tools
from eyeline.mcp.errors import as_tool_result
from eyeline.model.carrying import Checked, Standing
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.carrying import courier_tools
from eyeline.wire import to_plain


@pytest.mark.requirement("VF-10", "VF-14")
def test_each_tool_answers_the_same_in_python_over_mcp_and_to_agents(tmp_path: Path) -> None:
    with HostileWeb() as web:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("download", {"url": web.url("/plain"), "path": "{surface}.txt"}),
            ("download", {"url": web.url("/status?is=404"), "path": "{surface}.bin"}),
            ("upload", {"path": "{surface}.txt", "sink": "shelf"}),
            ("wait", {"condition": "ready", "subject": "{surface}"}),
            ("wait", {"condition": "steady"}),
        ]
        told = {surface: _told(tmp_path, web, calls, surface=surface) for surface in ("python", "mcp", "agents")}
    assert told["python"] == told["mcp"] == told["agents"]
    assert [len(answers) for answers in told.values()] == [len(calls)] * 3


def _told(base: Path, web: HostileWeb, calls: list[tuple[str, dict[str, Any]]], *, surface: str) -> list[Any]:
    """Every answer as plain data, without what differs by its nature: the name of the file, and passed time."""
    hook = Remembering()
    conditions = [Scripted([Checked(Standing.MET, "done")])]
    courier = Courier(base, allow_urls=True, sinks=[Shelf()], conditions=conditions, settings=settings_for(web))
    assert courier.settings.wait == QUICK
    runner = runner_of(*courier_tools(courier), hooks=(hook,))
    answers: list[Any] = []
    for name, arguments in calls:
        own = {key: value.format(surface=surface) for key, value in arguments.items()}
        if surface == "mcp":
            answers.append(json.loads(_over_mcp(runner, name, own)))
        elif surface == "agents":
            result = as_anthropic_tools(runner).run(name, own, tool_use_id="toolu_1")
            answers.append(json.loads(result["content"][0]["text"]))
        else:
            outcome = runner.run(name, own, context=caller(surface=surface))
            if outcome.error is not None:
                answers.append(outcome.error.to_plain())
            else:
                answers.append(to_plain(outcome.value))
    assert hook.heard.count("after_call") == len(calls)
    for answer in answers:
        answer.pop("waited_ms", None)
    return json.loads(json.dumps(answers).replace(surface, "it"))


def _over_mcp(runner: ToolRunner, name: str, arguments: dict[str, Any]) -> str:
    """The one text that a client gets from a server whose tools are these; a refusal is marked as an error."""

    async def call(_request: Any, params: CallToolRequestParams) -> CallToolResult:
        outcome = await runner.run_async(params.name, params.arguments or {}, context=caller(surface="mcp"))
        return CallToolResult(content=outcome.presented) if outcome.error is None else as_tool_result(outcome.error)

    async def listed(_request: Any, _params: Any) -> ListToolsResult:
        tools = runner.tools.on("mcp")
        return ListToolsResult(
            tools=[Tool(name=tool.name, input_schema=tool.describe()["input_schema"]) for tool in tools]
        )

    async def talk() -> CallToolResult:
        async with Client(Server[Any]("carrying", on_list_tools=listed, on_call_tool=call)) as client:
            return await client.call_tool(name, arguments)

    answer = anyio.run(talk)
    (block,) = answer.content
    assert isinstance(block, TextContent)
    assert bool(answer.is_error) == ("code" in json.loads(block.text))
    return block.text


def test_every_provider_gets_schemas_of_these_tools(tmp_path: Path) -> None:
    registry = runner_of(*courier_tools(Courier(tmp_path, allow_urls=True, sinks=[Shelf()]))).tools
    for schemas in (as_anthropic_tools(registry).schemas, as_openai_tools(registry).schemas):
        names = [schema.get("name") or schema["function"]["name"] for schema in schemas]
        assert names == ["download", "upload", "wait"]
