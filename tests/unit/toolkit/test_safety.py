"""What may leave the program, and what stays in its log."""

from __future__ import annotations

import json
import logging

import pytest
from tests.support.tools import Count, Counted, Remembering, caller, counting_tool, runner_of

from eyeline.errors import (
    AccessDenied,
    Cancelled,
    ConfigError,
    CorruptMedia,
    DocumentNotFound,
    EngineFailed,
    EyelineError,
    IntegrityError,
    LaneFailed,
    LimitExceeded,
    MissingDependency,
    StoreError,
)
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.outcome import ToolOutcome

SECRETS = ["/srv/eyeline/catalog.db", "10.1.2.3", "0x7f3a9c", "Traceback", "test_safety.py"]


def fail_with(error: Exception, *hooks: Remembering) -> ToolOutcome[Counted]:
    def fail(_: Count, __: ToolContext) -> Counted:
        raise error from OSError("/srv/eyeline/catalog.db is gone")

    return runner_of(counting_tool(fail), hooks=hooks).run("count", {"text": "a"}, context=caller())


def everything_outside(outcome: ToolOutcome[Counted]) -> str:
    assert outcome.error is not None
    return json.dumps(outcome.error.to_plain()) + repr(outcome)


@pytest.mark.requirement("VF-13")
@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("cannot open /srv/eyeline/catalog.db at 10.1.2.3"),
        FileNotFoundError(2, "No such file", "/srv/eyeline/catalog.db"),
        ValueError("<object at 0x7f3a9c>"),
        StoreError("cannot open /srv/eyeline/catalog.db", hint="look at /srv/eyeline/catalog.db"),
        EngineFailed("child at 0x7f3a9c died", where="/srv/eyeline/catalog.db", host="10.1.2.3"),
        LaneFailed("http://10.1.2.3/v1 did not answer"),
        ConfigError("/srv/eyeline/catalog.db is not a home"),
        IntegrityError("/srv/eyeline/catalog.db differs"),
        EyelineError("/srv/eyeline/catalog.db"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_failure_of_ours_leaves_without_path_address_or_traceback_and_is_logged_once(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="eyeline"):
        outcome = fail_with(error)
    assert outcome.error is not None
    incident = outcome.error.incident_id
    assert incident is not None
    assert incident in outcome.error.message
    assert [secret for secret in SECRETS if secret in everything_outside(outcome)] == []
    (record,) = caplog.records
    assert incident in record.getMessage()
    assert outcome.call_id in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[1] is error


def test_two_failures_are_two_incidents() -> None:
    first, second = fail_with(RuntimeError("a")).error, fail_with(RuntimeError("a")).error
    assert first is not None
    assert second is not None
    assert first.incident_id != second.incident_id


@pytest.mark.parametrize(
    "error",
    [
        LimitExceeded("21 items; 20 are allowed", hint="send fewer", limit="items", allowed=20, asked=21),
        DocumentNotFound("no document 'a'"),
        AccessDenied("'ada' may not open"),
        CorruptMedia("the picture is cut short"),
        MissingDependency("video needs an engine", hint="pip install 'eyeline[av]'"),
        Cancelled("enough"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_for_the_caller_is_passed_on_in_full_and_is_no_incident(
    error: EyelineError, caplog: pytest.LogCaptureFixture
) -> None:
    passed = fail_with(error).error
    assert passed is not None
    assert (passed.code, passed.message, passed.hint) == (error.code, error.message, error.hint)
    assert (passed.detail, passed.retryable, passed.incident_id) == (error.detail, error.retryable, None)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_words_and_numbers_of_a_failure_are_passed_on() -> None:
    error = fail_with(EngineFailed("died", limit="memory", allowed_mb=512, final=True, seen=["/srv/eyeline"])).error
    assert error is not None
    assert error.detail == {"limit": "memory", "allowed_mb": 512, "final": True}


def test_a_store_that_failed_may_be_asked_again_and_says_so() -> None:
    error = fail_with(StoreError("disk")).error
    assert error is not None
    assert error.to_plain() == {
        "code": "store_error",
        "message": error.message,
        "retryable": True,
        "incident_id": error.incident_id,
    }


def test_a_failure_that_passes_through_a_second_tool_stays_one_incident(caplog: pytest.LogCaptureFixture) -> None:
    inner = fail_with(StoreError("disk"))

    def ask_inner(_: Count, __: ToolContext) -> Counted:
        return inner.result()

    outer = runner_of(counting_tool(ask_inner)).run("count", {"text": "a"}, context=caller())
    assert inner.error is not None
    assert outer.error is not None
    assert outer.error == inner.error
    assert len(caplog.records) == 1


def test_a_hook_is_given_the_cause_beside_what_may_be_shown() -> None:
    memory = Remembering()
    cause = RuntimeError("/srv/eyeline/catalog.db")
    outcome = fail_with(cause, memory)
    assert memory.causes == [cause]
    assert memory.errors == [outcome.error]
