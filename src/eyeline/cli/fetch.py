"""`eyeline fetch`: the exact bytes of an original."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.printing import write_bytes
from eyeline.cli.tables import byte_text
from eyeline.cli.verb import Session, Verb, pass_session
from eyeline.cli.writing import code_of, write_new

if TYPE_CHECKING:
    from eyeline.operations.fetch import Fetched

_RANGE = re.compile(r"(\d{1,18})-(\d{1,18})?")


@click.command("fetch", cls=Verb, short_help="Write the exact bytes of an original.")
@click.argument("source")
@click.option("-o", "output", metavar="FILE", help="Write this new file; - is standard output. Default: original.<ext>")
@click.option("--range", "byte_range", metavar="A-B", help="Bytes A to B, both included, from 0; A- for the rest.")
@pass_session
def command(session: Session, source: str, *, output: str | None, byte_range: str | None) -> None:
    """Write the exact bytes of the original of SOURCE to a file. The digest of a whole original is checked.

    Every fetch is recorded; so is one that breaks off.
    """
    start, end = _bounds(byte_range)
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError("an original is not for a terminal: name a file with -o FILE, or use a pipe")
    with session.eyeline() as eye:
        fetched = eye.fetch(source, start=start, end=end, surface="cli")
        target = output or fetched.file_name
        try:
            _write(fetched, target)
        except BaseException as cause:
            fetched.broken(code_of(cause))
            raise
    length = byte_text(fetched.end - fetched.start)
    note(f"{'' if target == '-' else target + ': '}{length} of {fetched.content.media_type}, {fetched.content.digest}")


def _write(fetched: Fetched, target: str) -> None:
    if target != "-":
        write_new(Path(target), fetched.chunks)
    else:
        for chunk in fetched.chunks:
            write_bytes(chunk)


def _bounds(text: str | None) -> tuple[int, int | None]:
    """The half-open range that `A-B` or `A-` means."""
    if text is None:
        return 0, None
    match = _RANGE.fullmatch(text)
    if match is None or not text.isascii():
        raise click.BadParameter(f"{text!r} is not A-B or A-", param_hint="--range")
    return int(match[1]), None if match[2] is None else int(match[2]) + 1
