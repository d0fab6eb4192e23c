"""How an answer of `open` leaves: files in a folder, one stream, or text and a table on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.notes import left_out, print_what_it_says_of_itself
from eyeline.cli.printing import print_text, write_bytes
from eyeline.cli.tables import byte_text, print_table
from eyeline.cli.writing import make_folder, write_new
from eyeline.errors import InvalidRequest
from eyeline.model.manifest import ContentKind
from eyeline.presenters.files import MANIFEST, file_name, opened_files
from eyeline.presenters.labels import label

if TYPE_CHECKING:
    from eyeline.model.envelope import Opened
    from eyeline.model.manifest import ManifestEntry

__all__ = ["MANIFEST", "print_answer", "print_notes", "write_folder", "write_single"]


def write_folder(opened: Opened, folder: Path) -> None:
    """Every part as a new file of a folder, and last the manifest: where it is, all is there.

    Raises `InvalidRequest` where one of them is there already.
    """
    make_folder(folder)
    for file in opened_files(opened):
        write_new(folder / file.name, [file.bytes])


def write_single(opened: Opened, output: str) -> None:
    """The one part to a new file or, for `-`, to standard output. Raises `InvalidRequest` when there are several."""
    if len(opened.parts) != 1:
        roles = [f"{entry.role.value} ({entry.media_type})" for entry in opened.content_manifest]
        raise InvalidRequest(
            f"-o takes one part, and this answer has {len(roles)}",
            hint="narrow it with --accept, for example --accept 'image/*' or 'text/*', or take all of them with --out",
            parts=roles,
        )
    (part,) = opened.parts
    if output != "-":
        write_new(Path(output), [part.bytes])
    elif part.entry.content_kind is ContentKind.TEXT:
        print_text(part.text)
    elif sys.stdout.isatty():
        raise InvalidRequest(f"{part.entry.media_type} is not for a terminal", hint="name a file with -o FILE")
    else:
        write_bytes(part.bytes)


def print_answer(opened: Opened, folder: Path | None) -> bool:
    """The answer for people; whether every part was handed over.

    With a folder the table says which file is what. Without one, texts are printed and pictures are only listed.
    """
    pictures = any(entry.content_kind is not ContentKind.TEXT for entry in opened.content_manifest)
    if folder is not None or pictures:
        columns = ("file", "media type", ">size", "pixels", "locator", "origin")
        print_table(columns, (_row(entry, place) for place, entry in enumerate(opened.content_manifest)))
    if folder is not None:
        note(f"written to {folder}, with {MANIFEST}")
        return True
    for place, part in enumerate(opened.parts):
        if part.entry.content_kind is ContentKind.TEXT:
            if len(opened.parts) > 1:
                click.echo(f"\n── {label(opened, place)}")
            print_text(part.text)
    if pictures:
        note("pictures are not printed: write them with --out DIR, or one of them with -o FILE")
    return not pictures


def print_notes(opened: Opened) -> None:
    """On standard error: what was left out and how to go on, and what the answer says of itself."""
    for each in opened.envelope.truncation:
        note(left_out(each, None if each.continuation is None else f"--locator '{each.continuation}'"))
    print_what_it_says_of_itself(opened.envelope)


def _row(entry: ManifestEntry, place: int) -> tuple[str, ...]:
    return tuple(_cells(entry, place))


def _cells(entry: ManifestEntry, place: int) -> Iterator[str]:
    yield file_name(entry, place)
    yield str(entry.media_type)
    yield byte_text(entry.byte_count)
    yield "" if entry.scale is None else str(entry.scale.delivered)
    yield str(entry.locator) or "the whole"
    yield entry.origin.value
