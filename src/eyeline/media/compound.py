"""Compound files (MS-CFB), the container of Outlook messages: opened as folders of streams, and written anew.

Every stream is read when it is asked for, and no chain of sectors is followed twice through the same place.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import olefile

from eyeline.errors import CorruptMedia, MediaTooLarge
from eyeline.model.document import AdmissionOutcome

MAX_LEVELS = 64
MAX_CLAIMED = 4
"""All streams together may claim so many times the bytes of the file: sectors that are used twice cost no more."""

SECTOR, SMALL, CUTOFF = 4096, 64, 4096
_PER_SECTOR, _HEADER_SLOTS, _ENTRY_BYTES = SECTOR // 4, 109, 128
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_FOLDER, _STREAM, _ROOT, _BLACK = 1, 2, 5, 1
_BROKEN = (
    *(OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, OverflowError, EOFError),
    RecursionError,
)

Read = Callable[[], tuple[bytes, bool]]
"""The bytes of a stream, and whether they are all there."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Streams and folders by name."""

    streams: dict[str, Read] = field(default_factory=dict[str, Read])
    folders: dict[str, Folder] = field(default_factory=dict[str, "Folder"])


def open_compound(data: bytes) -> Folder:
    """The folders of a compound file. Raises `CorruptMedia`, `truncated` where its tables lie behind its end."""
    try:
        library: Any = olefile
        opened = library.OleFileIO(io.BytesIO(data))
        return _Opened(opened, data).folder(opened.root, 0)
    except _BROKEN as exc:
        outcome = AdmissionOutcome.TRUNCATED if _is_cut(data) else AdmissionOutcome.MALFORMED
        raise CorruptMedia("the compound file cannot be opened", outcome=outcome.value) from exc


def write_compound(root: Folder) -> bytes:
    """A compound file with the same streams, always the same bytes for the same. Raises `MediaTooLarge`."""
    return _Writing(root).made()


def _is_cut(data: bytes) -> bool:
    """Whether a table that the header names lies behind the end."""
    if len(data) < 512:
        return True
    shift = int.from_bytes(data[30:32], "little")
    if shift not in (9, 12):
        return False
    listed = [*struct.unpack_from("<I", data, 48), *struct.unpack_from(f"<{_HEADER_SLOTS}I", data, 76)]
    return any((each + 2) << shift > len(data) for each in listed if each < _FAT - 1)


@dataclass(slots=True)
class _Opened:
    """A compound file whose tables the library has read."""

    ole: Any
    data: bytes
    _claimed: int = 0
    _small: bytes | None = None

    def folder(self, entry: Any, level: int) -> Folder:
        if level > MAX_LEVELS:
            raise CorruptMedia("the folders of the compound file are nested too deeply")
        made = Folder()
        for kid in entry.kids:
            name = str(kid.name)
            if kid.entry_type == _FOLDER:
                made.folders[name] = self.folder(kid, level + 1)
            elif kid.entry_type == _STREAM:
                made.streams[name] = self._reading(int(kid.isectStart), int(kid.size))
        return made

    def _reading(self, start: int, size: int) -> Read:
        if size <= len(self.data):
            self._claimed += size
        if self._claimed > MAX_CLAIMED * len(self.data):
            raise CorruptMedia("the streams of the compound file claim more bytes than it has")
        return lambda: self._read(start, size)

    def _read(self, start: int, size: int) -> tuple[bytes, bool]:
        """As many bytes of a stream as its chain of sectors leads to."""
        if size >= int(self.ole.minisectorcutoff):
            return self._large(start, size)
        if size and self._small is None:
            self._small = self._small_bytes()
        unit, table = int(self.ole.minisectorsize), self.ole.minifat or ()
        return _joined(self._small or b"", table, at=start, size=size, unit=unit, first=0)

    def _large(self, start: int, size: int) -> tuple[bytes, bool]:
        unit = int(self.ole.sectorsize)
        return _joined(self.data, self.ole.fat, at=start, size=size, unit=unit, first=1)

    def _small_bytes(self) -> bytes:
        """What holds all small streams together; as far as it is there."""
        try:
            self.ole.loadminifat()
        except _BROKEN:
            return b""
        return self._large(int(self.ole.root.isectStart), min(int(self.ole.root.size), len(self.data)))[0]


def _joined(data: bytes, table: Sequence[int], *, at: int, size: int, unit: int, first: int) -> tuple[bytes, bool]:
    """Sectors of `data` in the order of their chain, up to its end or to where it comes back to one."""
    pieces, seen = list[bytes](), set[int]()
    for _ in range(-(-min(size, len(data)) // unit)):
        if at in seen or not 0 <= at < len(table):
            break
        seen.add(at)
        pieces.append(data[(at + first) * unit : (at + first + 1) * unit])
        at = int(table[at])
    joined = b"".join(pieces)[:size]
    return joined, len(joined) == size


@dataclass(slots=True)
class _Entry:
    """One entry of the directory."""

    name: str
    kind: int
    data: bytes = b""
    left: int = _FREE
    right: int = _FREE
    child: int = _FREE
    start: int = _END

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le", "surrogatepass")[:62]
        head = name.ljust(64, b"\0") + struct.pack("<HBB", len(name) + 2, self.kind, _BLACK)
        places = struct.pack("<III", self.left, self.right, self.child)
        return head + places + bytes(36) + struct.pack("<IQ", self.start, len(self.data))


class _Writing:
    """Lays out a compound file: tables, directory, small streams together, and large ones by themselves."""

    def __init__(self, root: Folder) -> None:
        self._entries = [_Entry("Root Entry", _ROOT)]
        self._entries[0].child = self._kids(root)
        self._small = bytearray()
        self._small_chain: list[int] = []

    def made(self) -> bytes:
        large = [entry for entry in self._entries if entry.kind == _STREAM and len(entry.data) >= CUTOFF]
        self._place_small()
        self._entries[0].data = bytes(self._small)
        small_table = struct.pack(f"<{len(self._small_chain)}I", *self._small_chain)
        runs = [len(self._entries) * _ENTRY_BYTES, len(small_table), *(len(each.data) for each in self._entries[:1])]
        sectors = [_sectors(run) for run in (*runs, *(len(entry.data) for entry in large))]
        tables = 1
        while tables < -(-(tables + sum(sectors)) // _PER_SECTOR):
            tables += 1
        if tables > _HEADER_SLOTS:
            raise MediaTooLarge("the message is too large to stand alone", outcome=AdmissionOutcome.OVER_MEMORY.value)
        chain = [_FAT] * tables
        starts = [_chained(chain, count) for count in sectors]
        self._entries[0].start = starts[2]
        for entry, start in zip(large, starts[3:], strict=True):
            entry.start = start
        directory = b"".join(entry.packed() for entry in self._entries)
        spare = -len(self._entries) % (SECTOR // _ENTRY_BYTES)
        directory += (bytes(68) + struct.pack("<III", _FREE, _FREE, _FREE) + bytes(48)) * spare
        pieces = [directory, small_table.ljust(_sectors(len(small_table)) * SECTOR, b"\xff"), bytes(self._small)]
        body = b"".join(map(_padded, (*pieces, *(entry.data for entry in large))))
        fat = struct.pack(f"<{len(chain)}I", *chain).ljust(tables * SECTOR, b"\xff")
        return self._header(tables, starts, small=sectors[1]) + fat + body

    def _kids(self, folder: Folder) -> int:
        """Enter what a folder holds, as a balanced tree in the order that the format asks for; its root."""
        named = [*folder.folders, *(name for name in folder.streams if name not in folder.folders)]
        names = sorted(named, key=lambda name: (len(name), name.upper()))
        places = {name: len(self._entries) + at for at, name in enumerate(names)}
        for name in names:
            is_folder = name in folder.folders
            data = b"" if is_folder else folder.streams[name]()[0]
            self._entries.append(_Entry(name, _FOLDER if is_folder else _STREAM, data))
        for name in names:
            if name in folder.folders:
                self._entries[places[name]].child = self._kids(folder.folders[name])
        return self._tree([places[name] for name in names])

    def _tree(self, places: list[int]) -> int:
        if not places:
            return _FREE
        middle = len(places) // 2
        entry = self._entries[places[middle]]
        entry.left, entry.right = self._tree(places[:middle]), self._tree(places[middle + 1 :])
        return places[middle]

    def _place_small(self) -> None:
        for entry in self._entries:
            if entry.kind == _STREAM and 0 < len(entry.data) < CUTOFF:
                entry.start = _chained(self._small_chain, -(-len(entry.data) // SMALL))
                self._small += entry.data.ljust(-(-len(entry.data) // SMALL) * SMALL, b"\0")

    def _header(self, tables: int, starts: list[int], *, small: int) -> bytes:
        head = olefile.MAGIC + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 4, 0xFFFE, 12, 6)
        counts = struct.pack("<IIIIIIIII", *self._counts(tables, starts, small=small))
        slots = [*range(tables), *[_FREE] * (_HEADER_SLOTS - tables)]
        return (head + counts + struct.pack(f"<{_HEADER_SLOTS}I", *slots)).ljust(SECTOR, b"\0")

    def _counts(self, tables: int, starts: list[int], *, small: int) -> tuple[int, ...]:
        directory = _sectors(len(self._entries) * _ENTRY_BYTES)
        return (directory, tables, starts[0], 0, CUTOFF, starts[1], small, _END, 0)


def _sectors(count: int) -> int:
    return -(-count // SECTOR)


def _padded(data: bytes) -> bytes:
    return data.ljust(_sectors(len(data)) * SECTOR, b"\0")


def _chained(chain: list[int], count: int) -> int:
    """Add a chain of so many sectors to a table; its first one, or the mark for none."""
    if not count:
        return _END
    start = len(chain)
    chain += [*range(start + 1, start + count), _END]
    return start
