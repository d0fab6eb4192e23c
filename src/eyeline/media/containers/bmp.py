"""Reads the headers of bitmaps: BMP files, and the bitmaps in icons."""

from __future__ import annotations

import struct

from eyeline.media.containers.facts import Container, damaged
from eyeline.media.containers.view import ByteView

_FILE_HEADER = 14
_UNCOMPRESSED = (0, 3, 6)


def scan_bmp(view: ByteView) -> Container:
    """Facts of a BMP. Raises `CorruptMedia` where no decoder could start."""
    head = view.at(0, _FILE_HEADER)
    if head[:2] != b"BM":
        raise damaged("no_header")
    facts, compression, bits = bitmap_header(view, _FILE_HEADER)
    offset = int.from_bytes(head[10:14], "little")
    if compression in _UNCOMPRESSED:
        row = (facts.width_px * bits + 31) // 32 * 4
        facts.is_cut = offset + row * facts.height_px > view.size
        facts.ended = not facts.is_cut
    else:
        size = int.from_bytes(view.at(_FILE_HEADER + 20, 4), "little")
        facts.ended = bool(size) and offset + size <= view.size
        facts.is_cut = offset + size > view.size
    return facts


def bitmap_header(view: ByteView, start: int) -> tuple[Container, int, int]:
    """Facts of the bitmap whose header starts there, its compression and its bits a pixel."""
    head = view.at(start, 124)
    length = int.from_bytes(head[:4], "little")
    if len(head) < 12 or len(head) < min(length, 40):
        raise damaged("cut_in_header", outcome="truncated")
    if length == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", head, 4)
        compression = 0
    elif length >= 40:
        width, height, _, bits, compression = struct.unpack_from("<iiHHI", head, 4)
    else:
        raise damaged("impossible_header")
    if width <= 0 or height == 0:
        raise damaged("zero_dimension")
    if bits not in (1, 2, 4, 8, 16, 24, 32):
        raise damaged("impossible_header")
    facts = Container(width_px=width, height_px=abs(height))
    facts.has_alpha = length >= 56 and bits in (16, 32) and int.from_bytes(head[52:56], "little") != 0
    return facts, compression, bits
