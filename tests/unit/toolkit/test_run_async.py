"""Calls from asynchronous surfaces: in a thread, cancelled with their task."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import anyio
import pytest
from anyio import from_thread, to_thread
from tests.support.tools import Count, Counted, Remembering, caller, counting_tool, runner_of

from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.hooks import ToolEvent
from eyeline.toolkit.outcome import Status, ToolOutcome

LONG_S = 30.0
"""No test waits this long; it bounds one that is broken."""


class Waiting:
    """A tool that says it has started and then waits: for its token, or, when stubborn, for the test."""

    def __init__(self, *, stubborn: bool = False) -> None:
        self.stubborn = stubborn
        self.started = threading.Event()
        self.released = threading.Event()
        self.reasons: list[str] = []

    def __call__(self, _: Count, context: ToolContext) -> Counted:
        self.started.set()
        if self.stubborn:
            assert self.released.wait(LONG_S)
        else:
            assert context.cancel.wait(LONG_S)
        self.reasons.append(context.cancel.reason)
        context.cancel.raise_if_cancelled()
        return Counted(letters=0)

    async def has_started(self) -> None:
        assert await to_thread.run_sync(self.started.wait, LONG_S, limiter=anyio.CapacityLimiter(1))


class Ending(Remembering):
    """Remembers, and lets the test wait for the end of a call."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = threading.Event()

    def after_call(self, event: ToolEvent) -> None:
        super().after_call(event)
        self.ended.set()


def test_an_answer_is_the_one_that_a_synchronous_call_gets() -> None:
    runner = runner_of(counting_tool())
    context = caller(surface="mcp", call_id="call_1")
    answered = anyio.run(partial(runner.run_async, "count", {"text": "four"}, context=context))
    assert answered == runner.run("count", {"text": "four"}, context=context)


def test_the_work_leaves_the_event_loop_free() -> None:
    tool = Waiting(stubborn=True)

    async def main() -> ToolOutcome[Counted]:
        outcomes: list[ToolOutcome[Counted]] = []

        async def call() -> None:
            outcomes.append(await runner_of(counting_tool(tool)).run_async("count", {"text": "a"}, context=caller()))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await tool.has_started()
            tool.released.set()
        return outcomes[0]

    assert anyio.run(main).status is Status.SUCCESS


def test_a_call_ends_with_the_scope_that_waits_for_it() -> None:
    tool, memory = Waiting(), Remembering()

    async def main() -> None:
        runner = runner_of(counting_tool(tool), hooks=(memory,), grace_s=LONG_S)
        async with anyio.create_task_group() as group:
            group.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=caller()))
            await tool.has_started()
            group.cancel_scope.cancel()

    anyio.run(main)
    assert len(tool.reasons) == 1
    assert [event.status for event in memory.events] == [Status.CANCELLED]


def test_a_call_ends_with_a_task_that_is_cancelled_without_a_scope() -> None:
    tool, memory = Waiting(), Remembering()

    async def main() -> None:
        runner = runner_of(counting_tool(tool), hooks=(memory,), grace_s=LONG_S)
        task = asyncio.create_task(runner.run_async("count", {"text": "a"}, context=caller()))
        await tool.has_started()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [event.status for event in memory.events] == [Status.CANCELLED]

    asyncio.run(main())


def test_a_cancelled_task_waits_for_work_that_listens_to_clean_up() -> None:
    cleaned: list[int] = []
    started = threading.Event()

    def work(_: Count, context: ToolContext) -> Counted:
        started.set()
        assert context.cancel.wait(LONG_S)
        for step in range(50):  # each step takes a turn of the event loop that waits
            from_thread.run_sync(cleaned.append, step)
        context.cancel.raise_if_cancelled()
        return Counted(letters=0)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            runner = runner_of(counting_tool(work), grace_s=LONG_S)
            group.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=caller()))
            assert await to_thread.run_sync(started.wait, LONG_S)
            group.cancel_scope.cancel()
        assert cleaned == list(range(50))

    anyio.run(main)


def test_a_surface_that_cancels_first_has_its_reason_told() -> None:
    tool, memory = Waiting(), Remembering()
    context = caller()

    async def main() -> None:
        runner = runner_of(counting_tool(tool), hooks=(memory,))
        async with anyio.create_task_group() as group:
            group.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=context))
            await tool.has_started()
            context.cancel.cancel("the user pressed stop")

    anyio.run(main)
    assert tool.reasons == ["the user pressed stop"]
    assert memory.errors[0].message == "the user pressed stop"


def test_cancelling_one_of_two_calls_leaves_the_other_running() -> None:
    left, stopped, memory = Waiting(stubborn=True), Waiting(), Remembering()
    context = caller()
    other = counting_tool(left, name="other", identity="tests/other@1")
    runner = runner_of(counting_tool(stopped), other, hooks=(memory,))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(partial(runner.run_async, "other", {"text": "a"}, context=context))
            async with anyio.create_task_group() as inner:
                inner.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=context))
                await left.has_started()
                await stopped.has_started()
                inner.cancel_scope.cancel()
            left.released.set()

    anyio.run(main)
    assert [event.status for event in memory.events] == [Status.CANCELLED, Status.SUCCESS]


def test_work_that_does_not_listen_is_left_behind_and_still_tells_its_end_once() -> None:
    tool, memory = Waiting(stubborn=True), Ending()

    async def main() -> None:
        runner = runner_of(counting_tool(tool), hooks=(memory,), grace_s=0.01)
        async with anyio.create_task_group() as group:
            group.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=caller()))
            await tool.has_started()
            group.cancel_scope.cancel()
        assert memory.events == []
        tool.released.set()
        assert await to_thread.run_sync(memory.ended.wait, LONG_S)

    anyio.run(main)
    assert [event.status for event in memory.events] == [Status.CANCELLED]


def test_a_call_cancelled_before_a_thread_was_free_never_runs_and_tells_its_end_once() -> None:
    tool, memory = Waiting(), Remembering()

    async def main() -> None:
        limiter = to_thread.current_default_thread_limiter()
        limiter.total_tokens = 1
        async with limiter:
            async with anyio.create_task_group() as group:
                runner = runner_of(counting_tool(tool), hooks=(memory,))
                group.start_soon(partial(runner.run_async, "count", {"text": "a"}, context=caller()))
                await anyio.wait_all_tasks_blocked()
                group.cancel_scope.cancel()
            assert [event.status for event in memory.events] == [Status.CANCELLED]

    anyio.run(main)
    assert not tool.started.is_set()
    assert len(memory.events) == 1
