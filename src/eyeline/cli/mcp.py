"""`eyeline mcp`: serve agents over standard input and output."""

from __future__ import annotations

import click

from eyeline.cli.verb import Session, Verb, pass_session


@click.command("mcp", cls=Verb, short_help="Serve agents over MCP.")
@click.option(
    "--collection", "collections", metavar="NAME", multiple=True, help="Serve only this one; may be repeated."
)
@pass_session
def command(session: Session, collections: tuple[str, ...]) -> None:
    """Serve the tools find, read and source_open over MCP on standard input and output, until input ends."""
    import getpass

    from eyeline.mcp.server import serve_stdio
    from eyeline.model.access import Principal

    principal = Principal(f"local:{getpass.getuser()}", frozenset(collections)) if collections else None
    with session.eyeline(principal=principal) as eye:
        serve_stdio(eye)
