"""`eyeline publish`: write the tree."""

from __future__ import annotations

import os

import click

from eyeline.cli.failing import note
from eyeline.cli.verb import Session, Verb, pass_session
from eyeline.cli.working import progress, run


@click.command("publish", cls=Verb, short_help="Write the tree that agents walk.")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@pass_session
def command(session: Session, sources: tuple[str, ...]) -> None:
    """Write the tree of every document, or of the SOURCEs named: plain folders to walk with ls, cat and grep.

    What is taken in is published at once; this makes good what is missing. The tree is the folder tree/ of the home.
    """
    with session.eyeline() as eye, progress("published") as tell:
        count = run(lambda cancel: eye.publish(*sources, progress=tell, cancel=cancel))
    click.echo(f"{count} {'document' if count == 1 else 'documents'} published in {_place(session)}")
    note("reads of the tree on a plain file system are not recorded; opens are")


def _place(session: Session) -> str:
    """Where the tree is, in the words the caller used."""
    if session.home is not None:
        return f"{session.home.rstrip('/')}/tree"
    return "$EYELINE_HOME/tree" if os.environ.get("EYELINE_HOME") else "tree/ of the home"
