"""Files: the parts of an answer under names in their order, and a `manifest.json` that says what each of them is."""

from __future__ import annotations

import json
from dataclasses import dataclass

from eyeline.model.envelope import Opened
from eyeline.model.manifest import ManifestEntry
from eyeline.model.viewing import Viewed
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


def viewed_file_name(viewed: Viewed, place: int) -> str:
    """`02-item1-page.png` for the part of a batch at a place counted from 0."""
    entry = viewed.parts[place].entry
    return f"{place + 1:02d}-item{viewed.item_of(place)}-{entry.role.value}.{entry.media_type.extension}"


def opened_files(opened: Opened) -> tuple[NamedFile, ...]:
    """Every part as a file, and last the manifest: the envelope, led by the names of the files."""
    names = [file_name(part.entry, place) for place, part in enumerate(opened.parts)]
    return _files(opened, names, account=opened.envelope)


def viewed_files(viewed: Viewed) -> tuple[NamedFile, ...]:
    """Every part as a file, and last the manifest: the report, led by the names of the files."""
    names = [viewed_file_name(viewed, place) for place in range(len(viewed.parts))]
    return _files(viewed, names, account=viewed.report)


def _files(answer: Opened | Viewed, names: list[str], *, account: object) -> tuple[NamedFile, ...]:
    parts = (NamedFile(name, part.bytes) for name, part in zip(names, answer.parts, strict=True))
    # names stand in the order of the content manifest
    plain = {"files": names, **to_plain(account)}
    return (*parts, NamedFile(MANIFEST, (json.dumps(plain, ensure_ascii=False, indent=2) + "\n").encode()))
