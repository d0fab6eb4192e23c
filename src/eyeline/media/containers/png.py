"""Walks the chunks of a PNG: what it holds, and what the decoder need not see."""

from __future__ import annotations

import struct
import zlib

from eyeline.media.containers import icc
from eyeline.media.containers.exif import read_exif
from eyeline.media.containers.facts import (
    INFLATED_LIMIT,
    METADATA_LIMIT,
    PROFILE_LIMIT,
    Container,
    damaged,
    without,
)
from eyeline.media.containers.view import BLOCK, ByteView

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PIXELS = frozenset((b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT"))
_COLOUR = frozenset((b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"bKGD", b"pHYs"))
_HELD = {b"tEXt": "text", b"zTXt": "text", b"iTXt": "text", b"eXIf": "exif", b"tIME": "time"}
_MAX_CHUNKS = 2_000_000


def scan_png(view: ByteView) -> Container:
    """Facts of a PNG. Raises `CorruptMedia` where no decoder could start."""
    facts = Container()
    _header(view, facts)
    walk = _Walk(view, facts)
    walk.run()
    if not walk.pixel_bytes:
        raise damaged("no_pixel_data" if facts.ended else "cut_before_pixels", outcome=_cut(facts))
    facts.bare_pieces = without(view.size, walk.dropped)
    if walk.oversized:
        facts.note("metadata_dropped")
        facts.pieces = facts.bare_pieces
    if walk.frame_controls:
        facts.frames = max(1, min(facts.frames, walk.frame_controls))
    facts.profile = facts.profile or walk.described_profile()
    return facts


def is_cut_short(view: ByteView, facts: Container) -> bool:
    """Whether the pixel stream ends before the last row; asked only after a decoder refused."""
    engine, wanted, produced = zlib.decompressobj(), _raw_bytes(view, facts), 0
    try:
        for kind, start, length in _chunks(view):
            if kind != b"IDAT":
                continue
            for offset in range(start, min(start + length, view.size), BLOCK):
                data = view.at(offset, min(BLOCK, start + length - offset))
                while data and produced < wanted and not engine.eof:
                    produced += len(engine.decompress(data, BLOCK))
                    data = engine.unconsumed_tail
    except zlib.error:
        return False
    return produced < wanted


def _raw_bytes(view: ByteView, facts: Container) -> int:
    depth, kind, interlaced = view.at(24, 1)[0], view.at(25, 1)[0], view.at(28, 1)[0]
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    row = (facts.width_px * depth * channels + 7) // 8
    return facts.height_px * (row if interlaced else row + 1)


def _cut(facts: Container) -> str:
    return "malformed" if facts.ended else "truncated"


def _header(view: ByteView, facts: Container) -> None:
    head = view.at(0, 33)
    if len(head) < 33:
        raise damaged("cut_in_header", outcome="truncated")
    if head[:8] != SIGNATURE or head[8:16] != b"\x00\x00\x00\rIHDR":
        raise damaged("no_header")
    width, height, depth, kind, compression, filtering, interlace = struct.unpack_from(">IIBBBBB", head, 16)
    if not width or not height:
        raise damaged("zero_dimension")
    if max(width, height) >= 1 << 31 or depth not in _DEPTHS.get(kind, ()) or compression or filtering or interlace > 1:
        raise damaged("impossible_header")
    facts.width_px, facts.height_px, facts.bits = width, height, max(8, depth)
    facts.colour = "grey" if kind in (0, 4) else "rgb"
    facts.has_alpha = kind in (4, 6)


def _chunks(view: ByteView) -> list[tuple[bytes, int, int]]:
    """Kind, data offset and data length of each chunk after the header."""
    found: list[tuple[bytes, int, int]] = []
    offset = 33
    while len(found) < _MAX_CHUNKS and len(head := view.at(offset, 8)) == 8:
        length, kind = struct.unpack(">I4s", head)
        found.append((kind, offset + 8, length))
        if kind == b"IEND":
            break
        offset += 12 + length
    return found


class _Walk:
    def __init__(self, view: ByteView, facts: Container) -> None:
        self._view = view
        self._facts = facts
        self.pixel_bytes = 0
        self.frame_controls = 0
        self.oversized = False
        self.dropped: list[tuple[int, int]] = []
        self._gamma: float | None = None
        self._corners: tuple[float, ...] | None = None
        self._code: tuple[int, ...] | None = None
        self._is_srgb = False

    def run(self) -> None:
        for kind, start, length in _chunks(self._view):
            self._chunk(kind, start, length)

    def _chunk(self, kind: bytes, start: int, length: int) -> None:
        facts, view = self._facts, self._view
        if kind not in _PIXELS:
            self.dropped.append((start - 8, length + 12))
        if kind == b"IDAT":
            self.pixel_bytes += min(length, max(0, view.size - start))
        elif kind == b"IEND":
            facts.ended = start + length + 4 <= view.size
            if start + length + 4 < view.size:
                facts.held.add("trailing")
                facts.note("trailing_data")
        elif kind == b"tRNS":
            facts.has_alpha = True
        elif kind == b"acTL" and not self.pixel_bytes:
            facts.frames = max(1, struct.unpack(">I", view.at(start, 4).ljust(4, b"\0"))[0])
            facts.first_frame_is_apart = True
        elif kind == b"fcTL":
            self.frame_controls += 1
            facts.durations_ms.append(_duration_ms(view.at(start, min(length, 26))))
            facts.first_frame_is_apart = facts.first_frame_is_apart and bool(self.pixel_bytes)
        elif kind in _COLOUR:
            self._colour(kind, start, length)
        elif kind not in _PIXELS:
            self._metadata(kind, start, length)

    def _metadata(self, kind: bytes, start: int, length: int) -> None:
        facts, view = self._facts, self._view
        facts.held.add(_HELD.get(kind, "other"))
        if length > METADATA_LIMIT:
            self.oversized = True
        elif kind == b"eXIf":
            exif = read_exif(view.at(start, length))
            facts.orientation = exif.orientation
            facts.held.update(
                name for name, there in (("gps", exif.has_gps), ("thumbnail", exif.has_thumbnail)) if there
            )
        elif kind == b"iTXt" and view.at(start, 18) == b"XML:com.adobe.xmp\x00":
            facts.held.add("xmp")
        if kind in (b"zTXt", b"iTXt") and length <= METADATA_LIMIT:
            self.oversized = self.oversized or _explodes(view.at(start, length), kind)

    def _colour(self, kind: bytes, start: int, length: int) -> None:
        facts, view = self._facts, self._view
        if kind == b"iCCP":
            facts.held.add("icc")
            profile, is_bomb = _profile(view.at(start, min(length, METADATA_LIMIT * 4)))
            facts.profile = profile
            self.oversized = self.oversized or is_bomb or length > METADATA_LIMIT * 4
            if profile is None:
                facts.note("profile_ignored")
        elif kind == b"sRGB":
            self._is_srgb = True
        elif kind == b"gAMA" and length == 4:
            self._gamma = struct.unpack(">I", view.at(start, 4).ljust(4, b"\0"))[0] / 100_000
        elif kind == b"cHRM" and length == 32:
            self._corners = tuple(each / 100_000 for each in struct.unpack(">8I", view.at(start, 32).ljust(32, b"\0")))
        elif kind == b"cICP" and length == 4:
            self._code = tuple(view.at(start, 4))

    def described_profile(self) -> bytes | None:
        """A profile made from cICP, or from gAMA and cHRM, where they describe something other than sRGB."""
        if self._code is not None:
            profile, is_known = icc.from_code_points(*self._code[:2]) if len(self._code) == 4 else (None, False)
            if not is_known:
                self._facts.note("colour_code_ignored")
            return profile
        if self._is_srgb or self._gamma is None or self._facts.held & {"icc"}:
            return None
        return icc.from_gamma(self._gamma, self._corners, grey=self._facts.colour == "grey")


def _duration_ms(control: bytes) -> int:
    """How long a frame is shown, from its control chunk; a denominator of 0 means hundredths."""
    if len(control) < 24:
        return 0
    numerator, denominator = struct.unpack_from(">HH", control, 20)
    return round(numerator * 1000 / (denominator or 100))


def _explodes(data: bytes, kind: bytes) -> bool:
    """Whether a compressed text inflates past the limit, found by inflating no further than that."""
    keyword, _, rest = data.partition(b"\x00")
    if kind == b"iTXt":
        if rest[:1] != b"\x01":
            return False
        rest = rest[1:].split(b"\x00", 2)[-1]
    return len(keyword) < 80 and _inflate(rest[1:], INFLATED_LIMIT) is None


def _profile(data: bytes) -> tuple[bytes | None, bool]:
    """The profile of an iCCP chunk, none where it is damaged; and whether it inflates past the limit."""
    _, separator, rest = data.partition(b"\x00")
    if not separator:
        return None, False
    profile = _inflate(rest[1:], PROFILE_LIMIT)
    return profile or None, profile is None


def _inflate(data: bytes, limit: int) -> bytes | None:
    """The inflated bytes, as far as they are sound; none where they pass the limit."""
    engine = zlib.decompressobj()
    try:
        inflated = engine.decompress(data, limit)
        return None if engine.unconsumed_tail or (not engine.eof and len(inflated) == limit) else inflated
    except zlib.error:
        return b""
