"""`ToolContext`: who calls, from where, and how the call is stopped and watched. Forked for every call."""

from __future__ import annotations

import dataclasses
import secrets
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


class ProgressListener(Protocol):
    """What a surface gives to hear how far a call is. Called in the thread that works; what it raises ends the call."""

    def __call__(self, done: float, total: float | None, message: str) -> None:
        """Hear that `done` of `total` (None when unknown) is behind the call; any unit, the same throughout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call as a handler and a hook see it.

    A surface makes one context per caller; the runner forks it for each call, so that a call has its own `call_id`,
    `cancel` token (it fires with the caller's), `state` dict and progress. A fork copies the dict, not what is in it:
    parts that calls share on purpose stay shared. `answer_limit` is the surface's own and means nothing to the runtime.
    """

    principal: str
    surface: str
    call_id: str = ""
    cancel: CancelToken = field(default_factory=CancelToken)
    on_progress: ProgressListener | None = None
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    answer_limit: Mapping[str, int] = field(default_factory=lambda: MappingProxyType[str, int]({}))

    def progress(self, done: float, total: float | None = None, *, message: str = "") -> None:
        """Tell the caller how far the call is; `done` that does not rise, or comes after the end, is left out."""
        if self.on_progress is not None:
            self.on_progress(done, total, message)

    @contextmanager
    def forked(self) -> Generator[ToolContext]:
        """A context for one call. A `call_id` given by the surface is kept, else a fresh one is made."""
        cancel = CancelToken()
        release = self.cancel.on_cancel(lambda: cancel.cancel(self.cancel.reason))
        rising = None if self.on_progress is None else _RisingProgress(self.on_progress)
        try:
            yield dataclasses.replace(
                self,
                call_id=self.call_id or f"call_{secrets.token_hex(8)}",
                cancel=cancel,
                on_progress=rising,
                state=dict(self.state),
            )
        finally:
            release()
            if rising is not None:
                rising.close()


class _RisingProgress:
    """Hands on only progress that rises, from whichever thread, and nothing once the call has ended."""

    def __init__(self, listener: ProgressListener) -> None:
        self._listener = listener
        self._lock = threading.RLock()
        self._highest: float | None = None
        self._open = True

    def __call__(self, done: float, total: float | None, message: str) -> None:
        with self._lock:
            if self._open and (self._highest is None or done > self._highest):
                self._highest = done
                self._listener(done, total, message)

    def close(self) -> None:
        # Without the lock: the listener that holds it may be waiting for the thread that closes.
        self._open = False
