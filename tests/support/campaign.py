"""Long tests in pieces, each of which ends in bounded time, and how far they are; `pytest -s` shows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_pieces(name: str, everything: Sequence[T], *, size: int) -> Iterator[Sequence[T]]:
    """Everything, some at a time; after each piece a line says how far the test of this name is."""
    for first in range(0, len(everything), size):
        piece = everything[first : first + size]
        yield piece
        sys.stderr.write(f"\n{name}: {first + len(piece)} of {len(everything)}")
        sys.stderr.flush()
