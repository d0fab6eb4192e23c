"""One definition of `view_file`, every surface: the same records and the same hashes under the same answer limit."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.server import MCPServer
from tests.support.cli import invoke, run
from tests.support.mcp_wire import Wire, wired

from eyeline import Eyeline, Settings, Viewer
from eyeline.integrations.anthropic import as_anthropic_tools
from eyeline.mcp.mounting import mount_view_file
from eyeline.mcp.server import build_server
from eyeline.model.limits import MCP_ANSWER
from eyeline.model.viewing import ViewLimits
from eyeline.source.path import FileBoundary, OpenedFile
from eyeline.source.url import ArrivingUrl, UrlSource
from eyeline.testing.media import make_digital_pdf, make_dimension_bomb, make_photo
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.hooks import ToolEvent, ToolHooks
from eyeline.toolkit.outcome import ToolOutcome
from eyeline.toolkit.registry import ToolRegistry
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.building import tool_runner
from eyeline.tools.view_file import view_file
from eyeline.wire import to_plain

BATCH = [
    *("good.jpg", "missing.png", "http://10.0.0.1/x.png", "bomb.png", "note.txt", "paper.pdf", "odd.png"),
]
BROKEN = ["note.txt", "http://10.0.0.1/x.png"]
ADDRESS = "10.20.30.40:8080"
SERVE = (
    "import sys; from pathlib import Path; from eyeline import Eyeline; from eyeline.mcp.server import serve_stdio; "
    "eye = Eyeline(sys.argv[1]); "
    "serve_stdio(eye, viewer=eye.viewer(Path(sys.argv[1]).parent / 'base', allow_urls=True))"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base folder of every kind of item; a home lies beside it."""
    folder = tmp_path_factory.mktemp("place")
    base = folder / "base"
    base.mkdir()
    (base / "good.jpg").write_bytes(make_photo(2400, 1800))
    (base / "bomb.png").write_bytes(make_dimension_bomb())
    (base / "note.txt").write_text("three words here\n")
    (base / "paper.pdf").write_bytes(make_digital_pdf(pages=6))
    (base / "odd.png").write_bytes(b"\x00\x01\x02\x03" * 64)
    return folder


@pytest.fixture(scope="module")
def eye(place: Path) -> Generator[Eyeline]:
    with Eyeline(place / "home") as opened:
        yield opened


@pytest.fixture(scope="module")
def report(place: Path, eye: Eyeline) -> dict[str, Any]:
    """The report that Python gives under the limit of MCP."""
    return to_plain(eye.viewer(place / "base", allow_urls=True).view(*BATCH, answer=MCP_ANSWER).report)


@pytest.fixture(scope="module")
def line(place: Path) -> Generator[tuple[Wire, bytes]]:
    """The raw line that answers the batch over MCP."""
    with wired(place / "home", script=SERVE) as wire:
        request = wire.send("tools/call", name="view_file", arguments={"paths": BATCH})
        yield wire, wire.raw_answer(request)


def hashes_of(blocks: list[dict[str, Any]]) -> list[str]:
    """The digests of what the blocks of an answer hold, pictures decoded; header and labels are left out."""
    natives = blocks[1:][1::2]
    data = [
        base64.b64decode(block["data"]) if block["type"] == "image" else block["text"].encode() for block in natives
    ]
    return [f"sha256:{hashlib.sha256(each).hexdigest()}" for each in data]


def digests(report: dict[str, Any]) -> list[str]:
    return [entry["digest"] for entry in report["content_manifest"]]


@pytest.mark.requirement("VF-02", "VF-10", "SA-23")
def test_mcp_and_the_command_line_give_the_records_of_python(
    place: Path, report: dict[str, Any], line: tuple[Wire, bytes]
) -> None:
    assert [item["code"] for item in report["items"]] == [
        *("shown", "path_refused", "address_refused", "over_pixels", "shown", "shown_in_part", "unknown_type"),
    ]
    result = json.loads(line[1])["result"]
    assert json.loads(result["content"][0]["text"]) == report
    assert hashes_of(result["content"]) == digests(report)
    base = str(place / "base")
    done = run(place / "home", "view", *BATCH, "--base-dir", base, "--on-mcp", "--json")
    assert (done.code, done.answer) == (3, report)


@pytest.mark.requirement("VF-12")
def test_over_mcp_each_payload_travels_once_and_nothing_is_structured(line: tuple[Wire, bytes]) -> None:
    wire, answer = line
    result = json.loads(answer)["result"]
    pictures = [block["data"] for block in result["content"] if block["type"] == "image"]
    assert len(pictures) == 5
    assert [answer.count(data.encode()) for data in pictures] == [1] * 5
    assert result.get("structuredContent") is None
    listed = {tool["name"]: tool for tool in wire.ask("tools/list")["result"]["tools"]}
    assert "outputSchema" not in listed["view_file"]
    assert len(answer) < MCP_ANSWER.max_bytes


@pytest.mark.requirement("VF-05")
def test_a_batch_of_which_nothing_came_about_is_an_error_over_mcp(line: tuple[Wire, bytes]) -> None:
    result = line[0].call("view_file", paths=["missing.png", ".env"])
    assert result["isError"] is True
    assert [item["code"] for item in json.loads(result["content"][0]["text"])["items"]] == ["path_refused", "hidden"]


@pytest.mark.requirement("VF-10")
def test_a_list_that_is_sent_as_text_is_refused_with_a_hint_and_one_path_may_come_alone(
    line: tuple[Wire, bytes],
) -> None:
    refused = line[0].call("view_file", paths='["good.jpg", "note.txt"]')
    assert refused["isError"] is True
    error = json.loads(refused["content"][0]["text"])
    assert (error["code"], error["detail"]["field"]) == ("invalid_request", "paths")
    assert not line[0].call("view_file", paths="note.txt").get("isError")


class Journal(ToolHooks):
    """Keeps how each call ended."""

    def __init__(self) -> None:
        self.events: list[ToolEvent] = []

    def after_call(self, event: ToolEvent) -> None:
        self.events.append(event)


@pytest.mark.requirement("VF-01", "VF-10")
def test_agents_get_the_same_parts_and_hooks_hear_of_each_call_once(
    place: Path, eye: Eyeline, report: dict[str, Any]
) -> None:
    journal = Journal()
    runner = tool_runner(eye, viewer=eye.viewer(place / "base", allow_urls=True), hooks=[journal])
    tools = as_anthropic_tools(runner, answer=MCP_ANSWER)
    assert "view_file" in {schema["name"] for schema in tools.schemas}
    content = tools.run("view_file", {"paths": BATCH}, tool_use_id="one")["content"]
    assert json.loads(content[0]["text"]) == report
    natives = content[1:][1::2]
    assert [
        f"sha256:{hashlib.sha256(base64.b64decode(block['source']['data'])).hexdigest()}"
        for block in natives
        if block["type"] == "image"
    ] == [entry["digest"] for entry in report["content_manifest"] if entry["content_kind"] == "picture"]
    context = ToolContext(principal="ada", surface="python", answer_limit=asdict(MCP_ANSWER))
    outcome: ToolOutcome[Any] = runner.run("view_file", {"paths": BATCH}, context=context)
    assert to_plain(outcome.result().report) == report
    assert [to_plain(event.value.report) for event in journal.events] == [report, report]


@pytest.mark.requirement("VF-01")
def test_the_tool_is_an_ordinary_definition_whose_presenter_can_be_replaced(place: Path, eye: Eyeline) -> None:
    runner = tool_runner(eye, viewer=eye.viewer(place / "base"))
    tool = runner.tools.get("view_file", surface="mcp")
    told = tool.describe()
    assert told["identity"] == "eyeline/view_file@1"
    assert told["annotations"]["read_only"]
    assert told["annotations"]["open_world"]
    assert "report" in json.dumps(told["output_schema"])
    assert {"mcp", "python", "agents"} <= set(told["surfaces"])
    replaced = tool.with_presenter("mcp", lambda viewed: viewed.report.items[0].code)
    assert replaced.presenters["mcp"](eye.viewer(place / "base").view("note.txt")) == "shown"


@pytest.mark.requirement("VF-03")
def test_the_tool_tells_how_long_a_batch_may_be_by_the_settings_of_its_viewer(place: Path, eye: Eyeline) -> None:
    async def listed(viewer: Viewer) -> str:
        server = MCPServer("raw")
        mount_view_file(server, viewer)
        async with Client(server) as client:
            return (await client.list_tools()).model_dump_json()

    settings = Settings(view=replace(ViewLimits(), max_items=17))
    with Viewer(place / "base", settings=settings) as viewer:
        tool = tool_runner(eye, viewer=viewer).tools.get("view_file", surface="mcp")
        for told in (json.dumps(tool.describe()), anyio.run(listed, viewer)):
            assert "1 to 17 of them" in told
            assert "1 to 20" not in told


@pytest.mark.requirement("VF-02", "VF-09")
def test_the_raw_tool_delivers_content_only_and_one_line_for_each_item_that_failed(
    place: Path, report: dict[str, Any]
) -> None:
    async def talk() -> tuple[Any, Any]:
        with Viewer(place / "base", allow_urls=True) as viewer:
            server = MCPServer("raw")
            mount_view_file(server, viewer)
            async with Client(server) as client:
                return (await client.list_tools()).tools, await client.call_tool("view_file", {"paths": BATCH})

    (listed, answer) = anyio.run(talk)
    assert [(tool.name, tool.output_schema) for tool in listed] == [("view_file", None)]
    assert answer.structured_content is None
    assert not answer.is_error
    lines = [block.text for block in answer.content if block.type == "text" and re.match(r"\d\. ", block.text)]
    assert len(lines) == len(BATCH)
    failed = [text for text in lines if ": failed, " in text]
    assert [text.split(": failed, ")[1].split(":")[0] for text in failed] == [
        *("path_refused", "address_refused", "over_pixels"),
    ]
    pictures = [base64.b64decode(block.data) for block in answer.content if block.type == "image"]
    assert [f"sha256:{hashlib.sha256(data).hexdigest()}" for data in pictures] == [
        entry["digest"] for entry in report["content_manifest"] if entry["content_kind"] == "picture"
    ]


def by_python(place: Path) -> str:
    with Viewer(place / "base", allow_urls=True) as viewer:
        batch = viewer.view(*BROKEN)
    return json.dumps([to_plain(batch.report), batch.to_anthropic()])


def by_the_command_line(place: Path) -> str:
    base = str(place / "base")
    done = [invoke(place / "home", "view", *BROKEN, "--base-dir", base, *more) for more in ([], ["--json"])]
    assert [each.exit_code for each in done] == [3, 3]
    return "".join(each.output for each in done)


def by_managed_mcp(place: Path) -> str:
    async def talk(eye: Eyeline) -> str:
        viewer = eye.viewer(place / "base", allow_urls=True)
        async with Client(build_server(eye, viewer=viewer)) as client:
            return (await client.call_tool("view_file", {"paths": BROKEN})).model_dump_json()

    with Eyeline(place / "home") as eye:
        return anyio.run(talk, eye)


def by_raw_mcp(place: Path) -> str:
    async def talk(viewer: Viewer) -> str:
        server = MCPServer("raw")
        mount_view_file(server, viewer)
        async with Client(server) as client:
            return (await client.call_tool("view_file", {"paths": BROKEN})).model_dump_json()

    with Viewer(place / "base", allow_urls=True) as viewer:
        return anyio.run(talk, viewer)


def by_agents(place: Path) -> str:
    with Viewer(place / "base", allow_urls=True) as viewer:
        tools = as_anthropic_tools(ToolRunner(ToolRegistry([view_file(viewer)])), answer=MCP_ANSWER)
        return json.dumps(tools.run("view_file", {"paths": BROKEN}, tool_use_id="one"))


@pytest.mark.requirement("VF-13")
@pytest.mark.parametrize("surface", [by_python, by_the_command_line, by_managed_mcp, by_raw_mcp, by_agents])
def test_no_surface_tells_a_host_path_or_an_address(
    place: Path, monkeypatch: pytest.MonkeyPatch, surface: Callable[[Path], str]
) -> None:
    opens, asks = FileBoundary.open_inside, UrlSource.open

    def broken(boundary: FileBoundary, relative: str | bytes, *, repair: bool = False) -> OpenedFile:
        if relative == "note.txt":
            raise RuntimeError(f"{place}/base/{relative!s} has no lock at {ADDRESS}")
        return opens(boundary, relative, repair=repair)

    def unreachable(source: UrlSource, url: str, *, cancel: CancelToken) -> ArrivingUrl:
        if url == BROKEN[1]:
            raise RuntimeError(f"{ADDRESS} answers nothing of {place}")
        return asks(source, url, cancel=cancel)

    monkeypatch.setattr(FileBoundary, "open_inside", broken)
    monkeypatch.setattr(UrlSource, "open", unreachable)
    said = surface(place)
    assert "unexpected" in said
    assert "incident" in said
    for secret in (str(place), ADDRESS, "RuntimeError", "Traceback"):
        assert secret not in said


@pytest.mark.requirement("VF-03")
def test_the_command_line_writes_the_parts_and_an_account_of_them(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    base = str(place / "base")
    done = run(place / "home", "view", "good.jpg", "paper.pdf", "--base-dir", base, "--out", str(out))
    assert done.code == 0, done.err
    manifest = json.loads((out / "manifest.json").read_text())
    assert sorted(path.name for path in out.iterdir()) == sorted([*manifest["files"], "manifest.json"])
    for name, entry in zip(manifest["files"], manifest["content_manifest"], strict=True):
        assert f"sha256:{hashlib.sha256((out / name).read_bytes()).hexdigest()}" == entry["digest"]
    assert re.search(rb"the whole, scaled from \d+\S\d+ to \d+\S\d+ pixels", done.out)
