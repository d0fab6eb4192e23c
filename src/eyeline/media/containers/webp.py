"""Walks the chunks of a WebP file."""

from __future__ import annotations

import struct

from eyeline.media.containers.exif import read_exif
from eyeline.media.containers.facts import METADATA_LIMIT, PROFILE_LIMIT, Container, Piece, damaged
from eyeline.media.containers.view import ByteView

_METADATA = {b"EXIF": "exif", b"XMP ": "xmp"}
_PIXELS = (b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF")
_MAX_CHUNKS = 100_000
# the VP8X bits that promise a profile, EXIF or XMP
_PROMISES = 0x20 | 0x08 | 0x04


def scan_webp(view: ByteView) -> Container:
    """Facts of a WebP file. Raises `CorruptMedia` where no decoder could start."""
    head = view.at(0, 12)
    if len(head) < 12:
        raise damaged("cut_in_header", outcome="truncated")
    if head[:4] != b"RIFF" or head[8:] != b"WEBP":
        raise damaged("no_header")
    end = 8 + int.from_bytes(head[4:8], "little")
    facts = Container(frames=0)
    walk = _Walk(view, facts)
    walk.run(min(end, view.size))
    facts.ended = end <= view.size
    facts.is_cut = walk.is_cut
    if facts.ended and (end + 1) & ~1 < view.size:
        facts.held.add("trailing")
        facts.note("trailing_data")
    if not walk.has_pixels:
        raise damaged("no_pixel_data", outcome="malformed" if facts.ended else "truncated")
    if not facts.width_px or not facts.height_px:
        raise damaged("zero_dimension")
    facts.frames = max(1, facts.frames)
    if walk.is_oversized:
        facts.note("metadata_dropped")
        facts.pieces = walk.bare_pieces()
    return facts


class _Walk:
    def __init__(self, view: ByteView, facts: Container) -> None:
        self._view = view
        self._facts = facts
        self._kept: list[tuple[bytes, int, int]] = []
        self.has_pixels = False
        self.is_oversized = False
        self.is_cut = False

    def run(self, end: int) -> None:
        offset = 12
        for _ in range(_MAX_CHUNKS):
            head = self._view.at(offset, 8) if offset + 8 <= end else b""
            if len(head) < 8:
                break
            kind, length = struct.unpack("<4sI", head)
            self.is_cut = offset + 8 + length > self._view.size
            self._chunk(kind, offset + 8, length)
            offset += 8 + length + (length & 1)

    def _chunk(self, kind: bytes, start: int, length: int) -> None:
        facts = self._facts
        if kind in _PIXELS:
            self._kept.append((kind, start, length))
            self._pixels(kind, self._view.at(start, 16))
        elif kind == b"ICCP":
            facts.held.add("icc")
            self.is_oversized = self.is_oversized or length > PROFILE_LIMIT
            facts.profile = self._view.at(start, length) if length <= PROFILE_LIMIT else None
            if facts.profile is None:
                facts.note("profile_ignored")
        else:
            facts.held.add(_METADATA.get(kind, "other"))
            self.is_oversized = self.is_oversized or length > METADATA_LIMIT
            if kind == b"EXIF" and length <= METADATA_LIMIT:
                self._exif(self._view.at(start, length))

    def _exif(self, body: bytes) -> None:
        exif = read_exif(body)
        self._facts.orientation = exif.orientation
        self._facts.held.update(
            name for name, there in (("gps", exif.has_gps), ("thumbnail", exif.has_thumbnail)) if there
        )

    def _pixels(self, kind: bytes, body: bytes) -> None:
        facts = self._facts
        self.has_pixels = self.has_pixels or kind in (b"VP8 ", b"VP8L", b"ANMF")
        if kind == b"VP8X" and len(body) >= 10:
            facts.has_alpha = bool(body[0] & 0x10)
            facts.width_px = 1 + int.from_bytes(body[4:7], "little")
            facts.height_px = 1 + int.from_bytes(body[7:10], "little")
        elif kind == b"ANMF":
            facts.frames += 1
            facts.durations_ms.append(int.from_bytes(body[12:15], "little"))
        elif kind == b"VP8 " and not facts.width_px and len(body) >= 10 and body[3:6] == b"\x9d\x01\x2a":
            width, height = struct.unpack_from("<HH", body, 6)
            facts.width_px, facts.height_px = width & 0x3FFF, height & 0x3FFF
        elif kind == b"VP8L" and not facts.width_px and len(body) >= 5 and body[0] == 0x2F:
            bits = int.from_bytes(body[1:5], "little")
            facts.width_px, facts.height_px = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
            facts.has_alpha = bool(bits >> 28 & 1)

    def bare_pieces(self) -> tuple[Piece, ...]:
        """The file without profile and metadata: new sizes and flags, the pixel chunks as they stand."""
        pieces: list[Piece] = []
        total = 4
        for kind, start, length in self._kept:
            padded = length + (length & 1)
            total += 8 + padded
            if kind == b"VP8X":
                body = bytearray(self._view.at(start, padded))
                body[0] &= 0xFF & ~_PROMISES
                pieces.append(struct.pack("<4sI", kind, length) + bytes(body))
            else:
                pieces.append((start - 8, 8 + padded))
        return (b"RIFF" + struct.pack("<I", total) + b"WEBP", *pieces)
