"""`eyeline check`: name what is damaged, missing or left over, and repair what can be made again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import NUMBERS, OK, SOME_FAILED
from eyeline.cli.printing import print_json
from eyeline.cli.tables import Cell, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import progress, run

if TYPE_CHECKING:
    from eyeline.model.finding import Finding
    from eyeline.operations.check import CheckReport

MINUTE_MS = 60_000
_STYLES = {"loss": "bold red", "damage": "red", "leftover": "yellow", "due": "yellow"}


@click.command("check", cls=Verb, short_help="Name what is damaged, missing or left over.")
@click.option("--repair", is_flag=True, help="Make again what can be made again, and remove what is left over.")
@click.option(
    "--grace",
    type=click.IntRange(0),
    metavar="MINUTES",
    default=60,
    show_default=True,
    help="How old something is that nothing names before it counts as left over.",
)
@as_json
@click.pass_context
@pass_session
def command(session: Session, ctx: click.Context, *, repair: bool, grace: int, as_json: bool) -> None:
    """Walk everything in the home and name each thing that is wrong, by a stable code.

    Every blob is read in full, every record, folder and link is compared. Originals are never made again: their loss is
    told each time, and the exit code is 20 as long as anything that was kept is lost or damaged. With --repair, the
    rest is mended: files of readings are made again, the tree is published, leftovers go, what was begun is finished.
    """
    with session.eyeline() as eye, progress("looked at") as tell:
        report = run(lambda cancel: eye.check(repair=repair, grace_ms=grace * MINUTE_MS, progress=tell, cancel=cancel))
    if as_json:
        print_json(report)
    else:
        _print(report)
    sys.stdout.flush()
    ctx.exit(_number(report))


def _print(report: CheckReport) -> None:
    if report.findings:
        print_table(("found", "how bad", "where", "what", "repaired"), map(_row, report.findings))
    looked = f"{report.blobs} blobs and {report.documents} documents looked at"
    repaired = len(report.findings) - len(report.left)
    said = ["nothing is wrong" if report.clean else f"{len(report.left)} things are wrong"]
    click.echo(" · ".join([looked, *([f"{repaired} repaired"] if repaired else []), *said]))


def _row(finding: Finding) -> tuple[Cell, ...]:
    severity = finding.severity.value
    repaired = "yes" if finding.repaired else "no"
    return finding.code.value, (severity, _STYLES[severity]), finding.subject, finding.message, repaired


def _number(report: CheckReport) -> int:
    if report.broken:
        return NUMBERS["integrity_error"]
    return OK if report.clean else SOME_FAILED
