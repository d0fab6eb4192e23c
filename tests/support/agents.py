"""A small home for agents, and what one of them does in it: look something up, open it, and go wrong once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.tools import Remembering, counting_tool, runner_of

from eyeline import Eyeline
from eyeline.media.sample_pdf import make_pdf
from eyeline.testing.scripted_model import Script, Use
from eyeline.toolkit.context import ToolContext
from eyeline.toolkit.runner import ToolRunner

PUMP = "88-1742"
PAGES = ("Working pressure 16 bar.", f"Pump serial {PUMP} failed at noon.")
QUESTION = "Which pump failed?"
WAIT_S = 60


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


def cancelled_statuses(run: Callable[[ToolRunner], Coroutine[Any, Any, object]]) -> list[str]:
    """How the calls ended of a run that is cancelled as a task while its one tool, `count`, waits for its token."""
    entered, ended = threading.Event(), threading.Event()

    def wait(_request: Any, context: ToolContext) -> Any:
        entered.set()
        context.cancel.wait(WAIT_S)
        ended.set()
        context.cancel.raise_if_cancelled()

    heard = Remembering()
    slow = counting_tool(wait, surfaces=frozenset({"agents"}), presenters={})

    async def turn_away() -> None:
        task = asyncio.create_task(run(runner_of(slow, hooks=(heard,))))
        await asyncio.to_thread(entered.wait, WAIT_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(turn_away())
    assert ended.is_set()
    return [event.status.value for event in heard.events]
