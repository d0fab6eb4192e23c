"""Couriers over a folder and servers on loopback, and the tools over them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from tests.support.tools import Remembering, caller, runner_of
from tests.support.urls import policy

from eyeline.app.courier import Courier
from eyeline.model.carrying import Checked, Standing, WaitLimits
from eyeline.model.media_type import MediaType
from eyeline.settings import Settings
from eyeline.testing.hostile_ways import Exchange
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.outcome import ToolOutcome
from eyeline.tools.carrying import courier_tools

QUICK = WaitLimits(max_wait_ms=200, first_pause_ms=1, max_pause_ms=5)


def below(folder: Path) -> list[str]:
    """Everything in a folder, with a slash behind folders."""
    return sorted(f"{path.relative_to(folder)}{'/' if path.is_dir() else ''}" for path in folder.rglob("*"))


def settings_for(*webs: HostileWeb, **view: Any) -> Settings:
    return Settings(urls=policy(*webs), view=replace(Settings().view, **view), wait=QUICK)


def serving(body: bytes, *fields: str) -> Callable[[Exchange], None]:
    """A way of a server to answer with some bytes."""
    return lambda exchange: exchange.answer(body, *fields)


@dataclass(slots=True)
class Shelf:
    """A sink that keeps what it takes; `before` runs first, then it reads in pieces."""

    name: str = "shelf"
    before: Callable[[BinaryIO], object] = lambda stream: None
    taken: list[tuple[bytes, str, str, int]] = field(default_factory=list[tuple[bytes, str, str, int]])

    def put(self, stream: BinaryIO, *, name: str, media_type: MediaType, byte_count: int) -> str:
        self.before(stream)
        data = b"".join(iter(lambda: stream.read(1000), b""))
        self.taken.append((data, name, str(media_type), byte_count))
        return f"{self.name}/{len(self.taken)}"


@dataclass(slots=True)
class Scripted:
    """A condition that answers what it is told to, the last again and again; `looked` is set at the first look."""

    answers: list[Checked | Exception]
    name: str = "ready"
    subjects: list[str] = field(default_factory=list[str])
    looked: threading.Event = field(default_factory=threading.Event)

    def check(self, subject: str) -> Checked:
        self.subjects.append(subject)
        self.looked.set()
        answer = self.answers[min(len(self.subjects), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


PENDING = Checked(Standing.PENDING, "half of it")


@dataclass(slots=True)
class Calls:
    """Calls of the tools over a courier, with what a hook heard and what progress was told."""

    courier: Courier
    hook: Remembering = field(default_factory=Remembering)
    progress: list[tuple[float, float | None, str]] = field(default_factory=list[tuple[float, float | None, str]])

    def call(self, tool: str, /, arguments: Any, **context: Any) -> ToolOutcome[Any]:
        runner = runner_of(*courier_tools(self.courier), hooks=(self.hook,))
        return runner.run(tool, arguments, context=caller(**({"on_progress": self._told} | context)))

    def _told(self, done: float, total: float | None, message: str) -> None:
        self.progress.append((done, total, message))
