"""The few EXIF facts that change how a picture is shown, or that must not leave: orientation, position, thumbnail."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_ORIENTATION, _GPS = 0x0112, 0x8825
_SHORT, _LONG = 3, 4
_MAX_ENTRIES = 512


@dataclass(frozen=True, slots=True)
class Exif:
    """Orientation 1 to 8 (1 where absent or nonsense), and whether GPS data and a thumbnail directory are there."""

    orientation: int = 1
    has_gps: bool = False
    has_thumbnail: bool = False


def read_exif(block: bytes) -> Exif:
    """Read an EXIF block, with or without its `Exif\\0\\0` prefix. Never raises: damage reads as absence."""
    block = block.removeprefix(b"Exif\x00\x00")
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None or len(block) < 8:
        return Exif()
    orientation, has_gps = 1, False
    (start,) = struct.unpack_from(order + "I", block, 4)
    count = _unpack(order + "H", block, start) or 0
    for index in range(min(count, _MAX_ENTRIES)):
        entry = start + 2 + 12 * index
        tag, kind = _unpack(order + "H", block, entry), _unpack(order + "H", block, entry + 2)
        if tag == _ORIENTATION and kind in (_SHORT, _LONG):
            value = _unpack(order + ("H" if kind == _SHORT else "I"), block, entry + 8)
            orientation = value if value is not None and 1 <= value <= 8 else 1
        has_gps = has_gps or tag == _GPS
    thumbnails = _unpack(order + "I", block, start + 2 + 12 * count)
    return Exif(orientation, has_gps, bool(thumbnails))


def _unpack(form: str, block: bytes, offset: int) -> int | None:
    if offset + struct.calcsize(form) > len(block):
        return None
    return int(struct.unpack_from(form, block, offset)[0])
