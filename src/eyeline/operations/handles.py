"""Source handles: what an agent needs to go on with a source."""

from __future__ import annotations

from dataclasses import replace

from eyeline.media.engines import engine_for
from eyeline.model.display import shown
from eyeline.model.document import Enclosed
from eyeline.model.envelope import Freshness, Readiness, SourceHandle
from eyeline.model.media_type import Family
from eyeline.operations.resolving import Resolved
from eyeline.tree.layout import original_path

MAX_ENCLOSURES = 50
"""Of what a mail encloses, so many are named in its handle; all of them are found by the mail's reference."""


def handle_of(resolved: Resolved) -> SourceHandle:
    """The source handle of a resolved version."""
    content, probe = resolved.version.content, None if resolved.admission is None else resolved.admission.probe
    representation = resolved.representation
    return SourceHandle(
        doc_id=resolved.document.doc_id,
        version_id=resolved.version.version_id,
        representation_id=None if representation is None else representation.representation_id,
        name=shown(resolved.document.title),
        collection=resolved.document.collection,
        family=content.media_type.family,
        media_type=content.media_type,
        byte_count=content.byte_count,
        content=content.digest,
        readiness=readiness_of(resolved),
        tree_path=str(original_path(resolved.version)),
        next_action=_next_action(resolved),
        size=None if probe is None else probe.size,
        pages=None if probe is None else probe.page_count or None,
        frames=None if probe is None or probe.frames == 1 or probe.frames_are_pages else probe.frames,
        duration_ms=None if probe is None else probe.duration_ms,
        admission=None if resolved.admission is None else resolved.admission.outcome.value,
        came_in=None if resolved.came_in is None else _named(resolved.came_in),
        enclosures=tuple(_named(each) for each in resolved.enclosures[:MAX_ENCLOSURES]),
    )


def _named(each: Enclosed) -> Enclosed:
    """With its title made safe to show."""
    return replace(each, title=shown(each.title))


def readiness_of(resolved: Resolved) -> Readiness:
    """The four independent facts, each from persisted records."""
    return Readiness(
        source_stored=resolved.stored,
        agent_view_ready=resolved.admitted and _is_servable(resolved),
        text_retrieval_ready=resolved.representation is not None,
        visual_search_ready={"text->picture": "not_configured"},
    )


def _is_servable(resolved: Resolved) -> bool:
    """Whether anything that is served can be made of these bytes: a text, a picture, or what was read of one."""
    family = resolved.version.content.media_type.family
    probe = None if resolved.admission is None else resolved.admission.probe
    if probe is None:
        return family is Family.TEXT
    engine = engine_for(resolved.version.content.media_type)
    is_drawn = engine is not None and engine.renders and (probe.size is not None or bool(probe.pages))
    has_parts = is_drawn or bool(probe.sheets) or bool(probe.tracks)
    return family is Family.TEXT or has_parts or resolved.representation is not None


def freshness_of(resolved: Resolved) -> Freshness:
    """Which version was answered from, and which one is current now."""
    return Freshness(resolved.version.version_id, resolved.document.current_version_id, resolved.is_current)


def _next_action(resolved: Resolved) -> str:
    version_id = resolved.version.version_id
    if not resolved.admitted:
        return f"not viewable: fetch the original bytes (eyeline fetch {version_id}) or read them in the tree"
    return f"source_open(version_id={version_id!r})"
