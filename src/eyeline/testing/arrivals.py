"""Sources of a batch whose bytes come in an order that the test decides, for what must not depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from types import TracebackType
from typing import Self

from eyeline.errors import FetchFailed
from eyeline.toolkit.cancel import CancelToken

WAIT_S = 30


@dataclass(frozen=True, slots=True)
class Script:
    """What one source sends: `data`, told ahead or not; `breaks_at` is where it fails instead of going on."""

    data: bytes
    is_told: bool = True
    breaks_at: int | None = None


@dataclass(slots=True)
class ScriptedArrival:
    """One source on its way. It sends nothing before its `gate` opens."""

    name: str
    script: Script
    gate: Event
    cancel: CancelToken
    declared: str | None = None
    _at: int = field(default=0)

    @property
    def leaf(self) -> str:
        """The name itself."""
        return self.name

    @property
    def byte_count(self) -> int | None:
        """The size, where the script tells it."""
        return len(self.script.data) if self.script.is_told else None

    def read(self, size: int, /) -> bytes:
        """The next bytes, once the gate is open. Raises `FetchFailed` where the script breaks."""
        self.cancel.raise_if_cancelled()
        assert self.gate.wait(WAIT_S), "nobody opened the gate"
        end = min(self._at + size, len(self.script.data))
        breaks = self.script.breaks_at
        if breaks is not None and end > breaks:
            end = breaks
            if self._at >= end:
                raise FetchFailed("the script breaks here")
        piece = self.script.data[self._at : end]
        self._at = end
        return piece

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        pass


class ScriptedUrls:
    """Opens URLs by script; `gates` hold the bytes of each back until the test opens them."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = dict(scripts)
        self.gates = {url: Event() for url in scripts}
        self.opened: list[str] = []

    def open(self, url: str, *, cancel: CancelToken) -> ScriptedArrival:
        """The source of a URL."""
        self.opened.append(url)
        return ScriptedArrival(url.rpartition("/")[2], self._scripts[url], self.gates[url], cancel)
