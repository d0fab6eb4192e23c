"""Files: the parts of an answer under names in their order, and a `manifest.json` that says what each of them is."""

from __future__ import annotations

import json
from dataclasses import dataclass

from eyeline.model.envelope import Opened
from eyeline.model.manifest import ManifestEntry
from eyeline.wire import to_plain

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """Bytes under a file name of ours: place in the answer, role, and the extension of the media type."""

    name: str
    bytes: bytes


def file_name(entry: ManifestEntry, place: int) -> str:
    """`01-overview.png` for the part at a place counted from 0."""
    return f"{place + 1:02d}-{entry.role.value}.{entry.media_type.extension}"


def opened_files(opened: Opened) -> tuple[NamedFile, ...]:
    """Every part as a file, and last the manifest."""
    parts = tuple(NamedFile(file_name(part.entry, place), part.bytes) for place, part in enumerate(opened.parts))
    return (*parts, NamedFile(MANIFEST, _manifest(opened, [part.name for part in parts])))


def _manifest(opened: Opened, names: list[str]) -> bytes:
    """The envelope, led by the names of the files in the order of its `content_manifest`."""
    plain = {"files": names, **to_plain(opened.envelope)}
    return (json.dumps(plain, ensure_ascii=False, indent=2) + "\n").encode()
