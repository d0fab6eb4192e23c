"""The table of errors of this surface is whole, and an error leaves as the protocol wants it."""

from __future__ import annotations

import json

import pytest
from mcp.shared.exceptions import MCPError

from eyeline.errors import EyelineError
from eyeline.mcp.errors import NUMBERS, as_protocol_error, as_tool_result
from eyeline.toolkit.outcome import SafeError
from eyeline.toolkit.safety import UNEXPECTED


def codes(kind: type[EyelineError] = EyelineError) -> set[str]:
    return {kind.code}.union(*(codes(each) for each in kind.__subclasses__()))


def test_every_error_has_its_number_and_no_other_is_listed() -> None:
    assert set(NUMBERS) == codes() | {UNEXPECTED}


def test_an_error_of_a_call_is_an_answer_that_the_model_reads() -> None:
    error = SafeError(
        "locator_out_of_range", "page 9 is past the end", hint="pages go from 1 to 3", detail={"extent": 3}
    )
    result = as_tool_result(error)
    assert result.is_error is True
    assert result.structured_content is None
    (block,) = result.content
    assert block.type == "text"
    assert json.loads(block.text) == error.to_plain()


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol() -> None:
    with pytest.raises(MCPError) as caught:
        as_tool_result(SafeError("tool_not_found", "there is no tool 'x'"))
    assert caught.value.code == -32602
    assert caught.value.data["code"] == "tool_not_found"


def test_what_broke_here_is_an_internal_error_with_its_incident() -> None:
    failure = as_protocol_error(SafeError("store_error", "…", retryable=True, incident_id="inc_1"))
    assert failure.code == -32603
    assert failure.data["incident_id"] == "inc_1"
