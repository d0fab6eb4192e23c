"""From what a caller names to records: version, document, admission, reading. One text for unknown and not granted."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import BlobState
from eyeline.errors import BlobNotFound, DocumentNotFound, IntegrityError, RepresentationMismatch, VersionNotFound
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.document import (
    Admission,
    AdmissionOutcome,
    Document,
    Enclosed,
    Representation,
    SourceKind,
    Version,
)
from eyeline.model.ids import is_id

UNKNOWN = "nothing here answers to this id: it never existed, was forgotten, or is not open to this caller"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A version that this principal may see, with everything the catalogue knows of it.

    `came_in` is the mail it came in, `enclosures` what came in it.
    """

    document: Document
    version: Version
    admission: Admission | None
    representation: Representation | None
    stored: bool
    came_in: Enclosed | None = None
    enclosures: tuple[Enclosed, ...] = ()

    @property
    def admitted(self) -> bool:
        """Whether the bytes may be decoded for delivery."""
        return self.admission is not None and self.admission.outcome is AdmissionOutcome.ADMITTED

    @property
    def is_current(self) -> bool:
        """Whether this is the document's current version."""
        return self.document.current_version_id == self.version.version_id


def resolve(
    version_id: str, *, representation_id: str | None, catalog: Catalog, policy: str, principal: Principal
) -> Resolved | None:
    """The version and the representation to answer from; none for anything this principal must not tell apart.

    Raises `RepresentationMismatch` for a representation of other bytes.
    """
    sight = catalog.sight(version_id, policy=policy) if is_id(version_id, "ver") else None
    if sight is None or not principal.sees(sight.document.collection):
        return None
    version, representation = sight.version, sight.representation
    if representation_id is not None:
        representation = (
            catalog.representation(representation_id, collections=principal.collections)
            if is_id(representation_id, "rep")
            else None
        )
        if representation is None:
            return None
        if representation.content != version.content.digest:
            raise RepresentationMismatch(
                f"{representation_id!r} does not read the bytes of {version_id!r}",
                hint="leave representation_id out to take the current one",
            )
    return Resolved(
        sight.document,
        version,
        sight.admission,
        representation,
        sight.stored,
        came_in=sight.came_in,
        enclosures=sight.enclosures,
    )


@contextmanager
def promised(version: Version, *, catalog: Catalog) -> Generator[None]:
    """While inside, every blob is there that the records of a version name.

    Raises `VersionNotFound` when one is not because the version was forgotten meanwhile, else `IntegrityError`.
    """
    try:
        yield
    except BlobNotFound as exc:
        if catalog.version(version.version_id) is None:
            raise VersionNotFound(UNKNOWN) from exc
        lost = str(exc.detail.get("digest"))
        raise IntegrityError("a blob that the records name is not in the store", digest=lost) from exc


def resolved_from(
    document: Document, version: Version, representation: Representation | None, *, catalog: Catalog, policy: str
) -> Resolved:
    """Add what is known of a version's bytes: their admission under a policy, and whether they are kept."""
    content = version.content.digest
    stored = catalog.blob_state(content) is BlobState.STORED
    is_enclosed, is_mail = document.source_kind is SourceKind.ENCLOSED, version.content.media_type.is_mail
    return Resolved(
        document,
        version,
        catalog.admission(content, policy),
        representation,
        stored,
        came_in=catalog.enclosures.around(version.version_id) if is_enclosed else None,
        enclosures=catalog.enclosures.of(version.version_id) if is_mail else (),
    )


def version_named(name: str, *, catalog: Catalog, principal: Principal) -> str:
    """The version id that a person's word means: a version id, a document id, a tree path or a name.

    Raises `DocumentNotFound`, and `InvalidRequest` listing the candidates when several documents have the name.
    """
    if is_id(name, "ver"):
        return name
    parts = [part for part in name.split("/") if is_id(part, "doc")]
    if parts:
        return _version_in_path(name, parts[0], catalog=catalog, principal=principal)
    document = catalog.document_named(name, collections=principal.collections)
    if document is None or document.current_version_id is None:
        raise DocumentNotFound(f"no document is called {shown(name)!r}", hint="look it up with `eyeline find`")
    return document.current_version_id


def versions_named(name: str, *, catalog: Catalog, principal: Principal) -> tuple[Version, ...]:
    """The versions that a person's word means: one for a version id or a path to one, else all of the document.

    Raises as `version_named`.
    """
    version = catalog.version(version_named(name, catalog=catalog, principal=principal))
    document = None if version is None else catalog.document(version.doc_id)
    if version is None or document is None or not principal.sees(document.collection):
        raise DocumentNotFound(UNKNOWN)
    names_one = is_id(name, "ver") or version.content.digest.hex in name.split("/")
    return (version,) if names_one else catalog.versions_of(document.doc_id)


def _version_in_path(path: str, doc_id: str, *, catalog: Catalog, principal: Principal) -> str:
    document = catalog.document(doc_id)
    if document is None or not principal.sees(document.collection):
        raise DocumentNotFound(UNKNOWN)
    rest = path.split(doc_id, 1)[1].split("/")
    for version in catalog.versions_of(doc_id):
        if version.content.digest.hex in rest:
            return version.version_id
    if document.current_version_id is None:
        raise DocumentNotFound(UNKNOWN)
    return document.current_version_id
