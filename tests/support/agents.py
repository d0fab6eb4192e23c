"""A small home for agents, and what one of them does in it: look something up, open it, and go wrong once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyeline import Eyeline
from eyeline.media.sample_pdf import make_pdf
from eyeline.testing.scripted_model import Script, Use

PUMP = "88-1742"
PAGES = ("Working pressure 16 bar.", f"Pump serial {PUMP} failed at noon.")
QUESTION = "Which pump failed?"


@dataclass(frozen=True, slots=True)
class Sighted:
    """An application with a document in it."""

    eye: Eyeline
    version_id: str

    @property
    def page(self) -> dict[str, Any]:
        """The arguments that open the page in question."""
        return {"version_id": self.version_id, "locator": "page=2"}

    @property
    def script(self) -> Script:
        """What a model does: it searches, opens the page and one that is not there at once, and answers."""
        nowhere = {"version_id": self.version_id, "locator": "page=9"}
        return [
            [Use("find", {"query": "pump serial"})],
            [Use("source_open", self.page), Use("source_open", nowhere)],
            f"It was {PUMP}.",
        ]


@contextmanager
def sighted(folder: Path) -> Generator[Sighted]:
    """A home with one PDF."""
    manual = folder / "manual.pdf"
    manual.write_bytes(make_pdf(list(PAGES)))
    with Eyeline(folder / "home", principal="ada") as eye:
        eye.ingest(manual)
        yield Sighted(eye, eye.version_of("manual.pdf"))
