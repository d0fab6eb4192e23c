"""What became of each file that was offered, as a table and one line of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eyeline.cli.tables import Cell, byte_text, print_table
from eyeline.model.record import IngestStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyeline.model.record import ItemRecord
    from eyeline.operations.ingest import IngestReport

PLAIN_ROWS = 40
"""How many lines are given to files that simply went well; all others have theirs in any case."""

_STYLES = {
    IngestStatus.TAKEN: "green",
    IngestStatus.DEDUPLICATED: "green",
    IngestStatus.UNCHANGED: "dim",
    IngestStatus.PASSED_OVER: "dim",
    IngestStatus.REFUSED: "yellow",
    IngestStatus.FAILED: "red",
}


def print_report(report: IngestReport) -> None:
    """The table, then the counts."""
    left = PLAIN_ROWS
    rows: list[tuple[Cell, ...]] = []
    for item in report.items:
        if went_well(item):
            left -= 1
        if left >= 0 or not went_well(item):
            rows.append(row(item))
    print_table(("file", "became", "type", ">size", "what happened"), rows)
    if left < 0:
        click.echo(f"… and {-left} more that went well")
    click.echo(counts(report.items))


def went_well(item: ItemRecord) -> bool:
    """Whether there is nothing more to say of a file than that it is there."""
    there = item.status in (IngestStatus.TAKEN, IngestStatus.DEDUPLICATED, IngestStatus.UNCHANGED)
    return there and item.code == "admitted" and not item.notes


def row(item: ItemRecord) -> tuple[Cell, ...]:
    """One line: file, what it became, type, size, why."""
    said = "" if went_well(item) else f"{item.code}: {item.message}"
    if item.notes:
        explained = ", ".join(f"{code} ({(item.detail or {}).get(code, 'see docs')})" for code in item.notes)
        said = f"{said}; {explained}"
    media_type = "" if item.media_type is None else str(item.media_type)
    size = "" if item.byte_count is None else byte_text(item.byte_count)
    source = f"{'  ' * item.depth}{item.source}"
    return source, (item.status.value.replace("_", " "), _STYLES[item.status]), media_type, size, said


def counts(items: Iterable[ItemRecord]) -> str:
    """How many came to what; those kept but not viewable are counted once more."""
    found = list(items)
    said = [
        f"{number} {status.value.replace('_', ' ')}"
        for status in IngestStatus
        if (number := sum(item.status is status for item in found))
    ]
    kept = sum(item.version_id is not None and item.code != "admitted" for item in found)
    if kept:
        said.append(f"{kept} kept but not viewable")
    return " · ".join(said or ["nothing offered"])
