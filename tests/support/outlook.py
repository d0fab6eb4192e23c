"""Outlook messages as folders of streams, and as the compound files they are kept in."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from eyeline.media.compound import Folder, Read, write_compound

PROPERTIES = "__properties_version1.0"
TEXT, NARROW, BINARY, NUMBER, TIME = 0x001F, 0x001E, 0x0102, 0x0003, 0x0040
SUBJECT, BODY, HTML, RTF = 0x0037, 0x1000, 0x1013, 0x1009
CODEPAGE, SENT, CLASS = 0x3FFD, 0x0039, 0x001A
NOVEMBER = 134_380_872_000_000_000
"""2026-11-02 10:00 UTC in tenths of a microsecond since 1601."""

Said = dict[tuple[int, int], bytes | str | int]
"""What is said of something, by number and kind of property."""


@dataclass(frozen=True, slots=True)
class Attached:
    """Something that a message carries: bytes, another message, or neither."""

    name: str
    data: bytes | Folder | None
    more: Said | None = None


def file(folder: Folder) -> bytes:
    """The bytes of a message."""
    return write_compound(folder)


def message(
    said: Said, *attached: Attached, to: Sequence[tuple[str, str, int]] = (), is_inside: bool = False
) -> Folder:
    """A message with what is said of it; `to` are names, addresses and ways (1 to, 2 copy, 3 blind copy)."""
    made = _folder(said, head=24 if is_inside else 32)
    for number, (name, address, way) in enumerate(to):
        about: Said = {(0x3001, TEXT): name, (0x39FE, TEXT): address, (0x0C15, NUMBER): way}
        made.folders[f"__recip_version1.0_#{number:08X}"] = _folder(about, head=8)
    for number, each in enumerate(attached):
        made.folders[f"__attach_version1.0_#{number:08X}"] = _attached(each)
    return made


def letter(
    body: str = "The pump serial number is PX-4417.\n", *attached: Attached, is_inside: bool = False, **more: bytes
) -> Folder:
    """A message as a person writes it, with its text also as `html` or `rtf`."""
    said: Said = {
        (SUBJECT, TEXT): "Pump report für Bo",
        (0x0042, TEXT): "Ana Müller",
        (0x5D02, TEXT): "ana@example.org",
        (0x1035, TEXT): "<1@example.org>",
        (SENT, TIME): NOVEMBER,
        (CLASS, TEXT): "IPM.Note",
        (BODY, TEXT): body,
    }
    for name, data in more.items():
        said[HTML if name == "html" else RTF, BINARY] = data
    recipients = [("Bo", "bo@example.org", 1), ("Cy", "cy@example.org", 2)]
    return message(said, *attached, to=recipients, is_inside=is_inside)


def _attached(each: Attached) -> Folder:
    said: Said = {(0x3707, TEXT): each.name, **(each.more or {})}
    if isinstance(each.data, bytes):
        said[0x3701, BINARY] = each.data
    made = _folder(said, head=8)
    if isinstance(each.data, Folder):
        made.folders["__substg1.0_3701000D"] = each.data
    return made


def _folder(said: Said, *, head: int) -> Folder:
    made, fixed = Folder(), bytes(head)
    for (name, kind), value in said.items():
        if isinstance(value, int):
            fixed += struct.pack("<HHIQ", kind, name, 6, value)
        else:
            data = value.encode("utf-16-le" if kind == TEXT else "cp1252") if isinstance(value, str) else value
            fixed += struct.pack("<HHIQ", kind, name, 6, len(data))
            made.streams[f"__substg1.0_{name:04X}{kind:04X}"] = _whole(data)
    made.streams[PROPERTIES] = _whole(fixed)
    return made


def _whole(data: bytes) -> Read:
    return lambda: (data, True)
