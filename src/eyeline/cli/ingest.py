"""`eyeline ingest`: take files and URLs in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eyeline.cli.exit import SOME_FAILED
from eyeline.cli.failing import note
from eyeline.cli.ingested import print_report
from eyeline.cli.printing import print_json
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.cli.working import progress, run
from eyeline.model.document import DEFAULT_COLLECTION

if TYPE_CHECKING:
    from eyeline.operations.ingest import IngestReport

STDIN = "-"


@click.command("ingest", cls=Verb, short_help="Take in files, folders, globs and URLs.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--collection", metavar="NAME", default=DEFAULT_COLLECTION, show_default=True, help="Where it goes.")
@click.option("--ref", metavar="REFERENCE", help="The reference of a single file or URL, if not its name.")
@click.option("--name", metavar="NAME", help="The name of what comes on standard input.")
@click.option("--no-wait", "wait", is_flag=True, default=True, flag_value=False, help="Leave the text to `convert`.")
@as_json
@click.pass_context
@pass_session
def command(
    session: Session,
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    collection: str,
    ref: str | None,
    name: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Take in files, folders, globs and what http(s) URLs lead to. PATH - is standard input, under --name.

    A URL is fetched under the policy `urls` of the settings: public addresses, ports 80 and 443, at most as many bytes
    as a file may have. It is the document's name then. A local path that looks like one is written with ./ in front.

    Every file has a line in the answer: taken, deduplicated, unchanged, passed over, refused or failed, and why. An
    original is kept as it came also when it cannot be decoded; then it is not viewable and says so.
    """
    if (STDIN in paths) != (name is not None) or (name is not None and (len(paths) > 1 or ref is not None)):
        raise click.UsageError("standard input is `ingest - --name NAME`, alone and without --ref")
    with session.eyeline() as eye:
        if name is not None:
            stream = sys.stdin.buffer
            report = run(
                lambda cancel: eye.ingest_stream(stream, name=name, collection=collection, wait=wait, cancel=cancel)
            )
        else:
            with progress("taken in") as tell:
                report = run(
                    lambda cancel: eye.ingest(
                        *paths, collection=collection, ref=ref, wait=wait, progress=tell, cancel=cancel
                    )
                )
    if not wait:
        note("the text is not there yet: `eyeline convert --all` makes it")
    ctx.exit(_present(report, as_json=as_json))


def _present(report: IngestReport, *, as_json: bool) -> int:
    if as_json:
        print_json(report)
    else:
        print_report(report)
    sys.stdout.flush()
    return 0 if report.complete else SOME_FAILED
