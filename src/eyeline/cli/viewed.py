"""How an answer of `view` leaves: files in a folder, or a table of the items and texts on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.printing import print_text
from eyeline.cli.tables import Cell, byte_text, print_table
from eyeline.cli.writing import make_folder, write_new
from eyeline.model.manifest import ContentKind
from eyeline.model.viewing import ViewStatus
from eyeline.presenters.files import MANIFEST, viewed_files
from eyeline.presenters.labels import label

if TYPE_CHECKING:
    from eyeline.model.viewing import Viewed, ViewRecord

__all__ = ["MANIFEST", "print_answer", "write_folder"]

_STYLES = {
    ViewStatus.INLINED: "green",
    ViewStatus.LINKED: "dim",
    ViewStatus.SKIPPED: "yellow",
    ViewStatus.FAILED: "red",
}


def write_folder(viewed: Viewed, folder: Path) -> None:
    """Every part as a new file of a folder, and last the manifest. Raises `InvalidRequest` where one is there."""
    make_folder(folder)
    for file in viewed_files(viewed):
        write_new(folder / file.name, [file.bytes])


def print_answer(viewed: Viewed, folder: Path | None) -> None:
    """One line an item; without a folder the texts, too; last what the budgets have left."""
    print_table(("item", "source", "became", "type", ">size", "parts", "what happened"), map(_row, viewed.report.items))
    if folder is not None:
        note(f"written to {folder}, with {MANIFEST}")
    else:
        _print_texts(viewed)
    read, inlined = viewed.report.read, viewed.report.inlined
    note(
        f"read {byte_text(read.used)} of {byte_text(read.allowed)}, "
        f"delivered {byte_text(inlined.used)} of {byte_text(inlined.allowed)}"
    )


def _print_texts(viewed: Viewed) -> None:
    has_media = False
    for place, part in enumerate(viewed.parts):
        if part.entry.content_kind is ContentKind.TEXT:
            click.echo(f"\n── {label(viewed, place)}")
            print_text(part.text)
        else:
            has_media = True
    if has_media:
        note("pictures and sounds are not printed: write them with --out DIR")


def _row(item: ViewRecord) -> tuple[Cell, ...]:
    said = item.message if item.hint is None else f"{item.message} ({item.hint})"
    if item.notes:
        said = f"{said}; {', '.join(item.notes)}"
    return (
        str(item.index),
        item.source,
        (item.status.value, _STYLES[item.status]),
        "" if item.media_type is None else str(item.media_type),
        "" if item.byte_count is None else byte_text(item.byte_count),
        ", ".join(map(str, item.parts)),
        f"{item.code}: {said}",
    )
