"""`eyeline attach`: keep pictures and files of a conversation, and print their references."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.printing import print_json
from eyeline.cli.verb import Session, Verb, pass_session
from eyeline.cli.working import run

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.operations.attach import AttachReport
    from eyeline.request.saving import Kind
    from eyeline.toolkit.cancel import CancelToken

STDIN = "-"
DAY_MS = 86_400_000


@click.command("attach", cls=Verb, short_help="Keep pictures and files of a conversation, by reference.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--name", metavar="NAME", help="The name of what comes on standard input.")
@click.option("--file", "as_file", is_flag=True, help="Keep pictures as files: exact bytes, not normalised.")
@click.option(
    "--hold", "holder", metavar="HOLDER", help="Who needs them, as a conversation: nothing held is collected."
)
@click.option("--release", metavar="HOLDER", help="HOLDER needs nothing any more.")
@click.option("--collect", metavar="DAYS", type=click.IntRange(min=0), help="Let go what nobody held for DAYS days.")
@click.option("--list", "listed", is_flag=True, help="Print what is kept, one JSON object a line.")
@pass_session
def command(
    session: Session,
    *,
    files: tuple[str, ...],
    name: str | None,
    as_file: bool,
    holder: str | None,
    release: str | None,
    collect: int | None,
    listed: bool,
) -> None:
    """Keep the FILEs of one message and print their references as JSON. FILE - is standard input, under --name.

    What is a picture by its bytes is kept as it came and as a normalised object; anything else as its exact bytes. All
    are attached, or none is.
    """
    if (STDIN in files) != (name is not None) or (name is not None and len(files) > 1):
        raise click.UsageError("standard input is `attach - --name NAME`, alone")
    if not files and release is None and collect is None and not listed:
        raise click.UsageError("name a FILE, or what to do: --list, --release or --collect")
    with session.eyeline() as eye:
        if files:
            chosen = Chosen("file" if as_file else None, holder)
            print_json(run(lambda cancel: _attached(eye, files, name, chosen=chosen, cancel=cancel)))
        if release is not None:
            note(f"released: {eye.attachments.release(release)}")
        if collect is not None:
            print_json(eye.attachments.collect(grace_ms=collect * DAY_MS))
        if listed:
            for entry in eye.attachments.list():
                print_json(entry)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the files are taken for, and who holds them."""

    kind: Kind | None
    holder: str | None


def _attached(
    eye: Eyeline, files: tuple[str, ...], name: str | None, *, chosen: Chosen, cancel: CancelToken
) -> AttachReport:
    if name is not None:
        return eye.attach_stream(sys.stdin.buffer, name=name, kind=chosen.kind, holder=chosen.holder, cancel=cancel)
    return eye.attach(*files, kind=chosen.kind, holder=chosen.holder, cancel=cancel)
