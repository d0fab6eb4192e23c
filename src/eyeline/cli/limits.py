"""`eyeline limits`: what is served, and every bound in force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from eyeline.cli.printing import print_json
from eyeline.cli.tables import byte_text, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.wire import to_plain

if TYPE_CHECKING:
    from eyeline.operations.limits import ServedLimits


@click.command("limits", cls=Verb, short_help="Show what is served, and every bound.")
@as_json
@pass_session
def command(session: Session, *, as_json: bool) -> None:
    """Show the served set (media types and their bounds), what one answer may hold, and what is taken in."""
    with session.eyeline() as eye:
        limits = eye.limits()
    if as_json:
        print_json(limits)
        return
    print_table(("what", "bound", ">value"), _rows(limits))
    click.echo(f"decoders: {limits.isolation}")


def _rows(limits: ServedLimits) -> Iterator[tuple[str, str, str]]:
    for group, value in (("served", limits.served), ("one answer", limits.answer), ("taken in", limits.intake)):
        for place, (name, bound) in enumerate(to_plain(value).items()):
            yield group if place == 0 else "", name, _said(name, bound)


def _said(name: str, bound: list[str] | int) -> str:
    if isinstance(bound, list):
        return ", ".join(bound)
    return byte_text(bound) if name.endswith("bytes") else f"{bound:,}".replace(",", " ")
