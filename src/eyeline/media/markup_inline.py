"""A line of running text under construction: blanks folded as a page folds them, each piece with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eyeline.media.markup_blocks import NOWHERE, Place

MAX_URL_CHARS = 2000

_BLANKS = re.compile("[ \t\n\r\f\u00a0\u240c]+")
_NOT_IN_URL = re.compile("[\x00-\x20\u2420\u240a\u240c]+")
_UNREAD_SCHEMES = ("javascript:", "vbscript:", "data:", "about:")


@dataclass(slots=True)
class Inline:
    """Pieces of one line. `generation` grows each time the line is taken, so that a mark in an old line is known."""

    generation: int = 0
    _pieces: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    _after_blank: bool = True

    def add(self, text: str, place: Place) -> None:
        """Add text; runs of blanks become one space, none at the start of a line."""
        folded = _BLANKS.sub(" ", text)
        if self._after_blank and folded.startswith(" "):
            folded = folded[1:]
        if folded:
            self._pieces.append((folded, place))
            self._after_blank = folded.endswith(" ")

    def line_break(self) -> None:
        """Go on in a new line."""
        self._pieces.append(("\n", NOWHERE))
        self._after_blank = True

    def mark(self) -> tuple[int, int]:
        """Where the line is now."""
        return self.generation, len(self._pieces)

    def wraps(self, mark: tuple[int, int]) -> bool:
        """Whether the same line has got something since a mark."""
        return mark[0] == self.generation and any(text.strip() for text, _ in self._pieces[mark[1] :])

    def since(self, mark: tuple[int, int]) -> str:
        """What the line got since a mark."""
        return "".join(text for text, _ in self._pieces[mark[1] :]).strip()

    def wrap(self, mark: tuple[int, int], before: str, after: str, *, place: Place) -> None:
        """Put something around what the line got since a mark; blanks at its ends stay outside."""
        at = mark[1]
        while at < len(self._pieces) and not self._pieces[at][0].strip():
            at += 1
        text, where = self._pieces[at]
        self._pieces[at] = (text.lstrip(" "), where)
        self._pieces.insert(at, (" " * (text[:1] == " ") + before, place))
        text, where = self._pieces[-1]
        self._pieces[-1] = (text.rstrip(" "), where)
        self._pieces.append((after + " " * (text[-1:] == " "), place))

    def take(self) -> list[tuple[str, Place]]:
        """The pieces, without blanks at either end; the line is empty afterwards."""
        pieces, self._pieces = self._pieces, []
        self.generation, self._after_blank = self.generation + 1, True
        while pieces and not pieces[-1][0].strip():
            pieces.pop()
        first = 0
        while first < len(pieces) and not pieces[first][0].strip():
            first += 1
        if pieces:
            pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
        return pieces[first:]


def read_url(url: str) -> str:
    """An address as it is told: without blanks and controls, bounded; empty where it leads nowhere outside the page."""
    if not url:
        return ""
    bare = _NOT_IN_URL.sub("", url[: 2 * MAX_URL_CHARS])
    if bare.startswith("#") or bare.lower().startswith(_UNREAD_SCHEMES):
        return ""
    bare = bare if len(bare) <= MAX_URL_CHARS else bare[:MAX_URL_CHARS] + "…"
    return f"<{bare}>" if re.search(r"[()<>]", bare) else bare
