"""A caller's wish to stop, handed down a call and heard wherever that call waits."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eyeline.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class CancelToken:
    """One wish to stop; thread-safe, one way, first reason wins.

    A call that computes asks `raise_if_cancelled()` now and then; a call that waits registers with `on_cancel`.
    Not to be fired from a signal handler: callbacks run in the thread that cancels.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._reason = ""
        self._callbacks: dict[object, Callable[[], None]] = {}

    def cancel(self, reason: str = "cancelled by the caller") -> None:
        """Fire the token. The first call wins; it runs every registered callback before it returns."""
        with self._lock:
            if self._event.is_set():
                return
            self._reason = reason
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    @property
    def cancelled(self) -> bool:
        """Whether the token has fired."""
        return self._event.is_set()

    @property
    def reason(self) -> str:
        """Why it fired; empty until then."""
        return self._reason

    def wait(self, timeout: float | None = None) -> bool:
        """Wait at most `timeout` seconds for the token to fire; True if it has."""
        return self._event.wait(timeout)

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` with the reason once the token has fired."""
        if self._event.is_set():
            raise Cancelled(self._reason)

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` once when the token fires, at once if it has; return a function that takes it back.

        The callback runs in the cancelling thread and must be quick and not raise. Taking it back twice, or after
        it ran, does nothing.
        """
        key = object()
        with self._lock:
            fired = self._event.is_set()
            if not fired:
                self._callbacks[key] = callback
        if fired:
            callback()

        def unregister() -> None:
            with self._lock:
                self._callbacks.pop(key, None)

        return unregister


@contextmanager
def cancelled_when_left(caller: CancelToken) -> Generator[CancelToken]:
    """A token for work that other threads do while the block runs: it fires with the caller's, and when that is left.

    So a block that breaks off leaves nobody waiting, whatever it was that broke it off.
    """
    own = CancelToken()
    take_back = caller.on_cancel(lambda: own.cancel(caller.reason))
    try:
        yield own
    finally:
        take_back()
        own.cancel("nobody waits for it any more")
