"""What really stands on the wire: the raw lines of a server over standard input and output."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.bounded import below, zygotes
from tests.support.mcp_home import STRANGE, Sources, filled_home
from tests.support.mcp_wire import PRINCIPAL, WAIT_S, Wire, envelope, error, native, started, wired

from eyeline.app.eyeline import Eyeline
from eyeline.model.audit import AuditRecord
from eyeline.model.digest import Digest

MOST = 1_000_000
TEXT_CHARS = 24_000
NOBODY = "ver_" + "0" * 32
TRIES = 100_000


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return filled_home(tmp_path_factory.mktemp("wire"))


@pytest.fixture(scope="module")
def wire(sources: Sources) -> Generator[Wire]:
    with wired(sources.home) as connection:
        yield connection


def opened(wire: Wire, **arguments: object) -> tuple[bytes, dict[str, Any]]:
    """The raw line that answers a `source_open`, and the result in it."""
    line = wire.raw_answer(wire.send("tools/call", name="source_open", arguments=arguments))
    return line, json.loads(line)["result"]


def records(sources: Sources) -> list[AuditRecord]:
    """What the audit log holds, newest first."""
    with Eyeline(sources.home) as eye:
        return [entry.record for entry in eye.audit(limit=100).entries]


@pytest.mark.requirement("VF-12", "SA-13")
def test_each_picture_stands_on_the_wire_once_and_the_message_is_inside_the_bound(wire: Wire, sources: Sources) -> None:
    line, result = opened(wire, version_id=sources.noise, locator="xywh=percent:0,0,50,50")
    assert len(line) < MOST
    assert b"structuredContent" not in line
    pictures = [block for block in result["content"] if block["type"] == "image"]
    assert len(pictures) == 2
    for block in pictures:
        assert len(block["data"]) > 100_000
        assert line.count(block["data"].encode()) == 1
        assert line.count(block["data"][3000:3040].encode()) == 1
        assert "assistant" in block["annotations"]["audience"]
    manifest = envelope(result)["content_manifest"]
    assert [entry["role"] for entry in manifest] == ["overview", "detail"]
    assert [str(Digest.of(data)) for _, data in native(result)] == [entry["digest"] for entry in manifest]


def test_strange_text_is_cut_at_the_bound_and_goes_on_where_it_says(wire: Wire, sources: Sources) -> None:
    line, result = opened(wire, version_id=sources.strange)
    assert len(line) < MOST
    ((_, first),) = native(result)
    assert first.decode() == STRANGE[:TEXT_CHARS]
    (truncation,) = envelope(result)["truncation"]
    _, more = opened(wire, version_id=sources.strange, locator=truncation["continuation"])
    parts = [data.decode() for _, data in native(more)]
    assert parts[0] == STRANGE[TEXT_CHARS : 2 * TEXT_CHARS]


def test_derived_text_is_cut_at_the_bound_and_goes_on_where_it_says(wire: Wire, sources: Sources) -> None:
    result = wire.call("read", version_id=sources.strange)
    ((_, first),) = native(result)
    assert len(first.decode()) == TEXT_CHARS
    (truncation,) = envelope(result)["truncation"]
    assert truncation["continuation"].startswith(f"char={TEXT_CHARS},")
    ((_, rest),) = native(wire.call("read", version_id=sources.strange, start=TEXT_CHARS, end=TEXT_CHARS + 10))
    assert len(rest.decode()) == 10


def test_long_lists_of_sources_come_in_pages_that_together_name_each_once(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for number in range(40):
        (inbox / f"{number:02} {'long name ' * 15}.txt").write_text(f"turbine number {number} " + "and more " * 60)
    with Eyeline(tmp_path / "home") as eye:
        assert eye.ingest(inbox).complete
    for query in ("turbine", ""):
        names: list[str] = []
        with wired(tmp_path / "home") as wire:
            cursor: str | None = None
            while True:
                more = {} if cursor is None else {"cursor": cursor}
                text = wire.call("find", query=query, limit=100, **more)["content"][0]["text"]
                assert len(text) <= TEXT_CHARS
                found = json.loads(text)
                names += [passage["source"]["name"] for passage in found["passages"]]
                cursor = found.get("cursor")
                if cursor is None:
                    break
        assert (len(names), len(set(names))) == (40, 40)


@pytest.mark.requirement("SA-11", "VF-10")
@pytest.mark.parametrize("stray", [{"zoom": 2}, {"quality": "high"}, {"view": "page", "locator": "page=1"}])
def test_an_input_that_source_open_does_not_have_is_refused(
    wire: Wire, sources: Sources, stray: dict[str, object]
) -> None:
    refused = error(wire.call("source_open", version_id=sources.pdf, **stray))
    assert refused["code"] == "unknown_input"
    assert "version_id, representation_id, locator, accept" in refused["hint"]


def test_what_is_not_granted_looks_exactly_like_what_does_not_exist(sources: Sources) -> None:
    script = (
        "import sys; from eyeline import Eyeline, Principal; from eyeline.mcp.server import serve_stdio\n"
        "serve_stdio(Eyeline(sys.argv[1], principal=Principal('guest', frozenset({'default'}))))"
    )
    with wired(sources.home, script=script) as wire:
        for tool in ("source_open", "read"):
            hidden, absent = (wire.call(tool, version_id=each) for each in (sources.apart, NOBODY))
            assert hidden == absent
            assert envelope(hidden)["negative"]["code"] == "unknown_entity"
        for query in ("everybody", ""):
            assert "secret" not in wire.call("find", query=query)["content"][0]["text"]
        address = f"eyeline://rendition/%s/{Digest.of(b'').hex}"
        hidden, absent = (wire.ask("resources/read", uri=address % each) for each in (sources.apart, NOBODY))
        assert hidden["error"] == absent["error"]
        assert not envelope(wire.call("source_open", version_id=sources.text)).get("negative")


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    ("asked", "code", "extent"),
    [
        ("pdf page=4", "locator_out_of_range", "3"),
        ("picture xywh=pixel:0,0,500,10", "locator_out_of_range", "400"),
        ("text line=201", "locator_out_of_range", "200"),
        ("text char=99999,100000", "locator_out_of_range", '"extent": 4292'),
        ("text page=1", "locator_unsupported", "char"),
        ("picture t=1,2", "locator_unsupported", "xywh"),
        ("pdf page=one", "invalid_locator", "page="),
    ],
)
def test_a_locator_that_does_not_fit_is_a_typed_error_with_the_real_extent(
    wire: Wire, sources: Sources, *, asked: str, code: str, extent: str
) -> None:
    source, locator = asked.split()
    refused = error(wire.call("source_open", version_id=getattr(sources, source), locator=locator))
    assert refused["code"] == code
    assert extent in json.dumps({**refused, "message": ""})
    assert refused["retryable"] is False


@pytest.mark.requirement("SA-14")
def test_accept_is_obeyed_and_what_cannot_be_accepted_is_a_boundary_with_the_ways_out(
    wire: Wire, sources: Sources
) -> None:
    _, result = opened(wire, version_id=sources.picture, accept=["audio/*", "video/mp4"])
    boundary = envelope(result)["boundary"]
    assert boundary["code"] == "nothing_acceptable"
    assert "image/png" in boundary["members"]
    assert set(boundary["members"]) <= set(boundary["served"])
    assert len(result["content"]) == 1
    for media_type, signature in (("image/webp", b"RIFF"), ("image/jpeg", b"\xff\xd8"), ("image/png", b"\x89PNG")):
        _, result = opened(wire, version_id=sources.picture, accept=[media_type])
        ((_, data),) = native(result)
        assert data.startswith(signature)
        assert envelope(result)["content_manifest"][0]["media_type"] == media_type


@pytest.mark.requirement("SA-21")
def test_every_open_leaves_one_record_whatever_came_of_it(wire: Wire, sources: Sources) -> None:
    before = len(records(sources))
    _, result = opened(wire, version_id=sources.pdf, locator="page=1")
    opened(wire, version_id=NOBODY)
    opened(wire, version_id=sources.picture, accept=["audio/*"])
    opened(wire, version_id=sources.pdf, locator="page=9")
    link = next(block for block in result["content"] if block["type"] == "resource_link")
    wire.ask("resources/read", uri=link["uri"])
    again, failed, bounded, unknown, released = records(sources)[: len(records(sources)) - before]
    assert {(each.principal, each.surface, each.action.value) for each in (released, failed, unknown)} == {
        (PRINCIPAL, "mcp", "open")
    }
    assert [each.outcome.value for each in (released, unknown, bounded)] == ["released", "refused", "refused"]
    assert (unknown.code, bounded.code, failed.code) == (
        "unknown_entity",
        "nothing_acceptable",
        "locator_out_of_range",
    )
    delivered = [Digest.of(data) for _, data in native(result)]
    assert [part.digest for part in released.parts] == delivered
    assert (released.version_id, str(released.locator)) == (sources.pdf, "page=1")
    assert again.parts[0].digest == delivered[0]


def test_calls_run_at_the_same_time_and_each_gets_its_own_answer(wire: Wire, sources: Sources) -> None:
    asked: dict[int, tuple[str, str]] = {}
    for _ in range(3):
        for source in (sources.pdf, sources.picture, sources.text, NOBODY):
            request = wire.send("tools/call", name="source_open", arguments={"version_id": source})
            asked[request] = ("source_open", source)
    answers: dict[int, dict[str, Any]] = {}
    while len(answers) < len(asked):
        message = json.loads(wire.next_line())
        answers[message["id"]] = message["result"]
    for request, (_, source) in asked.items():
        answered = envelope(answers[request])
        assert answered.get("source", {"version_id": NOBODY})["version_id"] == source


def _waiting(server: int) -> int:
    """The one child of the server's zygote that waits for the next job, once there is no other."""
    for _ in range(TRIES):
        children = [child for zygote in zygotes(server) for child, _ in below(zygote)]
        if len(children) == 1:
            return children[0]
    raise AssertionError("the zygote does not settle")


def _state(pid: int) -> str:
    """The state of a process as in `/proc`; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.requirement("VF-10")
def test_a_cancelled_call_is_not_answered_and_its_decoder_is_gone(sources: Sources) -> None:
    with wired(sources.home) as wire:
        opened(wire, version_id=sources.picture, locator="xywh=pixel:0,0,50,50")
        job = _waiting(wire.process.pid)
        region = {"version_id": sources.noise, "locator": "xywh=percent:1,1,97,97", "accept": ["image/webp"]}
        request = wire.send("tools/call", name="source_open", arguments=region)
        assert any(_state(job) == "R" for _ in range(TRIES)), "the job does not begin"
        os.kill(job, signal.SIGSTOP)
        wire.notify("notifications/cancelled", requestId=request, reason="the user turned away")
        answer = wire.raw_answer(wire.send("tools/call", name="source_open", arguments={"version_id": sources.text}))
        assert "result" in json.loads(answer)
        assert any(_state(job) == "" for _ in range(TRIES))
        assert all(stray.get("id") != request for stray in wire.strays)
        wire.close()
    assert [each.code for each in records(sources)[:3]].count("cancelled") == 1


@pytest.mark.requirement("SA-21")
def test_an_answer_that_is_released_and_then_not_sent_is_completed_as_failed(wire: Wire, sources: Sources) -> None:
    script = (
        "import sys; from eyeline import Eyeline; from eyeline.mcp.server import serve_stdio\n"
        "from eyeline.toolkit.hooks import ToolHooks\n"
        "class Slow(ToolHooks):\n"
        "    def after_handle(self, call, value):\n"
        "        call.context.progress(2, message='released')\n"
        "        call.context.cancel.wait(60)\n"
        "serve_stdio(Eyeline(sys.argv[1]), hooks=[Slow()])"
    )
    with wired(sources.home, script=script) as slow:
        asked = {"name": "source_open", "arguments": {"version_id": sources.text}, "_meta": {"progressToken": "p"}}
        request = slow.send("tools/call", **asked)
        while b'"released"' not in slow.next_line():
            pass
        slow.notify("notifications/cancelled", requestId=request)
        slow.close()
    completion, released = records(sources)[:2]
    assert (released.outcome.value, released.code) == ("released", None)
    assert (completion.outcome.value, completion.code) == ("failed", "cancelled")
    assert completion.completion_of is not None

    changed = f"eyeline://rendition/{sources.picture}/{Digest.of(b'other bytes').hex}"
    assert wire.ask("resources/read", uri=changed)["error"]["data"]["code"] == "not_found"
    completion, released = records(sources)[:2]
    assert (released.version_id, released.outcome.value) == (sources.picture, "released")
    assert (completion.outcome.value, completion.code) == ("failed", "not_found")


@pytest.mark.requirement("VF-10")
def test_hooks_hear_each_call_once_with_what_came_of_it(sources: Sources) -> None:
    script = (
        "import sys; from eyeline import Eyeline; from eyeline.mcp.server import serve_stdio\n"
        "from eyeline.toolkit.hooks import ToolHooks\n"
        "class Journal(ToolHooks):\n"
        "    def after_call(self, event):\n"
        "        print('heard', event.call.name, event.status, type(event.value).__name__)\n"
        "serve_stdio(Eyeline(sys.argv[1]), hooks=[Journal()])"
    )
    with wired(sources.home, script=script) as wire:
        wire.call("source_open", version_id=sources.text)
        wire.call("source_open", version_id=sources.text, size=3)
        wire.ask("tools/call", name="nothing", arguments={})
        log = wire.close()
    heard = re.findall("^heard (.*)$", log, re.MULTILINE)
    assert heard == ["source_open success Opened", "source_open refused NoneType", "nothing refused NoneType"]


def test_nothing_but_messages_is_written_and_the_isolation_is_said_at_the_start(sources: Sources) -> None:
    with wired(sources.home) as wire:
        wire.write(b"this is no message")
        wire.write(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
        wire.write(b"[]")
        assert "result" in wire.ask("ping")
        assert error(wire.ask("tools/call", name="find", arguments={"query": 3})["result"])["code"] == "invalid_request"
        log = wire.close()
    (line,) = [line for line in log.splitlines() if line.startswith("eyeline mcp: ")]
    assert "seccomp" in line
    assert str(sources.home) not in log


def test_a_host_that_goes_away_ends_the_server_without_a_traceback(sources: Sources, tmp_path: Path) -> None:
    log = tmp_path / "stderr"
    with log.open("wb") as errors, started(sources.home, errors=errors) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}\n' * 2)
        process.stdin.close()
        assert process.wait(WAIT_S) == 0
    assert "Traceback" not in log.read_text()
