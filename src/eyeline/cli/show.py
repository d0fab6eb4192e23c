"""`eyeline show`: everything known of one source."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from eyeline.cli.find import extent
from eyeline.cli.printing import print_json
from eyeline.cli.tables import byte_text, print_table
from eyeline.cli.verb import Session, Verb, as_json, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyeline.operations.show import Shown


@click.command("show", cls=Verb, short_help="Show everything known of a source.")
@click.argument("source")
@as_json
@pass_session
def command(session: Session, source: str, *, as_json: bool) -> None:
    """Show what is known of SOURCE: its versions, what decoding found, how its text was made and what is missing."""
    with session.eyeline() as eye:
        shown = eye.show(source)
    if as_json:
        print_json(shown)
        return
    print_table(("what", "value"), _facts(shown), title=shown.source.name)
    print_table(("version", ">size", "since", ""), _versions(shown), title="Versions")
    if shown.conversion is not None and shown.conversion.gaps:
        gaps = [(gap.lane, gap.code, str(gap.locator) or "the whole") for gap in shown.conversion.gaps]
        print_table(("lane", "what is missing", "where"), gaps, title="Gaps")


def _facts(shown: Shown) -> Iterator[tuple[str, str]]:
    source = shown.source
    yield "document", source.doc_id
    yield "version", source.version_id
    yield "reference", f"{shown.reference} in {source.collection}"
    yield "type", f"{source.media_type}, {byte_text(source.byte_count)}"
    yield "extent", extent(source)
    if shown.admission_reason:
        yield "admission", shown.admission_reason
    yield "content", str(source.content)
    yield "tree path", source.tree_path
    if source.came_in is not None:
        yield "came in", f"{source.came_in.title} ({source.came_in.doc_id}), number {source.came_in.number} there"
    for each in source.enclosures:
        yield f"encloses {each.number}", f"{each.title} ({each.doc_id})"
    ready = source.readiness
    yield "viewable", "yes" if ready.agent_view_ready else "no"
    yield "text", source.representation_id or "none"
    if shown.conversion is not None:
        lanes = (f"{each.lane}: {each.read} of {each.total} {each.unit}" for each in shown.conversion.coverage)
        yield "read", ", ".join(lanes)
        components = (f"{each.name} {each.version}" for each in shown.conversion.components)
        yield "with", ", ".join(dict.fromkeys(components))
    yield "next", source.next_action


def _versions(shown: Shown) -> Iterator[tuple[str, str, str, str]]:
    for each in shown.versions:
        since = moment(each.created_ms)
        yield each.version_id, byte_text(each.byte_count), since, "current" if each.is_current else ""


def moment(at_ms: int) -> str:
    """A moment in UTC, to the second."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
