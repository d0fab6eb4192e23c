"""Walks the segments of a JPEG, and on a full walk its scans, to its end marker."""

from __future__ import annotations

import re
import struct

from eyeline.errors import UnsupportedMedia
from eyeline.media.containers.exif import read_exif
from eyeline.media.containers.facts import METADATA_LIMIT, PROFILE_LIMIT, Container, damaged, without
from eyeline.media.containers.view import ByteView

_FRAMES = {0xC0: "baseline", 0xC1: "extended", 0xC2: "progressive"}
_OTHER_FRAMES = {0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}
_ARITHMETIC = {0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}
_END, _SCAN, _COMMENT = 0xD9, 0xDA, 0xFE
# inside a scan FF 00 is data and FF D0-D7 restarts; anything else begins a segment
_NEXT_SEGMENT = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_MAX_SEGMENTS = 100_000


def scan_jpeg(view: ByteView, *, full: bool) -> Container:
    """Facts of a JPEG: to the first scan, or with `full` to the end. Raises `CorruptMedia` and `UnsupportedMedia`.

    A file without an end marker is walked to its end in any case, and its pieces get one: decoders insist on it.
    """
    facts = Container()
    full = full or view.at(max(0, view.size - 2), 2) != b"\xff\xd9"
    walk = _Walk(view, facts)
    walk.run(full=full)
    if not facts.width_px:
        raise damaged("cut_before_pixels", outcome="truncated")
    facts.profile = walk.profile()
    facts.bare_pieces = without(view.size, walk.dropped)
    if walk.metadata_bytes > METADATA_LIMIT:
        facts.note("metadata_dropped")
        facts.pieces = without(view.size, walk.dropped)
    if full and not facts.ended:
        facts.note("no_end_marker")
        facts.pieces = (*(facts.pieces or ((0, view.size),)), b"\xff\xd9")
    return facts


class _Walk:
    def __init__(self, view: ByteView, facts: Container) -> None:
        self._view = view
        self._facts = facts
        self._parts: dict[int, bytes] = {}
        self._part_count = 0
        self._profile_bytes = 0
        self._has_exif = False
        self._seen_dc: set[int] = set()
        self._components: set[int] = set()
        self._is_progressive = False
        self._scans = 0
        self.metadata_bytes = 0
        self.dropped: list[tuple[int, int]] = []

    def run(self, *, full: bool) -> None:
        if self._view.at(0, 2) != b"\xff\xd8":
            raise damaged("no_header")
        offset: int | None = 2
        for _ in range(_MAX_SEGMENTS):
            offset = self._segment(offset, full=full)
            if offset is None:
                break
        missing = self._components - self._seen_dc
        if full and self._facts.ended and self._facts.width_px and missing:
            raise damaged("no_pixel_data" if not self._scans else "missing_scans", outcome="truncated")

    def _segment(self, offset: int, *, full: bool) -> int | None:
        """Take one segment; where the next begins, or none at the end of the walk."""
        head = self._view.at(offset, 2)
        while len(head) == 2 and (head[0] != 0xFF or head[1] == 0xFF):
            offset += 1
            head = self._view.at(offset, 2)
        if len(head) < 2:
            return None
        marker = head[1]
        if marker == _END:
            return self._finish(offset + 2)
        if marker == 0x01 or 0xD0 <= marker <= 0xD8 or marker == 0x00:
            return offset + 2
        length = int.from_bytes(self._view.at(offset + 2, 2), "big")
        if length < 2:
            return None
        self._content(marker, offset + 4, length - 2)
        if marker != _SCAN:
            return offset + 2 + length
        if not self._facts.width_px:
            raise damaged("scan_before_frame")
        self._scans += 1
        return self._after_scan(offset + 2 + length) if full else None

    def _finish(self, offset: int) -> None:
        self._facts.ended = True
        if offset < self._view.size:
            self._facts.held.add("trailing")
            self._facts.note("trailing_data")

    def _after_scan(self, offset: int) -> int | None:
        carry = b""
        for start, block in self._view.blocks(offset):
            match = _NEXT_SEGMENT.search(carry + block)
            if match is not None:
                return start - len(carry) + match.end() - 2
            carry = b"\xff" if block.endswith(b"\xff") else b""
        return None

    def _content(self, marker: int, start: int, length: int) -> None:
        if marker in _FRAMES or marker in _OTHER_FRAMES:
            self._frame(marker, self._view.at(start, length))
        elif marker == _SCAN:
            self._scan(self._view.at(start, length))
        elif 0xE0 <= marker <= 0xEF or marker == _COMMENT:
            if marker not in (0xE0, 0xEE):
                self.dropped.append((start - 4, length + 4))
                self.metadata_bytes += length
            self._metadata(marker, self._view.at(start, length))

    def _frame(self, marker: int, body: bytes) -> None:
        if len(body) < 6:
            raise damaged("impossible_header")
        facts = self._facts
        precision, height, width, components = struct.unpack_from(">BHHB", body)
        if marker in _OTHER_FRAMES:
            coding = "arithmetic" if marker in _ARITHMETIC else "lossless or hierarchical"
            raise UnsupportedMedia(f"a JPEG with {coding} coding cannot be decoded", family="image", coding=coding)
        if precision != 8:
            raise UnsupportedMedia(f"a JPEG of {precision} bits cannot be decoded", family="image", bits=precision)
        if not width or not height:
            raise damaged("zero_dimension")
        if components not in (1, 3, 4) or len(body) < 6 + 3 * components:
            raise damaged("impossible_header")
        facts.width_px, facts.height_px = width, height
        facts.colour = {1: "grey", 3: "rgb", 4: "cmyk"}[components]
        self._components = {body[6 + 3 * index] for index in range(components)}
        self._is_progressive = marker == 0xC2

    def _scan(self, body: bytes) -> None:
        count = body[0] if body else 0
        if len(body) < 4 + 2 * count:
            raise damaged("impossible_header")
        spectral_start = body[1 + 2 * count]
        if not self._is_progressive or spectral_start == 0:
            self._seen_dc.update(body[1 + 2 * index] for index in range(count))

    def _metadata(self, marker: int, body: bytes) -> None:
        held = self._facts.held
        if marker == 0xE0:
            if (body[:5] == b"JFIF\x00" and len(body) >= 14 and body[12] and body[13]) or body[:5] == b"JFXX\x00":
                held.add("thumbnail")
        elif marker == 0xE1 and body[:6] == b"Exif\x00\x00":
            self._exif(body)
        elif marker == 0xE1 and body.startswith((b"http://ns.adobe.com/xap/", b"http://ns.adobe.com/xmp/")):
            held.add("xmp")
        elif marker == 0xE2 and body[:12] == b"ICC_PROFILE\x00" and len(body) > 14:
            self._icc_part(body)
        elif marker == 0xED:
            held.add("iptc")
        elif marker == _COMMENT:
            held.add("text")
        elif not (marker == 0xEE and body[:5] == b"Adobe"):
            held.add("other")

    def _exif(self, body: bytes) -> None:
        exif = read_exif(body)
        self._facts.held.add("exif")
        if exif.has_gps:
            self._facts.held.add("gps")
        if exif.has_thumbnail:
            self._facts.held.add("thumbnail")
        if not self._has_exif:
            self._facts.orientation = exif.orientation
            self._has_exif = True

    def _icc_part(self, body: bytes) -> None:
        self._facts.held.add("icc")
        self._part_count = max(self._part_count, body[13])
        self._profile_bytes += len(body)
        if self._profile_bytes <= PROFILE_LIMIT:
            self._parts.setdefault(body[12], body[14:])

    def profile(self) -> bytes | None:
        """The profile put together from its parts; none, with a note, where one is missing or all are too long."""
        wanted = range(1, self._part_count + 1)
        if self._profile_bytes <= PROFILE_LIMIT and self._part_count and all(index in self._parts for index in wanted):
            return b"".join(self._parts[index] for index in wanted)
        if self._facts.held & {"icc"}:
            self._facts.note("profile_ignored")
        return None
