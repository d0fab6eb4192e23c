"""What the tree is told about a document, gathered from the catalogue."""

from __future__ import annotations

from eyeline.catalog.catalog import Catalog
from eyeline.errors import DocumentNotFound
from eyeline.model.document import Document, Version
from eyeline.operations.handles import readiness_of
from eyeline.operations.resolving import resolved_from
from eyeline.tree.entry import DocumentEntry, VersionEntry


def entry_of(doc_id: str, *, catalog: Catalog, policy: str) -> DocumentEntry:
    """Everything the tree shows of one document; raises `DocumentNotFound`."""
    document = catalog.document(doc_id)
    if document is None:
        raise DocumentNotFound(f"no document answers to {doc_id!r}")
    versions = tuple(_version(document, each, catalog, policy) for each in reversed(catalog.versions_of(doc_id)))
    return DocumentEntry(document, versions)


def _version(document: Document, version: Version, catalog: Catalog, policy: str) -> VersionEntry:
    current = catalog.current_representation(version.version_id)
    resolved = resolved_from(document, version, current, catalog=catalog, policy=policy)
    return VersionEntry(
        version=version,
        admission=resolved.admission,
        readiness=readiness_of(resolved),
        representations=catalog.representations_of(version.content.digest, collection=document.collection),
        current_representation_id=None if current is None else current.representation_id,
    )
