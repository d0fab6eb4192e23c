"""`eyeline find`: passages that match, or a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eyeline.cli.failing import note
from eyeline.cli.printing import print_json
from eyeline.cli.tables import byte_text, print_lines, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session
from eyeline.model.document import DEFAULT_COLLECTION
from eyeline.model.media_type import Family

if TYPE_CHECKING:
    from eyeline.model.envelope import Found, SourceHandle


@click.command("find", cls=Verb, short_help="Find passages, or list what is there.")
@click.argument("query", required=False, default="")
@click.option("--collection", metavar="NAME", help="Only this collection.")
@click.option("--family", type=click.Choice([each.value for each in Family]), help="Only this family of media types.")
@click.option("--type", "media_type", metavar="TYPE", help="Only this media type, for example application/pdf.")
@click.option("--name", metavar="TEXT", help="Only where the name or the reference has this text in it.")
@click.option("--limit", type=int, default=20, show_default=True, help="How many at most, 1 to 100.")
@click.option("--cursor", metavar="CURSOR", help="Go on where an earlier answer stopped.")
@as_json
@pass_session
def command(
    session: Session, query: str, *, as_json: bool, limit: int, cursor: str | None, **filters: str | None
) -> None:
    """Find passages of derived text and names; without QUERY, list what is there."""
    given = {name: value for name, value in filters.items() if value is not None}
    with session.eyeline() as eye:
        found = eye.find(query, limit=limit, cursor=cursor, **given)
    if as_json:
        print_json(found)
        return
    if found.negative is not None:
        note(found.negative.message)
    elif query.strip():
        _print_passages(found)
    else:
        _print_listing(found)
    if found.cursor is not None:
        note(f"there is more: --cursor {found.cursor}")


def _print_passages(found: Found) -> None:
    """Each passage on lines of its own, so that ids and locators can be copied whole from any screen."""
    for each in found:
        print_lines(
            (f"{_named(each.source)}  {each.locator}".rstrip(), "bold"),
            (f"  {each.excerpt or '(its name matches)'}", ""),
            (f"  {'  '.join((each.version_id, *each.notes))}", "dim"),
        )


def _print_listing(found: Found) -> None:
    rows = [
        (_named(each), str(each.media_type), extent(each), byte_text(each.byte_count), each.version_id)
        for each in (passage.source for passage in found)
    ]
    print_table(("source", "type", "extent", ">size", "version"), rows)


def _named(source: SourceHandle) -> str:
    """The name, led by the collection unless it is the default one."""
    return source.name if source.collection == DEFAULT_COLLECTION else f"{source.collection}: {source.name}"


def extent(source: SourceHandle) -> str:
    """How large a source is in its own measure; why it is not viewable, if it is not."""
    if source.admission != "admitted":
        return source.admission or "not decoded"
    if source.pages is not None:
        return f"{source.pages} pages"
    if source.frames is not None:
        return f"{source.frames} frames"
    lasting = "" if source.duration_ms is None else f"{source.duration_ms / 1000:g} s"
    size = "" if source.size is None else f"{source.size} px"
    return ", ".join(each for each in (lasting, size) if each)
