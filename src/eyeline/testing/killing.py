"""Something happens at a chosen moment: before the N-th call that changes what is on the disk.

    interrupt(7, die)        # this process is killed before its seventh such call
    interrupt(7, freeze)     # it stops there, until somebody continues it
    calls = interrupt(0, die)    # nothing happens; `calls.count` says how many there are

Counted are `fsync`, `link`, `symlink`, `rename`, `replace`, `unlink`, `remove`, `rmdir` and each commit of a database:
between two of them, the disk does not change in a way that a crash could tell. For processes that are there to be
killed; what is put in place stays in place.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

NAMES = ("fsync", "link", "symlink", "rename", "replace", "unlink", "remove", "rmdir")


@dataclass(slots=True)
class Calls:
    """How many calls there were, and what happens before the one with the number `at` (from 1)."""

    at: int
    act: Callable[[], None]
    count: int = 0
    lock: Lock = field(default_factory=Lock)

    def one_more(self, *_: object) -> None:
        """Count a call that is about to be made."""
        with self.lock:
            self.count += 1
            is_due = self.count == self.at
        if is_due:
            self.act()


def die() -> None:
    """End this process as a power cut would: nothing runs any more."""
    os.kill(os.getpid(), signal.SIGKILL)


def freeze() -> None:
    """Stop this process until it is sent SIGCONT."""
    os.kill(os.getpid(), signal.SIGSTOP)


def interrupt(at: int, act: Callable[[], None]) -> Calls:
    """From now on, count the calls of this process, and act before one of them."""
    from sqlalchemy import Engine, event

    calls = Calls(at, act)
    for name in NAMES:
        setattr(os, name, _counted(getattr(os, name), calls))
    event.listen(Engine, "commit", calls.one_more)
    return calls


def _counted(function: Callable[..., Any], calls: Calls) -> Callable[..., Any]:
    def counted(*arguments: Any, **named: Any) -> Any:
        calls.one_more()
        return function(*arguments, **named)

    return counted
