"""`eyeline view`: a batch of files and URLs, shown without taking them in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli import viewed as presenting
from eyeline.cli.exit import SOME_FAILED
from eyeline.cli.printing import print_json
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import progress, run
from eyeline.cli.writing import free_folder

if TYPE_CHECKING:
    from eyeline.model.viewing import Viewed


@click.command("view", cls=Verb, short_help="Show files and URLs without taking them in.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option(
    "--base-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder that files are taken from, and from nowhere else.  [default: the current folder]",
)
@click.option(
    "--out", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Write every part and manifest.json here."
)
@click.option("--on-mcp", is_flag=True, help="Answer within the limit of an MCP answer.")
@as_json
@click.pass_context
@pass_session
def command(
    session: Session,
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    base_dir: Path,
    folder: Path | None,
    on_mcp: bool,
    as_json: bool,
) -> None:
    """Show files and http(s) URLs as an agent would get them, under one budget. Nothing is kept.

    Each has a line in the answer: inlined, linked, skipped or failed, and why. Without --out, texts are printed and
    pictures are listed.
    """
    if folder is not None:
        free_folder(folder, reserved=presenting.MANIFEST)
    with session.viewer(base_dir) as viewer, progress("looked at") as tell:
        answer = viewer.settings.mcp_answer if on_mcp else None
        viewed = run(lambda cancel: viewer.view(*paths, answer=answer, cancel=cancel, progress=tell))
    ctx.exit(_present(viewed, folder=folder, as_json=as_json))


def _present(viewed: Viewed, *, folder: Path | None, as_json: bool) -> int:
    if folder is not None:
        presenting.write_folder(viewed, folder)
    if as_json:
        print_json(viewed.report)
    else:
        presenting.print_answer(viewed, folder)
    sys.stdout.flush()
    return 0 if viewed.report.is_complete else SOME_FAILED
