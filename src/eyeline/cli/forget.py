"""`eyeline forget`: remove documents and versions as if they had never been taken in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import SOME_FAILED
from eyeline.cli.failing import note
from eyeline.cli.printing import print_json
from eyeline.cli.tables import print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import progress, run

if TYPE_CHECKING:
    from eyeline.operations.forget import Forgotten


@click.command("forget", cls=Verb, short_help="Remove documents and versions for good.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@click.pass_context
@pass_session
def command(session: Session, ctx: click.Context, *, sources: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Forget the SOURCEs: a version by its id, or a document with all its versions.

    Original, readings, pictures, cache and tree entries go, and no text of it is left in any file of the home. What
    another version with the same bytes needs stays. The audit log keeps its records, and one of this: ids and digests,
    no text. There is no way back. The database is written anew for it, once in a call, which takes time by its size;
    what Ctrl-C leaves undone of it is finished by the next command that writes.
    """
    if not yes:
        _ask(sources)
    with session.eyeline() as eye, progress("forgotten") as tell:
        report = run(lambda cancel: eye.forget(*sources, surface="cli", progress=tell, cancel=cancel))
    if as_json:
        print_json(report)
    else:
        print_table(("version", "document", "bytes"), map(_row, report.forgotten))
    if not report.complete:
        note("another process was reading the database: `eyeline check --repair` removes what its files still hold")
    sys.stdout.flush()
    ctx.exit(0 if report.complete else SOME_FAILED)


def _ask(sources: tuple[str, ...]) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("say --yes where nobody can be asked")
    named = ", ".join(map(repr, sources))
    click.confirm(f"Forget {named} for good?", abort=True, err=True)


def _row(gone: Forgotten) -> tuple[str, str, str]:
    return gone.version_id, gone.doc_id, "another version has them" if gone.bytes_stay else "gone"
