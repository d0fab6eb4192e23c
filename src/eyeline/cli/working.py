"""Long work beside the main thread, so that Ctrl-C reaches it as a wish to stop, and how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from eyeline.cli.exit import INTERRUPTED
from eyeline.cli.failing import note
from eyeline.toolkit.cancel import CancelToken

T = TypeVar("T")
Progress = Callable[[int, int, str], None]
TENTHS = 10


def run(work: Callable[[CancelToken], T]) -> T:
    """The result of `work`. Ctrl-C cancels it and waits until it has stopped; a second one ends the process at once.

    Raises `Cancelled` for work that stopped before it was done.
    """
    cancel = CancelToken()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="eyeline-cli") as pool:
        future = pool.submit(work, cancel)
        try:
            return future.result()
        except KeyboardInterrupt:
            note("eyeline: stopping; Ctrl-C once more ends at once")
        try:
            cancel.cancel("interrupted")
            return future.result()
        except KeyboardInterrupt:
            os._exit(INTERRUPTED)


@contextmanager
def progress(doing: str) -> Generator[Progress]:
    """Tell on standard error how far work is: a bar on a terminal, else a line for each tenth."""
    if sys.stderr.isatty():
        with _bar(doing) as tell:
            yield tell
    else:
        yield _lines(doing)


def _lines(doing: str) -> Progress:
    told = -1

    def tell(done: int, total: int, what: str) -> None:
        nonlocal told
        del what
        tenth = done * TENTHS // max(total, 1)
        if tenth > told:
            told = tenth
            note(f"{doing}: {done} of {total}")

    return tell


@contextmanager
def _bar(doing: str) -> Generator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from eyeline.cli.tables import console

    columns = (SpinnerColumn(), TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(doing, total=None)

        def tell(done: int, total: int, what: str) -> None:
            del what
            bar.update(task, completed=done, total=total)

        yield tell
