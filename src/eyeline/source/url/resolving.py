"""One look-up of a name, in a thread that nobody has to wait for."""

from __future__ import annotations

import select
import socket
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from eyeline.source.url.admitting import parse_address
from eyeline.source.url.reasons import WhyUnreachable, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyeline.source.url.special import Address
    from eyeline.source.url.watching import Watch

    Resolve = Callable[[str, int], Sequence[str]]
    """Name and port to the texts of all its addresses; raises `OSError` where it has none."""


def system_resolve(host: str, port: int) -> list[str]:
    """Ask the resolver of this machine."""
    return [str(answer[4][0]) for answer in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def look_up(host: str, *, port: int, resolve: Resolve, watch: Watch) -> list[Address | None]:
    """Every answer, in order, each once; None for one that is no plain address.

    Asked once. The resolver cannot be interrupted: when time is up or nobody wants the answer, its thread is left to
    end by itself. Raises `Unreachable` where there is no answer, and what `watch` raises.
    """
    heard, told = socket.socketpair()
    answers: list[Sequence[str]] = []
    failures: list[OSError] = []

    def ask() -> None:
        try:
            answers.append(resolve(host, port))
        except OSError as exc:
            failures.append(exc)
        finally:
            with told, suppress(OSError):
                # nobody may be left to hear it
                told.send(b"\0")

    Thread(target=ask, name="eyeline-look-up", daemon=True).start()
    with heard:
        watch.wait([heard], select.POLLIN)
    if not answers or not answers[0]:
        raise unreachable(
            WhyUnreachable.NAME,
            "the name of the host cannot be looked up",
            hint="check its spelling, or try again later",
        ) from next(iter(failures), None)
    return list(map(parse_address, dict.fromkeys(answers[0])))
