"""Deliveries that break off after they were recorded as released: the audit log gets a completion that says so."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from eyeline.errors import EyelineError
from eyeline.model.envelope import Opened
from eyeline.toolkit.hooks import ToolCall, ToolHooks

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline

STATE = "delivery"
"""Where the state of a call holds its `Delivery`."""


class Delivery:
    """What one call released, and whether anybody still waits for it. Told from two threads, in any order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[Eyeline, Opened] | None = None
        self._broken: str | None = None

    def made(self, opened: Opened, *, eye: Eyeline) -> None:
        """The call came to an answer, which this application released."""
        with self._lock:
            self._made = (eye, opened)
            self._record()

    def broke(self, code: str) -> None:
        """The answer will not be sent."""
        with self._lock:
            self._broken = self._broken or code
            self._record()

    def _record(self) -> None:
        if self._made is None or self._broken is None:
            return
        (eye, opened), self._made = self._made, None
        try:
            eye.complete_delivery(opened, code=self._broken)
        except EyelineError:
            logging.getLogger("eyeline").exception("a broken delivery is not in the audit log")


class Deliveries(ToolHooks):
    """Tells the delivery of each call what the call released; a surface puts one into the state of its context."""

    def __init__(self, eye: Eyeline) -> None:
        self._eye = eye

    def after_handle(self, call: ToolCall, value: Any) -> None:
        """After the handler answered: what it opened is recorded as released."""
        delivery = call.context.state.get(STATE)
        if isinstance(delivery, Delivery) and isinstance(value, Opened) and value.parts:
            delivery.made(value, eye=self._eye)
