"""Work on several pictures side by side, within a budget of pixels that are in memory at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

PIXELS_AT_ONCE = 64_000_000
"""Pixels of the normalised objects that one store works on at the same time; a larger one is worked on alone."""


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """The result of each item, in order. The first failure, in their order, is raised once none is at work any more."""
    if len(items) < 2:
        return [work(each) for each in items]
    with ThreadPoolExecutor(max_workers=max(1, min(len(items), os.cpu_count() or 1))) as threads:
        return list(threads.map(work, items))


class PixelBudget:
    """Lets as much begin as fits; what is larger than the whole budget runs alone."""

    def __init__(self, pixels: int = PIXELS_AT_ONCE) -> None:
        self._pixels = pixels
        self._taken = 0
        self._turn = Condition()

    @contextmanager
    def share(self, pixels: int) -> Generator[None]:
        """Wait until so many pixels fit, and give them back."""
        wanted = min(pixels, self._pixels)
        with self._turn:
            self._turn.wait_for(lambda: self._taken + wanted <= self._pixels)
            self._taken += wanted
        try:
            yield
        finally:
            with self._turn:
                self._taken -= wanted
                self._turn.notify_all()
