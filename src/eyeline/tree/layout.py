"""Names and paths of the tree, all relative to its root.

A name from outside keeps its letters; what a file system or a reader could trip over is percent-encoded by UTF-8 byte:
characters that are not seen (control, format, bidi, fillers), `%`, `/`, `\\`, a leading dot, a trailing dot or space,
and lone surrogates. A part of more than 180 bytes is cut and ends in `~` and 12 hex digits of its SHA-256.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from eyeline.model.digest import Digest
from eyeline.model.display import is_hidden
from eyeline.model.document import Version
from eyeline.model.media_type import MediaType

INDEX, BY_NAME, CURRENT, README = "index", "by-name", "current", "README.md"
STAGING, NAMES, LOCKS = ".staging", ".names", ".locks"
MAX_PART_BYTES = 180
_UNSAFE = frozenset('%/\\:*?"<>|')


class Named(Protocol):
    """What has a name in the tree: a document does."""

    @property
    def collection(self) -> str:
        """The collection it is in."""
        ...

    @property
    def reference(self) -> str:
        """What it is called there."""
        ...


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a document that may be gone."""

    collection: str
    reference: str


def document_folder(doc_id: str) -> PurePosixPath:
    """Folder of a document."""
    return PurePosixPath(doc_id)


def version_folder(doc_id: str, content: Digest) -> PurePosixPath:
    """Folder of one version: the document's folder and the bare content hash."""
    return PurePosixPath(doc_id) / content.hex


def original_name(media_type: MediaType) -> str:
    """File name of an original; the extension is that of the sniffed type."""
    return f"original.{media_type.extension}"


def original_path(version: Version) -> PurePosixPath:
    """Path of an original."""
    content = version.content
    return version_folder(version.doc_id, content.digest) / original_name(content.media_type)


def representation_folder(version: Version, representation_id: str) -> PurePosixPath:
    """Folder of one representation, one level below the original."""
    return version_folder(version.doc_id, version.content.digest) / representation_id


def shard(doc_id: str) -> str:
    """Which of 256 shards a document is in: the first two hex digits of its id."""
    return doc_id.removeprefix("doc_")[:2]


def index_shard(doc_id: str) -> PurePosixPath:
    """The index file that lists a document."""
    return PurePosixPath(INDEX) / f"{shard(doc_id)}.jsonl"


def name_path(name: Named) -> PurePosixPath:
    """Where a document is found by name: its collection and the parts of its reference, each in its safe spelling."""
    parts = [part for part in name.reference.split("/") if part] or ["unnamed"]
    return PurePosixPath(BY_NAME, safe_part(name.collection), *(safe_part(part) for part in parts))


def safe_part(name: str) -> str:
    """The stated, stable spelling of one path part; equal for equal names, and never empty, `.` or `..`."""
    spelled = "".join(_spell(character) for character in name)
    if spelled.startswith("."):
        spelled = "%2E" + spelled[1:]
    if spelled.endswith((".", " ")):
        spelled = f"{spelled[:-1]}%{ord(spelled[-1]):02X}"
    return _shortened(spelled or "%", name)


def _spell(character: str) -> str:
    if character not in _UNSAFE and not is_hidden(character):
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _shortened(spelled: str, name: str) -> str:
    if len(spelled.encode()) <= MAX_PART_BYTES:
        return spelled
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    suffix = PurePosixPath(spelled).suffix if len(PurePosixPath(spelled).suffix.encode()) <= 16 else ""
    room = MAX_PART_BYTES - len(suffix.encode()) - len(mark) - 1
    head = spelled.encode()[:room].decode("utf-8", "ignore")
    return f"{head}~{mark}{suffix}"
