"""The zip archive of an office document: its parts within bounds, and what they refer to. Nothing goes to the disk.

Every part is inflated in memory at most as far as it may be, an archive within an archive is never opened, and a
reference that leads out of the file is counted and not followed.
"""

from __future__ import annotations

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, cast

from eyeline.errors import CorruptMedia, EncryptedMedia, MediaTooLarge
from eyeline.media.office.trees import Tree, tree_of
from eyeline.model.document import AdmissionOutcome

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

MAX_MEMBERS = 20_000
MAX_TOTAL_BYTES = 4 << 30
MAX_PART_BYTES = 64 << 20
"""The largest part that is held whole."""

MAX_STREAM_BYTES = 1 << 30
"""The largest part that is read piece by piece."""

MAX_RATIO, RATIO_FROM_BYTES = 200, 32 << 20
"""How many times its size an archive may inflate to, once that is more than a number of bytes."""

_CHUNK_BYTES = 256 << 10
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, UnicodeDecodeError, ValueError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: the last word of the relation's type, and the name of a part, or where it leads."""

    kind: str
    target: str
    is_external: bool


@dataclass(slots=True)
class Package:
    """An open archive. `notes` are short codes for what was odd but harmless; `lost` names parts that cannot be read.

    Raises `CorruptMedia`, `EncryptedMedia` and `MediaTooLarge`, here and in every method that reads.
    """

    reader: Reader
    notes: list[str] = field(default_factory=list[str])
    external: int = 0
    lost: set[str] = field(default_factory=set[str])
    _zip: zipfile.ZipFile = field(init=False)
    _members: dict[str, zipfile.ZipInfo] = field(default_factory=dict[str, zipfile.ZipInfo])

    def __post_init__(self) -> None:
        try:
            self._zip = zipfile.ZipFile(cast("Any", self.reader))
        except _BROKEN as exc:
            self._refuse_broken(exc)
        self._check_bounds()
        self._list()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parts, as they are written."""
        return tuple(info.filename for info in self._members.values())

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._members

    def size_of(self, name: str) -> int:
        """How many bytes a part inflates to, as the archive says; 0 for a part that is not there."""
        info = self._members.get(name.lower())
        return 0 if info is None else info.file_size

    def part(self, name: str, *, most: int = MAX_PART_BYTES) -> bytes:
        """A part, whole."""
        return b"".join(self.pieces(name, most=most))

    def pieces(self, name: str, *, most: int = MAX_STREAM_BYTES) -> Iterator[bytes]:
        """A part piece by piece; checked against its check sum at its end."""
        info = self._members.get(name.lower())
        if info is None:
            raise CorruptMedia("a part of the document is missing")
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedMedia("a part of the document is encrypted", hint="save it without its password")
        if info.file_size > most:
            raise _too_large(f"a part of the document inflates to {info.file_size} bytes, allowed are {most}")
        try:
            with self._zip.open(info) as opened:
                while piece := opened.read(_CHUNK_BYTES):
                    yield piece
        except _BROKEN as exc:
            raise CorruptMedia("a part of the document is damaged") from exc

    def tree(self, name: str) -> Tree:
        """A part as a tree of elements."""
        return tree_of(self.part(name))

    def side_tree(self, name: str) -> Tree | None:
        """A part without which the document goes on; none, and lost, where it cannot be read."""
        try:
            return self.tree(name)
        except (CorruptMedia, MediaTooLarge):
            self.lost.add(name)
            return None

    def relations(self, name: str) -> dict[str, Relation]:
        """What a part (or, for an empty name, the package) refers to, by id; empty where that cannot be read."""
        folder, leaf = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{leaf}.rels")
        if listed not in self:
            return {}
        found: dict[str, Relation] = {}
        tree = self.side_tree(listed)
        for element in () if tree is None else tree.iter("rel:Relationship"):
            target, is_external = element.get("Target", ""), element.get("TargetMode", "").lower() == "external"
            self.external += is_external
            place = target if is_external else _resolved(folder, target)
            found[element.get("Id", "")] = Relation(element.get("Type", "").rpartition("/")[2], place, is_external)
        return found

    def main_part(self) -> str:
        """The name of the part that the package begins with."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and not relation.is_external:
                return relation.target
        raise CorruptMedia("the package does not say where the document begins")

    def _check_bounds(self) -> None:
        members = self._zip.infolist()
        if len(members) > MAX_MEMBERS:
            raise _too_large(f"the archive has {len(members)} members, allowed are {MAX_MEMBERS}")
        total = sum(info.file_size for info in members)
        is_bomb = total > RATIO_FROM_BYTES and total > MAX_RATIO * self.reader.size
        if total > MAX_TOTAL_BYTES or is_bomb:
            raise _too_large(f"{self.reader.size} bytes inflate to {total}")

    def _list(self) -> None:
        """The members by name in lower case; of those of one name the first, as names must not come twice."""
        for info in self._zip.infolist():
            name = info.filename
            if name.startswith("/") or "\\" in name or ".." in name.split("/") or "\x00" in info.orig_filename:
                self._note("odd_member_names")
            elif self._members.setdefault(name.lower(), info) is not info:
                self._note("duplicate_members")

    def _note(self, code: str) -> None:
        if code not in self.notes:
            self.notes.append(code)

    def _refuse_broken(self, cause: Exception) -> NoReturn:
        self.reader.seek(max(0, self.reader.size - 70_000))
        is_cut = b"PK\x05\x06" not in self.reader.read(70_000)
        outcome = AdmissionOutcome.TRUNCATED if is_cut else AdmissionOutcome.MALFORMED
        reason = "the file ends before the list of its parts" if is_cut else "the list of its parts is damaged"
        raise CorruptMedia(reason, outcome=outcome.value) from cause


def _resolved(folder: str, target: str) -> str:
    plain = target.split("#", 1)[0]
    joined = plain.lstrip("/") if plain.startswith("/") else posixpath.join(folder, plain)
    return posixpath.normpath(joined)


def _too_large(reason: str) -> MediaTooLarge:
    return MediaTooLarge(reason, outcome=AdmissionOutcome.OVER_MEMORY.value)
