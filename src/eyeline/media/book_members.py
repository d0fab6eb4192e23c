"""The members of a book's archive, within bounds on what they inflate to, and the elements of its XML files.

A member is reached by its name in the archive and by nothing else: no path of a manifest leads out of the file. No
entity is expanded and no document type is read.
"""

from __future__ import annotations

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from eyeline.errors import CorruptMedia, EncryptedMedia, MediaTooLarge
from eyeline.model.document import AdmissionOutcome

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

MAX_MEMBERS = 20_000
MAX_MEMBER_BYTES = 32 << 20
MAX_TOTAL_BYTES = 512 << 20
MAX_RATIO, RATIO_FROM_BYTES = 200, 16 << 20
MAX_DIRECTORY_BYTES = 16 << 20
MAX_ELEMENTS = 200_000
TAIL_BYTES = 66_000

_ENCRYPTED = 0x1
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, struct.error, UnicodeDecodeError, ValueError, RuntimeError, OSError),
)


def open_archive(reader: Reader) -> zipfile.ZipFile:
    """The archive that a source is. Raises `CorruptMedia` (`truncated` without its list), `MediaTooLarge`."""
    reader.seek(max(0, reader.size - TAIL_BYTES))
    tail = reader.read(TAIL_BYTES)
    at = tail.rfind(b"PK\x05\x06")
    outcome = AdmissionOutcome.TRUNCATED if at < 0 else AdmissionOutcome.MALFORMED
    if 0 <= at <= len(tail) - 22:
        count, length = struct.unpack_from("<HI", tail, at + 10)
        if count > MAX_MEMBERS or MAX_DIRECTORY_BYTES < length < 0xFFFFFFFF:
            raise too_large(f"the archive lists {count} members in {length} bytes")
    try:
        archive = zipfile.ZipFile(cast("Any", reader))
    except _BROKEN as exc:
        reason = "the file ends before the list of its members" if at < 0 else "the list of its members is damaged"
        raise CorruptMedia(reason, outcome=outcome.value) from exc
    if len(archive.infolist()) > MAX_MEMBERS:
        raise too_large(f"the archive lists more than {MAX_MEMBERS} members")
    return archive


def too_large(reason: str) -> MediaTooLarge:
    """What an archive says that would take more than it may."""
    return MediaTooLarge(reason, outcome=AdmissionOutcome.OVER_MEMORY.value)


@dataclass(slots=True)
class Members:
    """The members of a book by name, the first of each; `inflated` counts the bytes that were read of all together."""

    reader: Reader
    inflated: int = 0
    _archive: zipfile.ZipFile = field(init=False)
    _by_name: dict[str, zipfile.ZipInfo] = field(default_factory=dict[str, zipfile.ZipInfo])

    def __post_init__(self) -> None:
        self._archive = open_archive(self.reader)
        for info in self._archive.infolist():
            self._by_name.setdefault(info.filename, info)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def read(self, name: str) -> bytes:
        """A member, whole. Raises `CorruptMedia`, `EncryptedMedia`, and `MediaTooLarge` over any bound."""
        info = self._by_name.get(name)
        if info is None:
            raise CorruptMedia("a member of the book is missing")
        if info.flag_bits & _ENCRYPTED:
            raise EncryptedMedia("a member of the book is encrypted")
        room = min(MAX_MEMBER_BYTES, MAX_TOTAL_BYTES - self.inflated)
        if self.inflated > RATIO_FROM_BYTES:
            room = min(room, MAX_RATIO * self.reader.size - self.inflated)
        try:
            with self._archive.open(info) as opened:
                data = opened.read(max(0, room) + 1)
        except _BROKEN as exc:
            raise CorruptMedia("a member of the book is damaged") from exc
        self.inflated += len(data)
        if len(data) > room:
            raise too_large(f"the book inflates to more than {self.inflated - 1} bytes")
        return data


def member_name(base: str, address: str) -> str | None:
    """The name of the member that an address in another member means; none for one that leads out of the book."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
        return None
    name = posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(parts.path)))
    return None if name.startswith(("../", "/")) or name in ("..", ".") else name


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an XML file: its local name, its attributes by local name, its text, and how deep it stands."""

    name: str
    attributes: dict[str, str]
    depth: int
    text: list[str] = field(default_factory=list[str])

    @property
    def words(self) -> str:
        """The text inside it, on one line."""
        return " ".join("".join(self.text).split())


def elements_of(data: bytes) -> list[Element]:
    """The elements of an XML file in order. Raises `CorruptMedia`: not well formed, too many, or with entities."""
    found: list[Element] = []
    opened: list[Element] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(found) >= MAX_ELEMENTS:
            raise CorruptMedia("an XML file of the book has too many elements")
        local = {each.rpartition(":")[2]: value for each, value in attributes.items()}
        found.append(Element(name.rpartition(":")[2], local, len(opened)))
        opened.append(found[-1])

    def text(words: str) -> None:
        for each in opened[-1:]:
            each.text.append(words)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: opened.pop()
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse
    _parse(parser.Parse, data)
    return found


def _refuse(*_: object) -> None:
    raise CorruptMedia("an XML file of the book declares entities")


def _parse(parse: Callable[[bytes, bool], object], data: bytes) -> None:
    try:
        parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as exc:
        raise CorruptMedia("an XML file of the book is not well formed") from exc
