"""`show`: everything known about one document: versions, admission, representations, gaps."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.errors import VersionNotFound
from eyeline.model.access import Principal
from eyeline.model.display import MAX_REFERENCE_CHARS, shown
from eyeline.model.envelope import Grain, SourceHandle
from eyeline.model.probe import Probe
from eyeline.model.reading import ConversionManifest
from eyeline.operations.handles import handle_of
from eyeline.operations.resolving import Resolved, promised, resolve
from eyeline.render.subject import read_blob
from eyeline.store.base import BlobStore
from eyeline.wire import loads


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """One version of the document in short."""

    version_id: str
    content: str
    media_type: str
    byte_count: int
    is_current: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A source with its versions, what decoding found, and the account of its current representation.

    `reference` is neutralised text from outside.
    """

    source: SourceHandle
    reference: str
    versions: tuple[ShownVersion, ...]
    admission_reason: str | None
    probe: Probe | None
    conversion: ConversionManifest | None
    grain: Grain = Grain.CATALOG


def show(version_id: str, *, catalog: Catalog, store: BlobStore, policy: str, principal: Principal) -> Shown | None:
    """What is known of a version and its document; none for what this principal must not tell from nothing."""
    resolved = resolve(version_id, representation_id=None, catalog=catalog, policy=policy, principal=principal)
    if resolved is None:
        return None
    admission = resolved.admission
    try:
        with promised(resolved.version, catalog=catalog):
            conversion = _account(resolved, store)
    except VersionNotFound:
        return None
    return Shown(
        source=handle_of(resolved),
        reference=shown(resolved.document.reference, max_chars=MAX_REFERENCE_CHARS),
        versions=_versions(resolved, catalog),
        admission_reason=None if admission is None else admission.reason,
        probe=None if admission is None else admission.probe,
        conversion=conversion,
    )


def _versions(resolved: Resolved, catalog: Catalog) -> tuple[ShownVersion, ...]:
    return tuple(
        ShownVersion(
            version_id=each.version_id,
            content=str(each.content.digest),
            media_type=str(each.content.media_type),
            byte_count=each.content.byte_count,
            is_current=each.version_id == resolved.document.current_version_id,
            created_ms=each.created_ms,
        )
        for each in catalog.versions_of(resolved.document.doc_id)
    )


def _account(resolved: Resolved, store: BlobStore) -> ConversionManifest | None:
    if resolved.representation is None:
        return None
    return loads(ConversionManifest, read_blob(store, resolved.representation.manifest))
