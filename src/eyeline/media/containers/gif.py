"""Walks the blocks of a GIF."""

from __future__ import annotations

import struct

from eyeline.media.containers.facts import Container, damaged
from eyeline.media.containers.view import ByteView

_IMAGE, _EXTENSION, _TRAILER = 0x2C, 0x21, 0x3B
_CONTROL, _COMMENT, _PLAIN_TEXT, _APPLICATION = 0xF9, 0xFE, 0x01, 0xFF
_LOOPING = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def scan_gif(view: ByteView, *, max_frames: int) -> Container:
    """Facts of a GIF; the walk stops one past `max_frames`. Raises `CorruptMedia` where no decoder could start."""
    head = view.at(0, 13)
    if len(head) < 13:
        raise damaged("cut_in_header", outcome="truncated")
    if head[:6] not in (b"GIF87a", b"GIF89a"):
        raise damaged("no_header")
    width, height, flags = struct.unpack_from("<HHB", head, 6)
    if not width or not height:
        raise damaged("zero_dimension")
    facts = Container(width_px=width, height_px=height, frames=0)
    _Walk(view, facts).run(13 + _table_bytes(flags), max_frames)
    if not facts.frames:
        raise damaged("no_pixel_data", outcome="malformed" if facts.ended else "truncated")
    return facts


def _table_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


class _Walk:
    def __init__(self, view: ByteView, facts: Container) -> None:
        self._view = view
        self._facts = facts
        self._closed = False
        self._delay_ms = 0

    def run(self, offset: int, max_frames: int) -> None:
        facts = self._facts
        while facts.frames <= max_frames and (kind := self._view.at(offset, 1)):
            if kind[0] == _TRAILER:
                facts.ended = True
                if offset + 1 < self._view.size:
                    facts.held.add("trailing")
                    facts.note("trailing_data")
                return
            if kind[0] == _EXTENSION:
                offset = self._extension(offset + 1)
            elif kind[0] == _IMAGE:
                body = self._view.at(offset + 1, 9)
                if len(body) < 9:
                    return
                facts.frames += 1
                facts.durations_ms.append(self._delay_ms)
                offset = self._sub_blocks(offset + 10 + _table_bytes(body[8]) + 1)
                facts.is_cut = offset > self._view.size or not self._closed
            else:
                offset += 1

    def _extension(self, offset: int) -> int:
        label = self._view.at(offset, 1)
        body = self._view.at(offset + 1, 16)
        if not label:
            return offset
        if label[0] == _CONTROL and len(body) > 1:
            self._facts.has_alpha = self._facts.has_alpha or bool(body[1] & 1)
            self._delay_ms = int.from_bytes(body[2:4], "little") * 10
        elif label[0] in (_COMMENT, _PLAIN_TEXT):
            self._facts.held.add("text")
        elif label[0] == _APPLICATION and body[1:12] not in _LOOPING:
            self._facts.held.add("xmp" if body[1:9] == b"XMP Data" else "other")
        return self._sub_blocks(offset + 1)

    def _sub_blocks(self, offset: int) -> int:
        at = self._view.at
        self._closed = False
        while size := at(offset, 1):
            offset += 1 + size[0]
            if not size[0]:
                self._closed = True
                break
        return offset
