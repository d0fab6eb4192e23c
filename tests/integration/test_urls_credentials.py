"""A password in a URL, however that is written, is told by no surface: in no record, in no error, in no log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.server import MCPServer
from tests.support.cli import invoke
from tests.support.couriers import Calls

from eyeline import Eyeline, Viewer
from eyeline.app.courier import Courier
from eyeline.errors import InvalidRequest
from eyeline.integrations.litellm import from_litellm_messages
from eyeline.mcp.mounting import mount_view_file
from eyeline.wire import to_plain

SECRET = "hunter2"
FORMS = [
    "http://ada:hunter2@host.test/a.png",
    "HTTPS://hunter2@host.test/a.png",
    "http:///ada:hunter2@host.test/a.png",
    "http:/ada:hunter2@host.test/a.png",
    "http:ada:hunter2@host.test/a.png",
    "http:\\\\ada:hunter2@host.test\\a.png",
    "http:\\/\\/ada:hunter2@host.test/a.png",
    "  http://ada:hunter2@host.test/a.png",
    "\thttp://ada:hunter2@host.test/a.png",
    "http://ada:hunter2#x@host.test/a.png",
    "http://ada:hunter2?x@host.test/a.png",
    "http://ada:x/hunter2@host.test/a.png",
    "http://ada:x@y/hunter2@host.test/a.png",
    "http://ada:hun\nter2:hunter2@host.test/a.png",
    "http://ada:hunter2%40host.test/a.png",
    "http://ada%3Ahunter2%40host.test/a.png",
    "ftp://ada:hunter2@host.test/a.png",
    "//ada:hunter2@host.test/a.png",
    "\\\\ada:hunter2@host.test\\a.png",
]


def by_viewing(folder: Path) -> str:
    told: list[str] = []

    def tell(done: int, total: int, what: str) -> None:
        del done, total
        told.append(what)

    with Viewer(folder, allow_urls=True) as viewer:
        batch = viewer.view(*FORMS, progress=tell)
    assert len(batch.report.items) == len(FORMS)
    assert {item.code for item in batch.report.items} <= {"url_refused", "path_refused", "not_listed"}
    return json.dumps([to_plain(batch.report), told, batch.to_anthropic()])


def by_the_raw_tool(folder: Path) -> str:
    async def talk() -> str:
        with Viewer(folder, allow_urls=True) as viewer:
            server = MCPServer("raw")
            mount_view_file(server, viewer)
            async with Client(server) as client:
                return (await client.call_tool("view_file", {"paths": FORMS})).model_dump_json()

    return anyio.run(talk)


def by_the_command_line(folder: Path) -> str:
    said: list[str] = []
    for verb in (["view", "--base-dir", str(folder)], ["ingest"]):
        for also in ([], ["--json"]):
            done = invoke(folder / "home", *verb, *also, *FORMS)
            assert done.exit_code == 3, done.output
            said.append(done.output)
    return "".join(said)


def by_taking_in(folder: Path) -> str:
    with Eyeline(folder / "home") as eye:
        report = eye.ingest(*FORMS)
    assert len(report.items) == len(FORMS)
    return json.dumps(to_plain(report))


def by_downloading(folder: Path) -> str:
    calls = Calls(Courier(folder, allow_urls=True))
    outcomes = [calls.call("download", {"url": form, "path": "a.png"}) for form in FORMS]
    assert all(outcome.error is not None for outcome in outcomes)
    return repr([(outcome.error, outcome.error and outcome.error.to_plain()) for outcome in outcomes])


def by_attaching(folder: Path) -> str:
    said: list[str] = []
    with Eyeline(folder / "home") as eye:
        for form in FORMS:
            content: list[Any] = [{"type": "image_url", "image_url": {"url": form}}]
            with pytest.raises(InvalidRequest) as refused:
                from_litellm_messages([{"role": "user", "content": content}], store=eye.attachments)
            said.append(f"{refused.value!r} {refused.value.hint} {refused.value.detail}")
    return "".join(said)


@pytest.mark.requirement("VF-13")
@pytest.mark.parametrize(
    "surface", [by_viewing, by_the_raw_tool, by_the_command_line, by_taking_in, by_downloading, by_attaching]
)
def test_no_surface_tells_a_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, surface: Callable[[Path], str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        said = surface(tmp_path)
    assert "host.test" in said or surface is by_downloading
    assert SECRET not in said
    assert SECRET not in caplog.text


def test_what_is_no_url_keeps_its_name_though_it_has_an_at(tmp_path: Path) -> None:
    names = ("mail@host.png", "note: a@b.png", "a/b@2x.png", "C:\\a@b.png")
    with Viewer(tmp_path, allow_urls=True) as viewer:
        report = viewer.view(*names, "http://[bad/a.png").report
    assert tuple(item.source for item in report.items) == (*names, "http://[bad/a.png")
