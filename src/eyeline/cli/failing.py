"""How a failure ends: a sentence, the way out and the id of the incident on standard error; never a traceback."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import ANSWERS, INTERRUPTED, NUMBERS, OUTPUT_CLOSED
from eyeline.errors import Cancelled, EyelineError

if TYPE_CHECKING:
    from eyeline.model.envelope import Boundary, Negative


def note(text: str) -> None:
    """One line for people, on standard error."""
    click.echo(text, err=True)


def exit_for(cause: BaseException, *, about: str, home: str | None) -> click.exceptions.Exit:
    """Say what went wrong, and the exit it comes to."""
    if isinstance(cause, KeyboardInterrupt | Cancelled):
        note("eyeline: interrupted")
        return click.exceptions.Exit(INTERRUPTED)
    if isinstance(cause, BrokenPipeError):
        _forget_stdout()
        return click.exceptions.Exit(OUTPUT_CLOSED)
    return click.exceptions.Exit(_say(cause, about=about, home=home))


def refuse(refusal: Negative | Boundary, *, silently: bool = False) -> int:
    """The exit number of an answer that is a no; unless silent, say why and what could be had."""
    if not silently:
        note(f"eyeline: {refusal.message}")
        way_out = getattr(refusal, "way_out", None)
        members = ", ".join(str(member) for member in getattr(refusal, "members", ()))
        if way_out:
            note(f"  {way_out}")
        if members:
            note(f"  members: {members}")
    return ANSWERS[refusal.code.value]


def _say(cause: BaseException, *, about: str, home: str | None) -> int:
    from eyeline.cli.incidents import LOG, incidents_logged
    from eyeline.toolkit.safety import safe_error

    with incidents_logged(home) as log:
        safe = safe_error(cause, about=about)
    if isinstance(cause, EyelineError):
        note(f"eyeline: {cause.message}")
        if cause.hint:
            note(f"  {cause.hint}")
        for name, value in cause.detail.items():
            if isinstance(value, list):
                note(f"  {name}: {', '.join(value)}")
    else:
        note("eyeline: something unexpected went wrong")
    if safe.incident_id is not None:
        where = f"look for it in {LOG} in the home" if log.is_written else "its cause could not be written to the home"
        note(f"  incident {safe.incident_id}: {where}")
    return NUMBERS[safe.code]


def _forget_stdout() -> None:
    """Nobody reads any more: what is still buffered must not raise again when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
