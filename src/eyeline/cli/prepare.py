"""`eyeline prepare`: make a conversation that holds references into one request."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.prepared import note_placement, print_report
from eyeline.cli.printing import print_json, print_text
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.writing import write_new, write_over

if TYPE_CHECKING:
    from eyeline.model.assembly import OffloadRecord
    from eyeline.request.assembling import Assembled


@click.command("prepare", cls=Verb, short_help="Make a conversation into one request for a model.")
@click.argument("messages")
@click.option("--route", required=True, metavar="NAME", help="A route or the name of a model, for example gpt-5.4.")
@click.option(
    "--world",
    multiple=True,
    metavar="WORLD",
    help="Where the model's tools run: host, none, wsl, windows, or HOST_FOLDER=WORLD_FOLDER (several times). "
    "Default: none.",
)
@click.option("--record", metavar="FILE", help="What was decided for the request before; written again after this one.")
@click.option("--files-api", is_flag=True, help="Upload pictures to the Files API of the route and name them by id.")
@click.option("-o", "output", metavar="FILE", help="Write the body of the request, as JSON, into this new file.")
@click.option("--texts", "show_texts", is_flag=True, help="Print the texts that the model gets, and nothing else.")
@as_json
@pass_session
def command(
    session: Session,
    messages: str,
    *,
    route: str,
    world: tuple[str, ...],
    record: str | None,
    files_api: bool,
    output: str | None,
    show_texts: bool,
    as_json: bool,
) -> None:
    """Make the conversation in the JSON file MESSAGES (- is standard input) into one request for a route.

    Prints what became of each picture: sent, scaled or left out, with the tokens it is estimated to cost.
    """
    from eyeline.request.worlds import world_of

    before = _read_record(record)
    with session.eyeline() as eye:
        assembled = eye.prepare(_read(messages), route=route, world=world_of(world), record=before, files_api=files_api)
    if output is not None:
        write_new(Path(output), [assembled.body_json()])
    if record is not None and assembled.record != before:
        write_over(Path(record), _record_json(assembled))
    note_placement(assembled.placement)
    if show_texts:
        print_text("\n".join(assembled.texts()))
    elif as_json:
        print_json(assembled.report)
    else:
        print_report(assembled.report)


def _read(messages: str) -> bytes:
    return sys.stdin.buffer.read() if messages == "-" else _bytes_of(Path(messages))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise click.UsageError(f"{str(path)!r} cannot be read: {os.strerror(exc.errno or 0)}") from exc


def _read_record(path: str | None) -> OffloadRecord | None:
    from eyeline.model.assembly import OffloadRecord
    from eyeline.wire import loads

    return loads(OffloadRecord, _bytes_of(Path(path))) if path is not None and Path(path).exists() else None


def _record_json(assembled: Assembled) -> bytes:
    from eyeline.wire import dumps

    return dumps(assembled.record, indent=2).encode() + b"\n"
