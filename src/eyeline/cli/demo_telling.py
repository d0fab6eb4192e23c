"""How the demo speaks: headings, lines, and claims that are counted as they are checked."""

from __future__ import annotations

import sys

from eyeline.cli.tables import console
from eyeline.errors import IntegrityError


class Teller:
    """Prints as things happen. A claim that does not hold is shown as such and remembered."""

    def __init__(self) -> None:
        self._console = console(sys.stdout)
        self._held = 0
        self._broken: list[str] = []

    def heading(self, text: str) -> None:
        """The beginning of a chapter."""
        self._say(f"\n{text}\n", "bold cyan")

    def line(self, text: str = "") -> None:
        """One line of the story."""
        self._say(text)

    def aside(self, text: str) -> None:
        """A line that matters less."""
        self._say(text, "dim")

    def call(self, text: str) -> None:
        """What an agent asks."""
        self._say(f"  → {text}", "bold")

    def answer(self, text: str) -> None:
        """What it is answered."""
        self._say(f"  ← {text}")

    def claim(self, text: str, *, holds: bool) -> None:
        """Something that was checked just now."""
        self._say(f"  {'✓' if holds else '✗'} {text}", "green" if holds else "bold red")
        if holds:
            self._held += 1
        else:
            self._broken.append(text)

    def end(self) -> str:
        """How many claims were checked; raises `IntegrityError` when one of them did not hold."""
        if self._broken:
            raise IntegrityError(f"{len(self._broken)} of the demo's claims did not hold", claims=self._broken)
        return f"{self._held} claims checked, all of them hold"

    def _say(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(text, style=style), soft_wrap=True)
