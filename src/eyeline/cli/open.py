"""`eyeline open`: the original, or exactly the page, region or range that matters, as files, as text, or streamed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli import opened as presenting
from eyeline.cli.failing import refuse
from eyeline.cli.printing import print_json
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import run
from eyeline.cli.writing import delivery, free_folder

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.presenters.opened import OpenedSource


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where an answer goes: a folder, a file, `-` for standard output, or none of them; and whether as JSON."""

    folder: Path | None
    output: str | None
    as_json: bool


@click.command("open", cls=Verb, short_help="Open a source, or exactly one part of it.")
@click.argument("source")
@click.option("--locator", metavar="L", help="Which part, for example 'page=3&xywh=percent:10,20,40,15'.")
@click.option("--accept", metavar="TYPE", multiple=True, help="A media type to take, best first; may be repeated.")
@click.option("--representation", metavar="ID", help="Which derived text goes with it, if not the current one.")
@click.option(
    "--out", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Write every part and manifest.json here."
)
@click.option("-o", "output", metavar="FILE", help="Write the one part to this new file; - is standard output.")
@as_json
@click.pass_context
@pass_session
def command(
    session: Session,
    ctx: click.Context,
    *,
    source: str,
    locator: str | None,
    accept: tuple[str, ...],
    representation: str | None,
    folder: Path | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Open SOURCE, or the part of it that --locator names. Every open is recorded.

    Parts of a locator, joined with &: page=3 (also a slide) · frame=2 · t=12.5 (an instant, in seconds) or t=12.5,20
    (a span), with track=2 another of its tracks of sound · xywh=percent:x,y,w,h or xywh=pixel:x,y,w,h (a region of the
    upright picture; on a page one pixel is 1/72 inch) · sheet=Q3 or sheet=Q3&cell=A1:C9 · line=10,40 (from 1) ·
    char=0,1200 (from 0).

    Without --out and -o texts are printed, and pictures are listed.
    """
    if output is not None and (folder is not None or as_json):
        raise click.UsageError("-o goes neither with --out nor with --json")
    if folder is not None:
        free_folder(folder, reserved=presenting.MANIFEST)
    with session.eyeline() as eye:
        answer = run(
            lambda cancel: eye.open(
                source,
                locator=locator,
                accept=accept or None,
                representation_id=representation,
                surface="cli",
                cancel=cancel,
            )
        )
        ctx.exit(_deliver(eye, answer, Wanted(folder, output, as_json)))


def _deliver(eye: Eyeline, answer: OpenedSource, wanted: Wanted) -> int:
    refusal = answer.envelope.negative or answer.envelope.boundary
    with delivery(eye, answer):
        if refusal is not None:
            if wanted.as_json:
                print_json(answer.envelope)
            return refuse(refusal, silently=wanted.as_json)
        if wanted.folder is not None:
            presenting.write_folder(answer, wanted.folder)
        if wanted.output is not None:
            presenting.write_single(answer, wanted.output)
            whole = True
        elif wanted.as_json:
            print_json(answer.envelope)
            whole = wanted.folder is not None
        else:
            whole = presenting.print_answer(answer, wanted.folder)
        sys.stdout.flush()
    if not whole:
        eye.complete_delivery(answer, code="not_taken")
    presenting.print_notes(answer)
    return 0
