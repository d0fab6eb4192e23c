"""The bounded pool: runs named jobs over untrusted bytes, each in a child of its own."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from eyeline.errors import EngineFailed
from eyeline.media.bounded.channel import ChannelClosed
from eyeline.media.bounded.exchange import Exchange, OpenedSource, open_source
from eyeline.media.bounded.job import JobLimits, JobResult, Readable, split_job
from eyeline.media.bounded.outcome import settle
from eyeline.media.bounded.running import Ending, RunningJob
from eyeline.media.bounded.start import Zygote, ZygoteSettings, unavailable

if TYPE_CHECKING:
    from types import TracebackType

    from eyeline.media.bounded.isolation import Isolation
    from eyeline.toolkit.cancel import CancelToken

ENGINES = ("PIL.Image", "pyvips", "pypdfium2", "pi_heif", "tesserocr")
"""Foreign modules that are imported before any job comes; one that is not installed is left out."""

_DEFAULT_LIMITS = JobLimits()
_STARTS = 3
"""How many zygotes a job is offered to before it is given up; a job that has begun is never offered again."""

T = TypeVar("T")

_pools: weakref.WeakSet[BoundedPool] = weakref.WeakSet()


class BoundedPool:
    """Runs jobs in bounded children; thread-safe and synchronous.

    The zygote starts with the first job or with `start()`, again when it has died, and anew in a process that was
    forked from this one. `max_parallel` jobs run at a time, by default one for each CPU this process may use; others
    wait their turn.
    `read_paths` are files and folders (models, fonts) that jobs may read beside the interpreter and its packages.
    `extra_job_modules` allows jobs outside `eyeline.media`; it is for tests.
    """

    def __init__(
        self,
        *,
        max_parallel: int | None = None,
        preload: tuple[str, ...] = ENGINES,
        read_paths: tuple[str | Path, ...] = (),
        extra_job_modules: tuple[str, ...] = (),
    ) -> None:
        places = tuple(str(Path(path).resolve()) for path in read_paths)
        self._settings = ZygoteSettings(preload=preload, read_paths=places, extra_modules=extra_job_modules)
        self._max_parallel = max_parallel or _usable_cpus()
        self._closed = False
        self._begin()
        _pools.add(self)

    def start(self) -> None:
        """Start the zygote now, so that the first job does not wait for imports."""
        self._living()

    def isolation(self) -> Isolation:
        """What keeps jobs in on this machine, found out by trying; starts the zygote."""
        return self._living().isolation

    def run(
        self,
        job: str,
        params: Mapping[str, Any],
        *,
        source: Readable,
        limits: JobLimits = _DEFAULT_LIMITS,
        cancel: CancelToken | None = None,
    ) -> JobResult:
        """Run `job`, named `module:function`, on a source; `params` is what JSON can hold.

        Raises what the job said was wrong (`MediaError`, `InvalidRequest`, `MissingDependency`), what reading the
        source raised, `Cancelled`, and `EngineFailed` with `detail["reason"]`: `timeout`, `over_memory`, `over_output`,
        `crashed`, `unavailable` or `closed`. The child has ended, or is being killed, when this returns.
        """
        split_job(job, extra_modules=self._settings.extra_modules)
        message = {"job": job, "limits": asdict(limits)}
        with self._a_turn(cancel), closing(open_source(source)) as opened:
            for _ in range(_STARTS):
                with _opened(lambda: Exchange(params)) as exchange:
                    ending = self._attempt({**message, "size": opened.size}, exchange, opened=opened, cancel=cancel)
                    if not ending.came_to_nothing:
                        reason = cancel.reason if cancel is not None else ""
                        return settle(ending, exchange, job=job, limits=limits, reason=reason)
        raise unavailable("the decoding process ends before it takes a job")

    def close(self) -> None:
        """End the zygote and every job; what still runs fails with reason `closed`. Closing twice does nothing."""
        self._closed = True
        with self._lock:
            _close(self._held)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> None:
        """State that belongs to one process."""
        self._lock = threading.Lock()
        self._turn = threading.Condition()
        self._running = 0
        self._held: list[Zygote] = []
        self._finalizer = weakref.finalize(self, _close, self._held)

    def begin_again_after_fork(self) -> None:
        """In a forked process: leave the zygote to the process that started it."""
        self._finalizer.detach()
        for zygote in self._held:
            zygote.forget()
        self._begin()

    def _living(self) -> Zygote:
        with self._lock:
            if self._closed:
                raise _pool_closed()
            if not self._held:
                self._held.append(Zygote(self._settings))
            return self._held[0]

    def _discard(self, zygote: Zygote) -> None:
        """Take a zygote that does not answer out of use; the next job starts another."""
        with self._lock:
            if zygote in self._held:
                self._held.remove(zygote)
                zygote.kill()
                zygote.close()

    def _attempt(
        self, message: dict[str, Any], exchange: Exchange, *, opened: OpenedSource, cancel: CancelToken | None
    ) -> Ending:
        """Offer the job to the living zygote and stay with it."""
        zygote = self._living()
        ending = Ending()
        wall_ms = message["limits"]["wall_ms"]
        with _opened(lambda: RunningJob(opened, wall_ms=wall_ms, cancel=cancel)) as running, suppress(ChannelClosed):
            own = [] if opened.descriptor is None else [opened.descriptor]
            zygote.order(message, [*running.child_ends, exchange.descriptor, *own])
            ending = running.see_through()
        if ending.was_lost:
            if self._closed:
                raise _pool_closed()
            self._discard(zygote)
        return ending

    @contextmanager
    def _a_turn(self, cancel: CancelToken | None) -> Generator[None]:
        """Wait until fewer than `max_parallel` jobs run; raise `Cancelled` when nobody wants to wait any more."""
        unregister = cancel.on_cancel(self._wake) if cancel is not None else None
        try:
            with self._turn:
                while self._running >= self._max_parallel and not (cancel is not None and cancel.cancelled):
                    self._turn.wait()
                if cancel is not None:
                    cancel.raise_if_cancelled()
                self._running += 1
        finally:
            if unregister is not None:
                unregister()
        try:
            yield
        finally:
            with self._turn:
                self._running -= 1
                self._turn.notify()

    def _wake(self) -> None:
        with self._turn:
            self._turn.notify_all()


def _close(held: list[Zygote]) -> None:
    while held:
        held.pop().close()


def _pool_closed() -> EngineFailed:
    return EngineFailed("the bounded pool is closed", reason="closed")


def _opened(make: Callable[[], T]) -> T:
    """Open what one job needs; a machine without descriptors or memory left cannot run it."""
    try:
        return make()
    except OSError as exc:
        raise unavailable("there is no room for another job", exception=type(exc).__name__) from exc


def _usable_cpus() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _after_fork() -> None:
    for pool in tuple(_pools):
        pool.begin_again_after_fork()


os.register_at_fork(after_in_child=_after_fork)
