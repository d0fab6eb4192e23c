"""`eyeline read`: derived text on standard output."""

from __future__ import annotations

import click

from eyeline.cli.failing import note, refuse
from eyeline.cli.notes import left_out, print_what_it_says_of_itself
from eyeline.cli.printing import print_text
from eyeline.cli.verb import Session, Verb, pass_session


@click.command("read", cls=Verb, short_help="Print the text derived from a source.")
@click.argument("source")
@click.option("--start", type=int, default=0, metavar="N", help="First character, counted from 0.")
@click.option("--end", type=int, metavar="N", help="Up to, not including, this character.")
@click.option("--representation", metavar="ID", help="Which derived text, if not the current one.")
@click.pass_context
@pass_session
def command(
    session: Session, ctx: click.Context, *, source: str, start: int, end: int | None, representation: str | None
) -> None:
    """Print the text derived from SOURCE (`document.md`) or the characters --start to --end of it."""
    with session.eyeline() as eye:
        opened = eye.read(source, start=start, end=end, representation_id=representation)
    if opened.envelope.negative is not None:
        ctx.exit(refuse(opened.envelope.negative))
    for part in opened.parts:
        print_text(part.text)
    for each in opened.envelope.truncation:
        where = None if each.continuation is None else each.continuation.chars
        note(left_out(each, None if where is None else f"--start {where.start}"))
    print_what_it_says_of_itself(opened.envelope)
