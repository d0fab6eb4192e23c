"""`eyeline mcp`: serve agents over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from eyeline.cli.verb import Session, Verb, pass_session


@click.command("mcp", cls=Verb, short_help="Serve agents over MCP.")
@click.option(
    "--collection", "collections", metavar="NAME", multiple=True, help="Serve only this one; may be repeated."
)
@click.option(
    "--base-dir", metavar="DIR", type=click.Path(path_type=Path), help="Offer view_file for files of this folder."
)
@click.option("--allow-urls", is_flag=True, help="Offer view_file for http(s) URLs; docs/urls.md says how guarded.")
@pass_session
def command(session: Session, *, collections: tuple[str, ...], base_dir: Path | None, allow_urls: bool) -> None:
    """Serve the tools find, read and source_open over MCP on standard input and output, until input ends.

    With --base-dir or --allow-urls also view_file, which shows files and URLs without taking them in.
    """
    import getpass

    from eyeline.mcp.server import serve_stdio
    from eyeline.model.access import Principal

    principal = Principal(f"local:{getpass.getuser()}", frozenset(collections)) if collections else None
    with session.eyeline(principal=principal) as eye:
        viewer = eye.viewer(base_dir, allow_urls=allow_urls) if base_dir is not None or allow_urls else None
        serve_stdio(eye, viewer=viewer)
