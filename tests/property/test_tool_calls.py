"""Laws of a tool call: its end is told once wherever something breaks, and calls at the same time stay apart."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tools import Count, Counted, Remembering, caller, counting_tool, runner_of

from eyeline.errors import AccessDenied, Cancelled, IntegrityError, InvalidRequest, MediaError, NotFound, StoreError
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.hooks import ToolCall, ToolEvent, ToolHooks
from eyeline.toolkit.outcome import SafeError, Status, ToolOutcome

PLACES = ("before_call", "authorise", "gate", "handle", "after_handle", "answer", "present", "on_error", "after_call")

errors = st.sampled_from(
    [InvalidRequest, NotFound, AccessDenied, MediaError, Cancelled, IntegrityError, StoreError, RuntimeError, OSError]
).map(lambda kind: kind("broke"))
stops = st.sampled_from([KeyboardInterrupt, SystemExit, GeneratorExit]).map(lambda kind: kind())
breaks = st.dictionaries(st.sampled_from(PLACES), errors | stops, max_size=4)
arguments = st.sampled_from([{"text": "a"}, '{"text": "a"}', {"text": 1}, {"size": 1}, "[", {}])


class Breaking(ToolHooks):
    """Raises what it is told, where it is told."""

    def __init__(self, broken: dict[str, BaseException]) -> None:
        self.broken = broken
        self.ends = 0

    def at(self, place: str) -> None:
        if place in self.broken:
            raise self.broken[place]

    def before_call(self, call: ToolCall) -> None:
        self.at("before_call")

    def authorise(self, call: ToolCall, request: Any) -> None:
        self.at("authorise")

    def after_handle(self, call: ToolCall, value: Any) -> None:
        self.at("after_handle")

    def on_error(self, call: ToolCall, error: SafeError, *, cause: BaseException) -> None:
        self.at("on_error")

    def after_call(self, event: ToolEvent) -> None:
        self.ends += 1
        self.at("after_call")


def breaking_tool(hook: Breaking) -> Any:
    def handle(request: Count, _: ToolContext) -> Any:
        hook.at("handle")
        return "no answer of mine" if "answer" in hook.broken else Counted(letters=len(request.text))

    def present(counted: Counted) -> str:
        hook.at("present")
        return str(counted.letters)

    def gate(_: Count, __: ToolContext) -> None:
        hook.at("gate")

    return counting_tool(handle, presenters={"mcp": present}, authorise=gate)


@given(broken=breaks, raw=arguments, name=st.sampled_from(["count", "ghost"]))
def test_every_call_ends_once_for_every_hook_wherever_it_breaks(
    broken: dict[str, BaseException], raw: Any, name: str
) -> None:
    before, hook, after = Remembering(), Breaking(broken), Remembering()
    runner = runner_of(breaking_tool(hook), hooks=(before, hook, after))
    outcome: ToolOutcome[Counted] | None = None
    told = {type(error) for error in broken.values() if not isinstance(error, Exception)}
    with contextlib.suppress(*told):
        outcome = runner.run(name, raw, context=caller(surface="mcp"))
    assert (len(before.events), hook.ends, len(after.events)) == (1, 1, 1)
    event = after.events[0]
    if outcome is not None:
        assert (event.status, event.value, event.error) == (outcome.status, outcome.value, outcome.error)
        assert (outcome.error is None) == (outcome.status is Status.SUCCESS)
        assert (outcome.value is None) == (outcome.presented is None) == (outcome.status is not Status.SUCCESS)


@given(broken=breaks, raw=arguments)
def test_the_status_says_whose_the_failure_is(broken: dict[str, BaseException], raw: Any) -> None:
    hook = Breaking({place: error for place, error in broken.items() if isinstance(error, Exception)})
    outcome = runner_of(breaking_tool(hook), hooks=(hook,)).run("count", raw, context=caller(surface="mcp"))
    if outcome.status is Status.FAILED:
        assert outcome.error is not None
        assert outcome.error.incident_id is not None
    if outcome.status is Status.CANCELLED:
        assert outcome.error is not None
        assert outcome.error.code == "cancelled"


class Apart(ToolHooks):
    """Hands a call's own text from one hook to the next through its state."""

    def __init__(self, seen: list[tuple[str, str]]) -> None:
        self.seen = seen

    def authorise(self, call: ToolCall, request: Any) -> None:
        call.context.state["text"] = request.text

    def after_call(self, event: ToolEvent) -> None:
        self.seen.append((event.call.context.state["text"], event.value.note))


def meeting_tool(parties: int) -> Any:
    """A tool that answers only once all calls are inside it."""
    barrier = threading.Barrier(parties, timeout=30)

    def meet(request: Count, context: ToolContext) -> Counted:
        context.progress(len(request.text))
        barrier.wait()
        assert context.state["text"] == request.text
        return Counted(letters=len(request.text), note=request.text)

    return counting_tool(meet, presenters={})


def in_threads(call: Callable[[str], ToolOutcome[Counted]], texts: list[str]) -> list[ToolOutcome[Counted]]:
    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(call, texts))


@pytest.mark.parametrize("surface", ["threads", "tasks"])
@given(texts=st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6))
def test_calls_at_the_same_time_never_mix(surface: str, texts: list[str]) -> None:
    seen: list[tuple[str, str]] = []
    shared = caller(state={"text": "nobody's"})
    runner = runner_of(meeting_tool(len(texts)), hooks=(Apart(seen),))

    async def in_tasks() -> list[ToolOutcome[Counted]]:
        outcomes: dict[int, ToolOutcome[Counted]] = {}

        async def call(index: int) -> None:
            outcomes[index] = await runner.run_async("count", {"text": texts[index]}, context=shared)

        async with anyio.create_task_group() as group:
            for index in range(len(texts)):
                group.start_soon(call, index)
        return [outcomes[index] for index in range(len(texts))]

    if surface == "threads":
        outcomes = in_threads(lambda text: runner.run("count", {"text": text}, context=shared), texts)
    else:
        outcomes = anyio.run(in_tasks)
    assert [outcome.result().note for outcome in outcomes] == texts
    assert sorted(seen) == sorted((text, text) for text in texts)
    assert len({outcome.call_id for outcome in outcomes}) == len(texts)
    assert shared.state == {"text": "nobody's"}
