"""Deliveries that break off after they were recorded as released: the audit log gets a completion that says so."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eyeline.errors import Cancelled, EyelineError
from eyeline.model.envelope import Opened
from eyeline.toolkit.hooks import ToolCall, ToolHooks

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.toolkit.context import ToolContext
    from eyeline.toolkit.outcome import ToolOutcome
    from eyeline.toolkit.runner import ToolRunner

Arguments = Mapping[str, Any] | str

STATE = "delivery"
"""Where the state of a call holds its `Delivery`."""


class Delivery:
    """What one call released, and whether anybody still waits for it. Told from two threads, in any order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[Eyeline, Opened] | None = None
        self._broken: str | None = None

    def made(self, opened: Opened, *, eye: Eyeline) -> None:
        """The call came to an answer, which this application released."""
        with self._lock:
            self._made = (eye, opened)
            self._record()

    def broke(self, code: str) -> None:
        """The answer will not be sent."""
        with self._lock:
            self._broken = self._broken or code
            self._record()

    def _record(self) -> None:
        if self._made is None or self._broken is None:
            return
        (eye, opened), self._made = self._made, None
        try:
            eye.complete_delivery(opened, code=self._broken)
        except EyelineError:
            logging.getLogger("eyeline").exception("a broken delivery is not in the audit log")


class Deliveries(ToolHooks):
    """Tells the delivery of each call what it released; `run_delivered` puts one into the state of its context."""

    def __init__(self, eye: Eyeline) -> None:
        self._eye = eye

    def after_handle(self, call: ToolCall, value: Any) -> None:
        """After the handler answered: what it opened is recorded as released."""
        delivery = call.context.state.get(STATE)
        if isinstance(delivery, Delivery) and isinstance(value, Opened) and value.parts:
            delivery.made(value, eye=self._eye)


def run_delivered(
    runner: ToolRunner, name: str, *, arguments: Arguments, context: ToolContext
) -> tuple[ToolOutcome[Any], Delivery]:
    """Run a call in this thread; its outcome, and its delivery for whoever then does not send it after all."""
    delivery = Delivery()
    return _settled(runner.run(name, arguments, context=_carrying(context, delivery)), delivery)


async def run_delivered_async(
    runner: ToolRunner, name: str, *, arguments: Arguments, context: ToolContext
) -> tuple[ToolOutcome[Any], Delivery]:
    """The same in a worker thread. When the waiting task is cancelled, so is the call, and its delivery broke off."""
    import anyio

    delivery = Delivery()
    try:
        outcome = await runner.run_async(name, arguments, context=_carrying(context, delivery))
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(delivery.broke, Cancelled.code)
        raise
    return _settled(outcome, delivery)


def _carrying(context: ToolContext, delivery: Delivery) -> ToolContext:
    return replace(context, state={**context.state, STATE: delivery})


def _settled(outcome: ToolOutcome[Any], delivery: Delivery) -> tuple[ToolOutcome[Any], Delivery]:
    if outcome.error is not None:
        delivery.broke(outcome.error.code)
    return outcome, delivery
