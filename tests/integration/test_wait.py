"""Waiting: until a condition holds or some time is over, and honest about which of them it was."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from tests.support.couriers import PENDING, QUICK, Calls, Scripted

from eyeline.app.courier import Courier
from eyeline.errors import ConfigError, CorruptMedia, InvalidRequest, Unreachable
from eyeline.model.carrying import Checked, Standing, WaitEnd, WaitLimits
from eyeline.settings import Settings
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.outcome import Status, ToolOutcome

WAIT_S = 30
LONG = WaitLimits(max_wait_ms=600_000, first_pause_ms=600_000, max_pause_ms=600_000)


def calls_of(*conditions: Scripted, limits: WaitLimits = QUICK) -> Calls:
    return Calls(Courier(conditions=conditions, settings=Settings(wait=limits)))


@pytest.mark.requirement("VF-14")
def test_a_wait_ends_when_its_condition_holds() -> None:
    condition = Scripted([PENDING, PENDING, Checked(Standing.MET, "all of it")])
    calls = calls_of(condition, limits=replace(QUICK, max_wait_ms=60_000))
    waited = calls.call("wait", {"condition": "ready", "subject": "job 7"}).result()
    assert (waited.ended, waited.checks, waited.message) == (WaitEnd.MET, 3, "all of it")
    assert (waited.left_ms, waited.hint) == (0, None)
    assert condition.subjects == ["job 7"] * 3
    assert {message for _, _, message in calls.progress} == {"half of it"}
    assert {total for _, total, _ in calls.progress} == {60.0}
    assert calls.hook.heard == ["before_call", "authorise", "after_handle", "after_call"]


def test_a_condition_that_holds_already_is_looked_at_once() -> None:
    waited = calls_of(Scripted([Checked(Standing.MET)]), limits=LONG).call("wait", {"condition": "ready"}).result()
    assert (waited.ended, waited.checks) == (WaitEnd.MET, 1)


def test_a_condition_that_will_not_come_to_hold_ends_the_wait() -> None:
    condition = Scripted([PENDING, Checked(Standing.NEVER, "the job failed")])
    waited = calls_of(condition, limits=replace(QUICK, max_wait_ms=60_000)).call("wait", {"condition": "ready"})
    assert (waited.result().ended, waited.result().message) == (WaitEnd.NEVER, "the job failed")


@pytest.mark.requirement("VF-14")
def test_a_bound_that_ends_a_wait_is_said() -> None:
    calls = calls_of(Scripted([PENDING]))
    waited = calls.call("wait", {"condition": "ready", "seconds": 100}).result()
    assert waited.ended is WaitEnd.BOUND
    assert waited.hint is not None
    assert QUICK.max_wait_ms <= waited.waited_ms
    assert waited.waited_ms + waited.left_ms == 100_000
    assert waited.checks >= 2
    plain = calls_of().call("wait", {"seconds": 100}).result()
    assert (plain.ended, plain.waited_ms + plain.left_ms) == (WaitEnd.BOUND, 100_000)


def test_a_bound_that_is_reached_looks_once_more() -> None:
    """Looked at the beginning and, after one pause of the whole time, at the end."""
    limits = WaitLimits(max_wait_ms=60_000, first_pause_ms=30_000, max_pause_ms=30_000)
    condition = Scripted([PENDING, Checked(Standing.MET, "just in time")])
    waited = calls_of(condition, limits=limits).call("wait", {"condition": "ready", "seconds": 0.05}).result()
    assert (waited.ended, waited.checks) == (WaitEnd.MET, 2)


def test_some_time_passes() -> None:
    waited = calls_of().call("wait", {"seconds": 0.05}).result()
    assert (waited.ended, waited.checks, waited.left_ms, waited.hint) == (WaitEnd.TIME, 0, 0, None)
    assert waited.waited_ms >= 50


def test_looks_come_at_longer_and_longer_pauses() -> None:
    """In 200 ms of 1, 1.5, 2.25, 3.4, 5, 5, … ms there is room for some 40 looks and not for 200."""
    condition = Scripted([PENDING])
    calls_of(condition).call("wait", {"condition": "ready"}).result()
    assert 2 <= len(condition.subjects) <= 46


@pytest.mark.requirement("VF-14")
@pytest.mark.parametrize(
    "arguments", [{"condition": "ready"}, {"condition": "ready", "seconds": 500}, {"seconds": 500}]
)
def test_cancelling_ends_a_wait_with_the_callers_reason(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, object]
) -> None:
    # one pause as long as the whole wait, so that what does not hear the token is not back in time
    monkeypatch.setattr("eyeline.operations.wait._TELL_MS", LONG.max_wait_ms)
    token, condition = CancelToken(), Scripted([PENDING, OSError("nobody asks again")])
    calls = calls_of(condition, limits=LONG)
    outcomes: list[ToolOutcome[Any]] = []

    def told(done: float, total: float | None, message: str) -> None:
        del total, message
        assert done < WAIT_S, "it went on waiting"
        waiting.set()

    def run() -> None:
        outcomes.append(calls.call("wait", arguments, cancel=token, on_progress=told))

    waiting = threading.Event()
    call = threading.Thread(target=run, daemon=True)
    call.start()
    assert waiting.wait(WAIT_S)
    token.cancel("the user went on")
    call.join(WAIT_S)
    (outcome,) = outcomes
    assert outcome.status is Status.CANCELLED
    assert outcome.error is not None
    assert outcome.error.message == "the user went on"
    assert len(condition.subjects) <= 1


@pytest.mark.requirement("VF-14")
@pytest.mark.parametrize("seconds", [1e10, 1e308, 10**300])
def test_a_wish_beyond_all_bounds_waits_as_long_as_one_call_may(seconds: float) -> None:
    waited = calls_of().call("wait", {"seconds": seconds}).result()
    assert waited.ended is WaitEnd.BOUND
    assert waited.waited_ms + waited.left_ms == 1e12
    found = calls_of(Scripted([PENDING])).call("wait", {"condition": "ready", "seconds": seconds}).result()
    assert (found.ended, found.waited_ms + found.left_ms) == (WaitEnd.BOUND, 1e12)


@pytest.mark.requirement("VF-14")
def test_a_condition_that_is_not_there_is_told_which_are() -> None:
    calls = calls_of(Scripted([PENDING], name="a"), Scripted([PENDING], name="b"))
    with pytest.raises(InvalidRequest) as caught:
        calls.call("wait", {"condition": "c"}).result()
    assert caught.value.detail["conditions"] == ["a", "b"]
    for arguments in ({}, {"subject": "x"}, {"seconds": 0}, {"seconds": -1}, {"seconds": "5"}):
        error = calls.call("wait", arguments).error
        assert error is not None
        assert error.code == "invalid_request"


def test_a_look_that_may_go_well_another_time_counts_as_not_yet_and_others_end_the_wait() -> None:
    condition = Scripted([Unreachable("at 10.0.0.7"), Checked(Standing.MET)])
    assert calls_of(condition).call("wait", {"condition": "ready"}).result().checks == 2
    error = calls_of(Scripted([CorruptMedia("cut short")])).call("wait", {"condition": "ready"}).error
    assert error is not None
    assert error.code == "corrupt_media"
    error = calls_of(Scripted([OSError("/srv/secret")])).call("wait", {"condition": "ready"}).error
    assert error is not None
    assert (error.code, "/srv" in json.dumps(error.to_plain())) == ("unexpected", False)


def test_what_a_condition_says_is_one_short_line() -> None:
    said = "a\u202eb\n" * 1000
    waited = calls_of(Scripted([Checked(Standing.MET, said)])).call("wait", {"condition": "ready"}).result()
    assert len(waited.message) < 4000
    assert "\n" not in waited.message


def test_two_conditions_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError):
        Courier(conditions=[Scripted([PENDING]), Scripted([PENDING])])


@pytest.mark.requirement("VF-15")
def test_waiting_and_carrying_load_no_store_and_no_records() -> None:
    program = (
        "import sys\n"
        "from eyeline.app.courier import Courier\n"
        "from eyeline.tools.carrying import courier_tools\n"
        "courier_tools(Courier())\n"
        "print([name for name in sys.modules if name.startswith(('eyeline.store', 'eyeline.catalog', 'sqlalchemy'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
