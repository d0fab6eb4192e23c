"""One lifecycle for every call."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.tools import Count, Counted, Remembering, caller, count, counting_tool, runner_of

from eyeline.errors import AccessDenied, CorruptMedia, EngineFailed, IntegrityError, InvalidRequest, ToolNotFound
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.hooks import ToolCall, ToolEvent, ToolHooks
from eyeline.toolkit.outcome import Status

ORDER = ["before_call", "authorise", "after_handle", "after_call"]


def test_a_call_is_answered_and_presented_for_its_surface() -> None:
    runner = runner_of(counting_tool())
    outcome = runner.run("count", {"text": "four"}, context=caller(surface="mcp"))
    assert outcome.status is Status.SUCCESS
    assert outcome.value == outcome.result() == Counted(letters=4, note="mcp")
    assert outcome.presented == "4 letters"
    assert outcome.error is None
    assert runner.run("count", {"text": "four"}, context=caller()).presented is None


def test_hooks_come_in_order_and_the_end_is_told_once() -> None:
    memory = Remembering()
    runner_of(counting_tool(), hooks=(memory,)).run("count", {"text": "four"}, context=caller())
    assert memory.heard == ORDER


def test_hooks_see_the_same_answer_on_every_surface_whatever_presents_it() -> None:
    tool = counting_tool(lambda request, _: Counted(letters=len(request.text)))
    memory = Remembering()
    runner = runner_of(tool, hooks=(memory,))
    for surface in ("mcp", "python"):
        runner.run("count", {"text": "four"}, context=caller(surface=surface))
    assert [event.value for event in memory.events] == [Counted(letters=4)] * 2
    assert [event.call.context.surface for event in memory.events] == ["mcp", "python"]


def test_before_call_sees_the_arguments_as_they_came() -> None:
    memory = Remembering()
    runner = runner_of(counting_tool(), hooks=(memory,))
    runner.run("count", '{"text": "four", "size": 1}', context=caller())
    runner.run("count", {"text": 4}, context=caller())
    assert memory.raw == ['{"text": "four", "size": 1}', {"text": 4}]
    assert memory.heard == ["before_call", "on_error", "after_call"] * 2


def test_a_hook_cannot_change_the_arguments() -> None:
    class Meddling(ToolHooks):
        def before_call(self, call: ToolCall) -> None:
            arguments: Any = call.arguments
            arguments["text"] = "other"

    given = {"text": "four"}
    outcome = runner_of(counting_tool(), hooks=(Meddling(),)).run("count", given, context=caller())
    assert outcome.status is Status.REFUSED
    assert given == {"text": "four"}


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("count", {"text": "a", "size": 1}, "unknown_input"),
        ("count", {"text": 1}, "invalid_request"),
        ("ghost", {}, "tool_not_found"),
    ],
)
def test_a_call_that_cannot_be_read_is_refused_before_the_tool_runs(
    name: str, arguments: dict[str, Any], code: str
) -> None:
    calls: list[Count] = []

    def remember(request: Count, _: ToolContext) -> Counted:
        calls.append(request)
        return Counted(letters=0)

    memory = Remembering()
    outcome = runner_of(counting_tool(remember), hooks=(memory,)).run(name, arguments, context=caller())
    assert (outcome.status, calls) == (Status.REFUSED, [])
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.incident_id) == (code, None)
    assert memory.heard.count("after_call") == 1
    assert memory.events[0].error == outcome.error


def test_a_tool_is_not_there_on_a_surface_that_does_not_offer_it() -> None:
    outcome = runner_of(counting_tool()).run("count", {"text": "a"}, context=caller(surface="http"))
    with pytest.raises(ToolNotFound):
        outcome.result()


def test_the_gate_of_the_tool_and_of_a_hook_each_refuse_a_call() -> None:
    def refuse(request: Count, context: ToolContext) -> None:
        raise AccessDenied(f"{context.principal!r} may not count {request.text!r}")

    class Gate(ToolHooks):
        def authorise(self, call: ToolCall, request: Any) -> None:
            raise AccessDenied("not today")

    for runner in (runner_of(counting_tool(authorise=refuse)), runner_of(counting_tool(), hooks=(Gate(),))):
        outcome = runner.run("count", {"text": "a"}, context=caller())
        assert outcome.status is Status.REFUSED
        assert outcome.error is not None
        assert outcome.error.code == "access_denied"


@pytest.mark.parametrize("where", ["before_call", "authorise"])
def test_a_hook_that_breaks_before_the_tool_keeps_it_from_running(where: str) -> None:
    calls: list[Count] = []

    def remember(request: Count, context: ToolContext) -> Counted:
        calls.append(request)
        return count(request, context)

    outcome = runner_of(counting_tool(remember), hooks=(Breaking(where),)).run("count", {"text": "a"}, context=caller())
    assert (outcome.status, calls) == (Status.REFUSED, [])
    assert outcome.error is not None
    assert outcome.error.code == "unexpected"


class Breaking(Remembering):
    """Breaks in one hook, with an error that no one foresaw or one that stops the process."""

    def __init__(self, where: str, *, error: BaseException | None = None) -> None:
        super().__init__()
        self.where = where
        self.error = error or RuntimeError("the hook broke")

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name in {*ORDER, "on_error"} and name == self.where:

            def breaking(*args: Any, **named: Any) -> None:
                found(*args, **named)
                raise self.error

            return breaking
        return found


def test_a_hook_that_breaks_at_the_end_changes_nothing_and_stops_no_other() -> None:
    first, last = Breaking("after_call"), Remembering()
    outcome = runner_of(counting_tool(), hooks=(first, last)).run("count", {"text": "a"}, context=caller())
    assert outcome.status is Status.SUCCESS
    assert (len(first.events), len(last.events)) == (1, 1)


def test_a_program_that_stops_still_tells_the_end_to_every_hook() -> None:
    def stop(_: Count, __: ToolContext) -> Counted:
        raise KeyboardInterrupt

    first, last = Breaking("after_call", error=SystemExit(3)), Remembering()
    with pytest.raises(SystemExit):
        runner_of(counting_tool(stop), hooks=(first, last)).run("count", {"text": "a"}, context=caller())
    assert [event.status for event in first.events + last.events] == [Status.CANCELLED] * 2


def test_what_the_tool_cannot_do_for_this_caller_is_refused_and_what_broke_is_failed() -> None:
    for error, status in ((CorruptMedia("cut short"), Status.REFUSED), (EngineFailed("died"), Status.FAILED)):

        def fail(_: Count, __: ToolContext, raised: Exception = error) -> Counted:
            raise raised

        assert runner_of(counting_tool(fail)).run("count", {"text": "a"}, context=caller()).status is status


def wrong(**fields: Any) -> Counted:
    """An answer with fields of the wrong type: a dataclass does not look."""
    return Counted(**fields)


@pytest.mark.parametrize("answer", [{"letters": 1}, None, wrong(letters="many"), wrong(letters=1, note=[])])
def test_an_answer_that_breaks_the_output_schema_is_a_failure_of_ours(answer: object) -> None:
    memory = Remembering()
    runner = runner_of(counting_tool(lambda _, __: answer), hooks=(memory,))
    outcome = runner.run("count", {"text": "a"}, context=caller(surface="mcp"))
    assert (outcome.status, outcome.value, outcome.presented) == (Status.FAILED, None, None)
    assert outcome.error is not None
    assert outcome.error.code == "unexpected"
    assert memory.heard == ["before_call", "authorise", "after_handle", "on_error", "after_call"]


def test_a_presenter_that_breaks_fails_the_call() -> None:
    def break_down(_: Counted) -> str:
        raise RuntimeError("no ink")

    tool = counting_tool(presenters={"mcp": break_down})
    assert runner_of(tool).run("count", {"text": "a"}, context=caller(surface="mcp")).status is Status.FAILED


def test_a_cancelled_call_does_not_start_and_says_the_callers_reason() -> None:
    token = CancelToken()
    token.cancel("the window was closed")
    memory = Remembering()
    outcome = runner_of(counting_tool(), hooks=(memory,)).run("count", {"text": "a"}, context=caller(cancel=token))
    assert outcome.status is Status.CANCELLED
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == ("cancelled", "the window was closed")
    assert memory.heard == ["on_error", "after_call"]


def test_work_that_breaks_because_it_was_cancelled_is_cancelled_but_damage_stays_loud() -> None:
    for error, code in ((OSError("socket closed"), "cancelled"), (IntegrityError("bad"), "integrity_error")):
        token = CancelToken()

        def fail(_: Count, context: ToolContext, raised: Exception = error, fired: CancelToken = token) -> Counted:
            fired.cancel("enough")
            assert context.cancel.cancelled
            raise raised

        outcome = runner_of(counting_tool(fail)).run("count", {"text": "a"}, context=caller(cancel=token))
        assert outcome.error is not None
        assert outcome.error.code == code


def test_a_caller_in_the_same_process_gets_the_error_of_its_code() -> None:
    runner = runner_of(counting_tool())
    with pytest.raises(InvalidRequest) as caught:
        runner.run("count", {"text": 1}, context=caller()).result()
    assert caught.value.detail["field"] == "text"


def test_an_event_says_which_call_ended() -> None:
    events: list[ToolEvent] = []

    class Listening(ToolHooks):
        def after_call(self, event: ToolEvent) -> None:
            events.append(event)

    runner_of(counting_tool(), hooks=(Listening(),)).run("count", {"text": "a"}, context=caller(call_id="call_7"))
    (event,) = events
    assert (event.call.name, event.call.context.call_id, event.call.context.principal) == ("count", "call_7", "ada")
    assert event.call.tool is not None
    assert event.call.tool.identity == "tests/count@1"
    assert event.elapsed_ms >= 0
