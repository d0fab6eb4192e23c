"""What the publisher is told about a document; it asks no catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.document import Admission, Document, Enclosed, Representation, Version
from eyeline.model.envelope import Readiness


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """One version with what is known of it, the representations to show, and what came inside what."""

    version: Version
    admission: Admission | None
    readiness: Readiness
    representations: tuple[Representation, ...]
    current_representation_id: str | None
    came_in: Enclosed | None = None
    enclosures: tuple[Enclosed, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document with its versions, newest first."""

    document: Document
    versions: tuple[VersionEntry, ...]

    @property
    def current(self) -> VersionEntry:
        """The current version; a document always has one."""
        wanted = self.document.current_version_id
        return next((each for each in self.versions if each.version.version_id == wanted), self.versions[0])
