"""`wait`: until a condition holds or some time is over; ends at once on the caller's wish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eyeline.errors import EyelineError, InvalidRequest
from eyeline.model.carrying import Checked, Standing, Waited, WaitEnd, WaitLimits
from eyeline.model.display import shown
from eyeline.toolkit.cancel import CancelToken

GROWTH = 1.5
MAX_MESSAGE_CHARS = 500
MAX_SECONDS = 1e9
"""Longer wishes are taken for this one, some thirty years."""


class Condition(Protocol):
    """What can be waited for, given by the application; called in the thread of the call, again and again.

    `check` looks once and is quick: while it looks, the call does not hear that it is cancelled. An error of
    `eyeline.errors` that is retryable counts as not yet; any other ends the wait.
    """

    @property
    def name(self) -> str:
        """What a caller calls it."""
        ...

    def check(self, subject: str) -> Checked:
        """How it stands with a subject, whatever that is here: a job, a document."""
        ...


@dataclass(frozen=True, slots=True)
class WaitRequest:
    """How long, and what for. Without `seconds`, as long as one call may; without a condition, only the time."""

    seconds: float | None = None
    condition: str | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class WaitParts:
    """What waiting works with."""

    conditions: Sequence[Condition] = ()
    limits: WaitLimits = field(default_factory=WaitLimits)


@dataclass(frozen=True, slots=True)
class WaitCaller:
    """How a wait is stopped, and whom to tell how far it is (`done`, `total` in seconds, what)."""

    cancel: CancelToken
    progress: Callable[[float, float, str], None]


def wait(request: WaitRequest, *, parts: WaitParts, caller: WaitCaller) -> Waited:
    """Wait, and say what ended it. Raises `InvalidRequest` for an unknown condition, and `Cancelled` at once."""
    if request.seconds is None and request.condition is None:
        raise InvalidRequest("there is nothing to wait for", hint="give `seconds`, or a `condition`, or both")
    longest = parts.limits.max_wait_ms
    asked = longest if request.seconds is None else round(min(request.seconds, MAX_SECONDS) * 1000)
    clock = _Clock(min(asked, longest), caller)
    if request.condition is None:
        clock.pause(clock.left_ms)
        return _waited(WaitEnd.TIME if asked <= longest else WaitEnd.BOUND, clock, asked=asked)
    condition = _named(request.condition, parts.conditions)
    return _polled(condition, request.subject, asked=asked, limits=parts.limits, clock=clock)


def _polled(condition: Condition, subject: str, *, asked: int, limits: WaitLimits, clock: _Clock) -> Waited:
    """Look again and again, the last time when the time is over."""
    pause, checks = float(limits.first_pause_ms), 0
    while True:
        is_last = clock.left_ms <= 0
        clock.caller.cancel.raise_if_cancelled()
        checked, checks = _look(condition, subject), checks + 1
        message = shown(checked.message, max_chars=MAX_MESSAGE_CHARS)
        if checked.standing is not Standing.PENDING or is_last:
            ended = _ENDS[checked.standing]
            return _waited(ended, clock, asked=asked, checks=checks, message=message)
        clock.pause(min(round(pause), clock.left_ms), message=message)
        pause = min(pause * GROWTH, float(limits.max_pause_ms))


def _look(condition: Condition, subject: str) -> Checked:
    try:
        return condition.check(subject)
    except EyelineError as exc:
        if not exc.retryable:
            raise
        return Checked(Standing.PENDING, f"it could not be looked at: {exc.code}")


class _Clock:
    """The time of one wait, from its start to its bound."""

    def __init__(self, bound_ms: int, caller: WaitCaller) -> None:
        self.caller = caller
        self._bound_ms = bound_ms
        self._start = time.monotonic()

    @property
    def passed_ms(self) -> int:
        return round((time.monotonic() - self._start) * 1000)

    @property
    def left_ms(self) -> int:
        return max(0, self._bound_ms - self.passed_ms)

    def pause(self, pause_ms: int, *, message: str = "") -> None:
        """Tell how far it is, every few seconds of a long pause too, and wait."""
        until = self.passed_ms + pause_ms
        while (left := until - self.passed_ms) > 0:
            self.caller.progress(self.passed_ms / 1000, self._bound_ms / 1000, message)
            self.caller.cancel.wait(min(left, _TELL_MS) / 1000)
            self.caller.cancel.raise_if_cancelled()


_TELL_MS = 5_000
_ENDS = {Standing.MET: WaitEnd.MET, Standing.NEVER: WaitEnd.NEVER, Standing.PENDING: WaitEnd.BOUND}


def _waited(ended: WaitEnd, clock: _Clock, *, asked: int, checks: int = 0, message: str = "") -> Waited:
    passed = clock.passed_ms
    left = max(0, asked - passed) if ended is WaitEnd.BOUND else 0
    hint = "call again to wait longer" if ended is WaitEnd.BOUND else None
    return Waited(ended, passed, left, checks, message, hint)


def _named(name: str, conditions: Sequence[Condition]) -> Condition:
    for condition in conditions:
        if condition.name == name:
            return condition
    names = [each.name for each in conditions]
    raise InvalidRequest(
        f"there is no condition {shown(name)!r}",
        hint=f"conditions here: {', '.join(names) or 'none'}",
        conditions=names,
        field="condition",
    )
