"""`eyeline audit`: what was delivered, refused, failed and forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eyeline.catalog.records import AuditChain
from eyeline.cli.failing import note
from eyeline.cli.printing import print_json
from eyeline.cli.show import moment
from eyeline.cli.tables import byte_text, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session

if TYPE_CHECKING:
    from eyeline.model.audit import AuditEntry


@click.command("audit", cls=Verb, short_help="List what was delivered, refused, failed and forgotten.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many at most.")
@click.option("--cursor", metavar="CURSOR", help="Go on where an earlier answer stopped.")
@click.option("--verify", is_flag=True, help="Walk the chain instead: does every record follow from the one before?")
@as_json
@pass_session
def command(session: Session, *, limit: int, cursor: str | None, verify: bool, as_json: bool) -> None:
    """List what was delivered, refused, failed and forgotten, newest first."""
    with session.eyeline() as eye:
        answer = eye.verify_audit() if verify else eye.audit(cursor=cursor, limit=limit)
    if as_json:
        print_json(answer)
    elif isinstance(answer, AuditChain):
        click.echo(f"the chain holds: {answer.entries} records, the last one {answer.head or 'none'}")
    else:
        columns = (">no", "when", "principal", "over", "outcome", "version", "locator", ">size")
        print_table(columns, map(_row, answer.entries))
        if answer.cursor is not None:
            note(f"there is more: --cursor {answer.cursor}")


def _row(entry: AuditEntry) -> tuple[str, ...]:
    record = entry.record
    outcome = record.outcome.value if record.code is None else f"{record.outcome.value}: {record.code}"
    if record.completion_of is not None:
        outcome += f", ends no {record.completion_of}"
    return (
        str(entry.seq),
        moment(record.at_ms),
        record.principal,
        f"{record.surface} {record.action.value}",
        outcome,
        record.version_id or "",
        "" if record.locator is None else str(record.locator),
        byte_text(sum(part.byte_count for part in record.parts)) if record.parts else "",
    )
