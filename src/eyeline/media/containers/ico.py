"""Reads the directory of an icon: the largest picture in it is the one that counts."""

from __future__ import annotations

import struct
from dataclasses import replace

from eyeline.errors import CorruptMedia
from eyeline.media.containers.bmp import bitmap_header
from eyeline.media.containers.facts import Container, Piece, damaged
from eyeline.media.containers.png import SIGNATURE, scan_png
from eyeline.media.containers.view import ByteView, Section

_MAX_PICTURES = 256


def scan_ico(view: ByteView) -> Container:
    """Facts of an icon or cursor: its largest picture, of equal ones the one of most colours.

    `pieces` hold the icon with this picture alone. Raises `CorruptMedia` where none of them can be decoded.
    """
    head = view.at(0, 6)
    if len(head) < 6:
        raise damaged("cut_in_header", outcome="truncated")
    if head[:4] not in (b"\0\0\1\0", b"\0\0\2\0"):
        raise damaged("no_header")
    count = min(int.from_bytes(head[4:6], "little"), _MAX_PICTURES)
    found: list[tuple[tuple[int, int], Container]] = []
    failure: CorruptMedia | None = None
    for index in range(count):
        entry = view.at(6 + 16 * index, 16)
        if len(entry) < 16:
            break
        try:
            found.append(_picture(view, entry))
        except CorruptMedia as exc:
            failure = exc
    if not found:
        raise failure or damaged("no_pixel_data")
    facts = max(found, key=lambda each: each[0])[1]
    facts.held.discard("trailing")
    if len(found) > 1:
        facts.note("largest_of_several")
    return facts


def _picture(view: ByteView, entry: bytes) -> tuple[tuple[int, int], Container]:
    length, start = struct.unpack_from("<II", entry, 8)
    if view.at(start, 8) == SIGNATURE:
        facts = scan_png(Section(view, start, length=length))
        bits = 32
    else:
        header, _, bits = bitmap_header(view, start)
        facts = replace(header, height_px=header.height_px // 2, has_alpha=True)
        if not facts.height_px:
            raise damaged("zero_dimension")
        row = (facts.width_px * bits + 31) // 32 * 4
        facts.ended = start + length <= view.size and row * facts.height_px <= length
        facts.is_cut = not facts.ended
    directory = struct.pack("<HHH", 0, 1, 1) + entry[:4] + struct.pack("<HHII", 1, bits, length, 22)
    pieces: tuple[Piece, ...] = (directory, (start, min(length, max(0, view.size - start))))
    facts.pieces = facts.bare_pieces = pieces
    return (facts.width_px * facts.height_px, bits), facts
