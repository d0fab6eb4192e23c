"""Where asynchronous surfaces cross into synchronous work: one thread, one token, once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.toolkit.cancel import CancelToken

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T], *, cancel: CancelToken, grace_s: float) -> T:
    """Do `work` once, in a worker thread, and fire `cancel` when the task that waits here is cancelled.

    A cancelled task waits up to `grace_s` seconds for the work to end and then leaves it behind. Work for which no
    thread was free by then is done here, with the token fired, so that it still gets to say how it ended.
    """
    import anyio
    from anyio import to_thread

    claim = threading.Lock()
    ended = threading.Event()

    def claimed() -> T | None:
        if not claim.acquire(blocking=False):
            return None
        try:
            return work()
        finally:
            ended.set()

    try:
        result = await to_thread.run_sync(claimed, abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        cancel.cancel("the task that waited for the call was cancelled")
        claimed()
        with anyio.CancelScope(shield=True):
            # A limiter of its own: the shared one may be full of the very work that is waited for.
            await to_thread.run_sync(ended.wait, grace_s, limiter=anyio.CapacityLimiter(1))
        raise
    # Only a cancelled task claims the work for itself, so the thread's answer is the work's.
    return cast("T", result)
