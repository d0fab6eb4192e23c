"""What the tree is told about a document, gathered from the catalogue while the document is locked."""

from __future__ import annotations

from pathlib import Path

from eyeline.catalog.catalog import Catalog
from eyeline.model.document import Document, Version
from eyeline.operations.handles import readiness_of
from eyeline.operations.resolving import resolved_from
from eyeline.tree.entry import DocumentEntry, VersionEntry
from eyeline.tree.layout import Named
from eyeline.tree.publisher import Publisher


def published(
    doc_id: str, *, catalog: Catalog, publisher: Publisher, policy: str, name: Named | None = None
) -> Path | None:
    """Make the tree say what the catalogue says of a document, also that there is none; its folder, if there is one.

    `name` is what a document was called that is gone. Raises as `Publisher.publish`.
    """
    return publisher.publish(doc_id, lambda: entry_of(doc_id, catalog=catalog, policy=policy), name=name)


def entry_of(doc_id: str, *, catalog: Catalog, policy: str) -> DocumentEntry | None:
    """Everything the tree shows of one document; none when there is no such document, or not any more."""
    document = catalog.document(doc_id)
    if document is None:
        return None
    versions = tuple(_version(document, each, catalog, policy) for each in reversed(catalog.versions_of(doc_id)))
    return DocumentEntry(document, versions) if versions else None


def _version(document: Document, version: Version, catalog: Catalog, policy: str) -> VersionEntry:
    current = catalog.current_representation(version.version_id)
    resolved = resolved_from(document, version, current, catalog=catalog, policy=policy)
    return VersionEntry(
        version=version,
        admission=resolved.admission,
        readiness=readiness_of(resolved),
        representations=catalog.representations_of(version.content.digest, collection=document.collection),
        current_representation_id=None if current is None else current.representation_id,
        came_in=resolved.came_in,
        enclosures=resolved.enclosures,
    )
