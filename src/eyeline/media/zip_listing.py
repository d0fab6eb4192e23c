"""The list at the end of a zip, entry by entry in bounded memory, however many it claims. Nothing is unpacked."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyeline.errors import CorruptMedia
from eyeline.model.document import AdmissionOutcome

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

TAIL_BYTES = 66_000
WINDOW_BYTES = 256 << 10

_END, _FAR_END, _LOCATOR, _ENTRY = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x01\x02"
_ENTRY_BYTES, _END_BYTES, _FAR_END_BYTES, _LOCATOR_BYTES = 46, 22, 56, 20
_MAX_ENTRY_BYTES = _ENTRY_BYTES + 3 * 0xFFFF
_FAR, _ENCRYPTED, _UTF_8 = 0xFFFFFFFF, 0x1, 0x800


@dataclass(frozen=True, slots=True)
class Entry:
    """What the list says of one member: the name and size are claims of the archive."""

    name: str
    size: int
    is_encrypted: bool

    @property
    def is_folder(self) -> bool:
        """Whether it holds no bytes of its own."""
        return self.name.endswith("/")


def entries(reader: Reader) -> Iterator[Entry]:
    """The members in the order of the list. Raises `CorruptMedia`: `truncated` where there is none, also after some."""
    start, end = _place(reader)
    at, window, window_at = start, b"", start
    while at < end:
        if at + _MAX_ENTRY_BYTES > window_at + len(window) and window_at + len(window) < end:
            reader.seek(at)
            window, window_at = reader.read(min(WINDOW_BYTES, end - at)), at
        here = at - window_at
        if window[here : here + 4] != _ENTRY or len(window) - here < _ENTRY_BYTES:
            raise CorruptMedia("the list of the archive's members is damaged")
        name, extra, comment = struct.unpack_from("<HHH", window, here + 28)
        length = _ENTRY_BYTES + name + extra + comment
        if here + length > len(window):
            raise CorruptMedia("the list of the archive's members ends inside a member")
        yield _entry(window[here : here + length], name=name, extra=extra)
        at += length


def _place(reader: Reader) -> tuple[int, int]:
    """Where the list begins and ends."""
    tail_at = max(0, reader.size - TAIL_BYTES)
    reader.seek(tail_at)
    tail = reader.read(TAIL_BYTES)
    found = tail.rfind(_END)
    if not 0 <= found <= len(tail) - _END_BYTES:
        outcome = AdmissionOutcome.TRUNCATED.value
        raise CorruptMedia("the archive ends before the list of its members", outcome=outcome)
    end, (length,) = tail_at + found, struct.unpack_from("<I", tail, found + 12)
    if end >= _LOCATOR_BYTES + _FAR_END_BYTES:
        reader.seek(end - _LOCATOR_BYTES - _FAR_END_BYTES)
        before = reader.read(_LOCATOR_BYTES + _FAR_END_BYTES)
        if before.startswith(_FAR_END) and before.startswith(_LOCATOR, _FAR_END_BYTES):
            end, (length,) = end - len(before), struct.unpack_from("<Q", before, 40)
    if length > end:
        raise CorruptMedia("the list of the archive's members is longer than the archive")
    return end - length, end


def _entry(data: bytes, *, name: int, extra: int) -> Entry:
    (flags,) = struct.unpack_from("<H", data, 8)
    (size,) = struct.unpack_from("<I", data, 24)
    raw = data[_ENTRY_BYTES : _ENTRY_BYTES + name]
    text = raw.decode("utf-8" if flags & _UTF_8 else "cp437", "replace")
    if size == _FAR:
        size = _far_size(data[_ENTRY_BYTES + name : _ENTRY_BYTES + name + extra])
    return Entry(text, size, bool(flags & _ENCRYPTED))


def _far_size(extra: bytes) -> int:
    """The size that did not fit into the entry itself, where one of its additions says it."""
    at = 0
    while at + 12 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1 and length >= 8:
            return int(struct.unpack_from("<Q", extra, at + 4)[0])
        at += 4 + length
    return _FAR
