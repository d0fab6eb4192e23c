"""The tools in the same process: the runner's lifecycle over a real home, and the records it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eyeline import Eyeline
from eyeline.model.audit import AuditOutcome
from eyeline.model.envelope import Opened
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.outcome import ToolOutcome
from eyeline.toolkit.runner import ToolRunner
from eyeline.tools.building import build_tools
from eyeline.tools.recording import RefusedOpens


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    note = tmp_path / "note.txt"
    note.write_text("words")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(note)
        yield eye


def _run(eye: Eyeline, **arguments: object) -> ToolOutcome[Opened]:
    runner = ToolRunner(build_tools(eye), hooks=[RefusedOpens(eye)])
    return runner.run("source_open", arguments, context=ToolContext(principal="ada", surface="python"))


@pytest.mark.requirement("SA-11", "SA-21")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"version_id": "ver_0", "view": "full"}, "unknown_input"),
        ({"version_id": 7}, "invalid_request"),
        ({}, "invalid_request"),
        ({"version_id": "ver_0", "accept": '["image/png"]'}, "invalid_request"),
    ],
)
def test_a_call_refused_before_its_handler_leaves_one_record(
    eye: Eyeline, arguments: dict[str, object], code: str
) -> None:
    outcome = _run(eye, **arguments)
    assert outcome.error is not None
    assert outcome.error.code == code
    (entry,) = eye.audit().entries
    assert (entry.record.outcome, entry.record.code, entry.record.principal) == (AuditOutcome.REFUSED, code, "ada")


@pytest.mark.requirement("SA-21")
def test_a_call_refused_by_the_operation_leaves_one_record_too(eye: Eyeline) -> None:
    version_id = eye.find("")[0].version_id
    assert _run(eye, version_id=version_id, locator="page=2").error is not None
    assert _run(eye, version_id=version_id).error is None
    assert [entry.record.code for entry in eye.audit().entries] == [None, "locator_unsupported"]
