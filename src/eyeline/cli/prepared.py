"""A prepared request as `eyeline prepare` shows it: what became of each picture, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eyeline.cli.failing import note
from eyeline.cli.tables import byte_text, print_table

if TYPE_CHECKING:
    from eyeline.model.assembly import AssemblyReport
    from eyeline.request.remote import Placement


def note_placement(placement: Placement | None) -> None:
    """Say how the pictures went to a Files API, where that was asked for."""
    if placement is None:
        return
    if placement.inline is not None:
        note(f"no picture is at a Files API ({placement.inline.value}): all go inline")
    else:
        note(f"{len(placement.files)} pictures are at the Files API, {len(placement.uploaded)} of them since now")


def print_report(report: AssemblyReport) -> None:
    """A table of what became of each picture, and what the request comes to."""
    print_table((">message", "picture", "became", ">size", ">bytes", ">tokens", "because"), _rows(report))
    estimated = "not known for this provider" if report.estimated_tokens is None else f"{report.estimated_tokens:,}"
    note(f"{report.route}: at most {byte_text(report.planned_bytes)}, tokens {estimated}")
    if report.new_steps:
        note("earlier parts of the conversation changed: a cached prompt ends there")


def _rows(report: AssemblyReport) -> Iterator[tuple[str, ...]]:
    for each in report.pictures:
        again = "" if each.occurrence.nth == 1 else f" ({each.occurrence.nth})"
        tokens = (each.image_tokens or 0) + each.text_tokens
        yield (
            str(each.message),
            f"{each.occurrence.attachment_id.hex[:12]}{again}",
            each.outcome.value,
            "" if each.size is None else f"{each.size} px",
            byte_text(each.byte_count) if each.byte_count else "",
            f"{tokens:,}" if each.image_tokens is not None or each.omission else f"{tokens:,}+",
            "" if each.omission is None else each.omission.value,
        )
