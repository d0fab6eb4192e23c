"""Globs over path parts: `*`, `?` and `[…]` inside one part, `**` for any number of folders."""

from __future__ import annotations

import fnmatch
import re

_MAGIC = re.compile(r"[*?\[]")


def has_magic(text: str) -> bool:
    """Whether a part or path is a pattern."""
    return _MAGIC.search(text) is not None


class Pattern:
    """A glob, met part by part from the top.

    A state is the set of positions in the pattern that can be next. A folder that matches stands for all it holds, and
    the empty pattern matches from the start. Names that start with a dot are met only by a part that does so too.
    """

    def __init__(self, parts: tuple[str, ...]) -> None:
        self._parts = parts
        self._compiled = [re.compile(fnmatch.translate(part)) for part in parts]

    def start(self) -> frozenset[int]:
        """The state before the first part."""
        return self._closed({0})

    def step(self, state: frozenset[int], part: str) -> frozenset[int]:
        """The state after one more part; empty where nothing below can match."""
        if self.matched(state):
            return state
        following: set[int] = set()
        for position in state:
            if self._parts[position] == "**":
                if not part.startswith("."):
                    following |= {position, position + 1} if position == len(self._parts) - 1 else {position}
            elif self._meets(position, part):
                following.add(position + 1)
        return self._closed(following)

    def matched(self, state: frozenset[int]) -> bool:
        """Whether what led to this state matches as a whole."""
        return len(self._parts) in state

    def names(self, state: frozenset[int], part: str) -> bool:
        """Whether the pattern asks for this name with its dot."""
        positions = (each for each in state if each < len(self._parts) and self._parts[each].startswith("."))
        return any(self._meets(position, part) for position in positions)

    def _meets(self, position: int, part: str) -> bool:
        if part.startswith(".") and not self._parts[position].startswith("."):
            return False
        return self._compiled[position].match(part) is not None

    def _closed(self, positions: set[int]) -> frozenset[int]:
        """With every position that `**` can leave for nothing; a `**` at the end needs one part."""
        closed = set(positions)
        for position, part in enumerate(self._parts[:-1]):
            if part == "**" and position in closed:
                closed.add(position + 1)
        return frozenset(closed)
