"""A call's own context."""

from __future__ import annotations

from tests.support.tools import Count, Counted, caller, counting_tool, runner_of

from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.context import ToolContext


class Listening:
    """Remembers progress."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, float | None, str]] = []

    def __call__(self, done: float, total: float | None, message: str) -> None:
        self.heard.append((done, total, message))


def test_a_fork_has_a_name_a_token_and_a_state_of_its_own() -> None:
    base = caller(state={"seen": 1})
    with base.forked() as first, base.forked() as second:
        assert first.call_id != second.call_id
        first.state["seen"] = 2
        first.cancel.cancel("only this one")
        assert (base.state, second.state) == ({"seen": 1}, {"seen": 1})
        assert not second.cancel.cancelled
        assert not base.cancel.cancelled
    assert first.principal == "ada"


def test_a_fork_keeps_the_name_that_the_surface_gave_the_call() -> None:
    with caller(call_id="request-7").forked() as own:
        assert own.call_id == "request-7"


def test_a_callers_wish_to_stop_reaches_every_fork_while_it_lasts() -> None:
    token = CancelToken()
    base = caller(cancel=token)
    with base.forked() as ended:
        pass
    with base.forked() as running:
        token.cancel("enough")
        assert running.cancel.reason == "enough"
    assert not ended.cancel.cancelled


def test_progress_only_rises_and_ends_with_the_call() -> None:
    listener = Listening()
    base = caller(on_progress=listener)
    with base.forked() as own:
        own.progress(0, 3)
        own.progress(2, 3, message="two")
        own.progress(1, 3)
        own.progress(2, 3)
        own.progress(3, 3)
    own.progress(4, 3)
    assert listener.heard == [(0, 3, ""), (2, 3, "two"), (3, 3, "")]


def test_each_call_counts_its_progress_from_the_beginning() -> None:
    def work(_: Count, context: ToolContext) -> Counted:
        context.progress(1)
        return Counted(letters=0)

    runner = runner_of(counting_tool(work))
    listener = Listening()
    base = caller(on_progress=listener)
    runner.run("count", {"text": "a"}, context=base)
    runner.run("count", {"text": "a"}, context=base)
    assert listener.heard == [(1, None, "")] * 2


def test_progress_that_nobody_listens_to_costs_nothing() -> None:
    with caller().forked() as own:
        own.progress(1)
