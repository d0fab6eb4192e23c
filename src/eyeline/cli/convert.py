"""`eyeline convert`: read originals again where that is due."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import SOME_FAILED
from eyeline.cli.printing import print_json
from eyeline.cli.tables import Cell, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import progress, run

if TYPE_CHECKING:
    from eyeline.operations.convert import ConvertRecord, ConvertReport

_STYLES = {"converted": "green", "unchanged": "dim", "not_viewable": "yellow", "failed": "red"}


@click.command("convert", cls=Verb, short_help="Read originals again where that is due.")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--all", "is_all", is_flag=True, help="Everything in this home.")
@click.option("--again", is_flag=True, help="Also where nothing has changed, and what failed for good.")
@as_json
@click.pass_context
@pass_session
def command(
    session: Session, ctx: click.Context, *, sources: tuple[str, ...], is_all: bool, again: bool, as_json: bool
) -> None:
    """Read the originals of the SOURCEs, or all of them, where that is due.

    Due is what has no text yet (`ingest --no-wait`, a process that was killed), what has a gap that another try may
    fill, and what other engines, models or settings made than are in force now. The new reading becomes current when it
    is complete; the one before stays. What was begun goes on page by page.
    """
    if bool(sources) == is_all:
        raise click.UsageError("name SOURCEs, or say --all")
    with session.eyeline() as eye, progress("converted") as tell:
        report = run(lambda cancel: eye.convert(*sources, again=again, progress=tell, cancel=cancel))
    if as_json:
        print_json(report)
    else:
        _print(report, is_all=is_all)
    sys.stdout.flush()
    ctx.exit(0 if report.complete else SOME_FAILED)


def _print(report: ConvertReport, *, is_all: bool) -> None:
    """A line for each version; of everything, only for those that something became of."""
    told = [item for item in report.items if not is_all or item.status.value not in ("unchanged", "not_viewable")]
    if told:
        print_table(("source", "version", "became", "reading", "what happened"), map(_row, told))
    counts = {status: sum(item.status.value == status for item in report.items) for status in _STYLES}
    said = [f"{count} {status.replace('_', ' ')}" for status, count in counts.items() if count]
    click.echo(" · ".join(said or ["nothing there"]))


def _row(item: ConvertRecord) -> tuple[Cell, ...]:
    status = item.status.value
    why = item.message if item.code == status else f"{item.code}: {item.message}"
    became = (status.replace("_", " "), _STYLES[status])
    return item.name, item.version_id, became, item.representation_id or "", why
