"""Two names that swap all the time, as somebody would do it who waits for a check to be over."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def exchanging(one: Path, other: Path) -> Generator[None]:
    """Swap two names again and again, each time in one step (Linux `renameat2`)."""
    rename = ctypes.CDLL(None).renameat2
    stop = threading.Event()
    arguments = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)

    def swap() -> None:
        while not stop.is_set():
            assert rename(*arguments) == 0

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        stop.set()
        swapper.join()
