"""Walks a JPEG 2000 file, boxed or bare: size, depth and colour, and whether its tile parts are all there."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from eyeline.media.containers.facts import PROFILE_LIMIT, Container, damaged
from eyeline.media.containers.view import ByteView

_START, _SIZE, _TILE_PART, _DATA, _END = 0xFF4F, 0xFF51, 0xFF90, 0xFF93, 0xFFD9
_COLOURS = {12: "cmyk", 16: "rgb", 17: "grey", 18: "rgb"}
_MAX_BOXES, _MAX_MARKERS, _MAX_PARTS = 10_000, 10_000, 200_000
_HEADER_LIMIT = 8 << 20


def scan_jp2(view: ByteView) -> Container:
    """Facts of a JPEG 2000 picture. Raises `CorruptMedia` where no decoder could start."""
    facts = Container()
    if view.at(0, 4) == b"\xff\x4f\xff\x51":
        _codestream(view, 0, view.size, facts)
        return facts
    if view.at(0, 12) != b"\x00\x00\x00\x0cjP  \r\n\x87\n":
        raise damaged("no_header")
    has_stream = False
    for kind, start, end in _boxes(view, 0, view.size):
        if kind == b"jp2h" and end - start <= _HEADER_LIMIT:
            _header(view, start, end, facts)
        elif kind == b"jp2c":
            has_stream = True
            _codestream(view, start, end, facts)
            break
        elif kind in (b"xml ", b"uuid"):
            facts.held.add("xmp" if kind == b"uuid" else "text")
    if not has_stream:
        raise damaged("no_pixel_data", outcome="truncated")
    return facts


def _boxes(view: ByteView, offset: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and end of each box; one may say that it ends beyond the file."""
    for _ in range(_MAX_BOXES):
        head = view.at(offset, 16)
        if len(head) < 8 or offset + 8 > end:
            return
        length, kind = struct.unpack_from(">I4s", head)
        lead = 8
        if length == 1 and len(head) == 16:
            length, lead = struct.unpack_from(">Q", head, 8)[0], 16
        length = length or end - offset
        if length < lead:
            return
        yield kind, offset + lead, offset + length
        offset += length


def _header(view: ByteView, start: int, end: int, facts: Container) -> None:
    seen_colour = False
    for kind, first, last in _boxes(view, start, end):
        body = view.at(first, min(last - first, PROFILE_LIMIT + 3))
        if kind == b"colr" and len(body) >= 7 and not seen_colour:
            seen_colour = True
            if body[0] == 1:
                facts.colour = _COLOURS.get(int.from_bytes(body[3:7], "big"), "")
            elif body[0] == 2:
                facts.held.add("icc")
                facts.profile = body[3:] if last - first <= PROFILE_LIMIT else None
                facts.colour = ""
        elif kind == b"cdef" and len(body) >= 2:
            kinds = [struct.unpack_from(">H", body, 4 + 6 * index)[0] for index in range((len(body) - 2) // 6)]
            facts.has_alpha = any(each in (1, 2) for each in kinds)
        elif kind == b"pclr":
            facts.note("palette")


def _codestream(view: ByteView, start: int, end: int, facts: Container) -> None:
    head = view.at(start, 42)
    if len(head) < 42 or head[:4] != b"\xff\x4f\xff\x51":
        raise damaged("cut_in_header" if len(head) < 42 else "no_header", outcome="truncated")
    right, bottom, left, top = struct.unpack_from(">IIII", head, 8)
    facts.width_px, facts.height_px = right - left, bottom - top
    components = struct.unpack_from(">H", head, 40)[0]
    if facts.width_px <= 0 or facts.height_px <= 0 or not components:
        raise damaged("zero_dimension")
    depths = view.at(start + 42, 3 * min(components, 16))[::3]
    facts.bits = max(8, *((each & 0x7F) + 1 for each in depths), 8)
    facts.channels = components
    if not facts.colour or (components < 3 and facts.colour == "rgb" and "palette" not in facts.notes):
        facts.colour = "grey" if components < 3 else "rgb"
    if facts.colour != "cmyk":
        facts.has_alpha = facts.has_alpha or components in (2, 4)
    facts.notes = [note for note in facts.notes if note != "palette"]
    _tile_parts(view, start, end, facts)


def _tile_parts(view: ByteView, start: int, end: int, facts: Container) -> None:
    """Follow the lengths of the tile parts to the end marker."""
    offset = start + 2
    for _ in range(_MAX_MARKERS):
        marker, length = struct.unpack(">HH", view.at(offset, 4).ljust(4, b"\0"))
        if marker == _TILE_PART or marker < 0xFF00:
            break
        offset += 2 + length
    for _ in range(_MAX_PARTS):
        head = view.at(offset, 12).ljust(12, b"\0")
        marker, _, _, length = struct.unpack_from(">HHHI", head)
        if marker != _TILE_PART:
            facts.ended = marker == _END
            facts.is_cut = not facts.ended and offset >= view.size
            return
        if length == 0:
            facts.ended = view.at(min(end, view.size) - 2, 2) == b"\xff\xd9"
            facts.is_cut = end > view.size
            return
        offset += length
        facts.is_cut = offset > view.size
        if facts.is_cut:
            return
