"""Walks the boxes of a HEIC or AVIF file: the primary picture, its properties, and how decoders turn it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from eyeline.media.containers import icc
from eyeline.media.containers.exif import read_exif
from eyeline.media.containers.facts import METADATA_LIMIT, PROFILE_LIMIT, Container, damaged
from eyeline.media.containers.view import ByteView

_META_LIMIT = 8 << 20
_MAX_BOXES, _MAX_ITEMS = 20_000, 10_000
_ALPHA = (b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", b"urn:mpeg:hevc:2015:auxid:1")


def scan_heif(view: ByteView) -> Container:
    """Facts of the primary picture as it comes out of a decoder, which turns and crops it as the file says.

    Raises `CorruptMedia` where no decoder could start.
    """
    facts = Container(ended=True)
    meta = b""
    if view.at(4, 4) != b"ftyp":
        raise damaged("no_header")
    for kind, start, length in _top_boxes(view):
        facts.ended = start + length <= view.size
        if kind == b"meta" and not meta:
            if length > _META_LIMIT:
                raise damaged("impossible_header")
            if not facts.ended:
                raise damaged("cut_in_header", outcome="truncated")
            meta = view.at(start, length)
        elif kind == b"moov":
            facts.note("sequence_not_read")
    if not meta:
        raise damaged("no_pixel_data", outcome="malformed" if facts.ended else "truncated")
    items = _Items(meta)
    if not items.primary:
        raise damaged("no_pixel_data", outcome="malformed" if facts.ended else "truncated")
    _shape(items, facts)
    _colour(items, facts)
    _held(items, view, facts)
    wanted = {items.primary, *items.references(b"dimg", items.primary)}
    facts.is_cut = any(items.ends.get(item, 0) > view.size for item in wanted)
    return facts


def _top_boxes(view: ByteView) -> Iterator[tuple[bytes, int, int]]:
    offset = 0
    for _ in range(_MAX_BOXES):
        head = view.at(offset, 16)
        if len(head) < 8:
            return
        length, kind = struct.unpack_from(">I4s", head)
        lead = 8
        if length == 1 and len(head) == 16:
            length, lead = struct.unpack_from(">Q", head, 8)[0], 16
        if length == 0:
            length = view.size - offset
        if length < lead:
            return
        yield kind, offset + lead, length - lead
        offset += length


def _boxes(data: bytes, start: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Kind and body of each box in some bytes; a damaged one ends the walk."""
    for _ in range(_MAX_BOXES):
        if start + 8 > len(data):
            return
        length, kind = struct.unpack_from(">I4s", data, start)
        length = length or len(data) - start
        if length < 8 or start + length > len(data):
            return
        yield kind, data[start + 8 : start + length]
        start += length


@dataclass(slots=True)
class _Fields:
    """Reads whole numbers one after the other; what lies beyond the end is 0."""

    data: bytes
    place: int = 0

    def take(self, size: int) -> int:
        part = self.data[self.place : self.place + size]
        self.place += size
        return int.from_bytes(part, "big") if len(part) == size else 0

    @property
    def is_over(self) -> bool:
        return self.place >= len(self.data)


@dataclass(slots=True)
class _Items:
    """What the meta box says of its items: kinds, properties, references and where their data ends."""

    meta: bytes
    primary: int = 0
    kinds: dict[int, bytes] = field(default_factory=dict[int, bytes])
    hidden: set[int] = field(default_factory=set[int])
    properties: dict[int, list[tuple[bytes, bytes]]] = field(default_factory=dict[int, list[tuple[bytes, bytes]]])
    links: list[tuple[bytes, int, list[int]]] = field(default_factory=list[tuple[bytes, int, list[int]]])
    ends: dict[int, int] = field(default_factory=dict[int, int])
    places: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def __post_init__(self) -> None:
        readers = {b"pitm": self._pitm, b"iinf": self._iinf, b"iprp": self._iprp, b"iref": self._iref}
        for kind, body in _boxes(self.meta, 4):
            if kind in readers:
                readers[kind](body)
            elif kind == b"iloc":
                self._iloc(body)

    def of_primary(self, kind: bytes) -> list[bytes]:
        """Bodies of the primary picture's properties of a kind, in order."""
        return [body for each, body in self.properties.get(self.primary, []) if each == kind]

    def references(self, kind: bytes, item: int) -> list[int]:
        """The items that an item refers to in some way."""
        return [to for each, origin, targets in self.links if each == kind and origin == item for to in targets]

    def referring(self, kind: bytes, item: int) -> list[int]:
        """The items that refer to an item in some way."""
        return [origin for each, origin, targets in self.links if each == kind and item in targets]

    def _pitm(self, body: bytes) -> None:
        self.primary = _Fields(body, 4).take(2 if body[:1] == b"\0" else 4)

    def _iinf(self, body: bytes) -> None:
        for kind, entry in _boxes(body, 6 if body[:1] == b"\0" else 8):
            if kind != b"infe" or entry[:1] not in (b"\2", b"\3") or len(self.kinds) >= _MAX_ITEMS:
                continue
            fields = _Fields(entry, 4)
            item = fields.take(2 if entry[:1] == b"\2" else 4)
            self.kinds[item] = entry[fields.place + 2 : fields.place + 6]
            if not self.kinds[item].isascii():
                raise damaged("impossible_header")
            if self.kinds[item] == b"mime" and b"rdf+xml" in entry:
                self.kinds[item] = b"xmp "
            if entry[3:4] and entry[3] & 1:
                self.hidden.add(item)

    def _iprp(self, body: bytes) -> None:
        listed: list[tuple[bytes, bytes]] = []
        for kind, inner in _boxes(body):
            if kind == b"ipco":
                listed = list(_boxes(inner))
        for kind, inner in _boxes(body):
            if kind == b"ipma":
                self._ipma(inner, listed)

    def _ipma(self, body: bytes, listed: list[tuple[bytes, bytes]]) -> None:
        fields = _Fields(body, 4)
        is_wide = bool(body[3:4] and body[3] & 1)
        for _ in range(min(fields.take(4), _MAX_ITEMS)):
            item = fields.take(2 if body[:1] == b"\0" else 4)
            for _ in range(fields.take(1)):
                index = fields.take(2) & 0x7FFF if is_wide else fields.take(1) & 0x7F
                if 1 <= index <= len(listed):
                    self.properties.setdefault(item, []).append(listed[index - 1])
            if fields.is_over:
                return

    def _iref(self, body: bytes) -> None:
        width = 2 if body[:1] == b"\0" else 4
        for kind, inner in _boxes(body, 4):
            fields = _Fields(inner)
            origin = fields.take(width)
            targets = [fields.take(width) for _ in range(min(fields.take(2), _MAX_ITEMS))]
            self.links.append((kind, origin, targets))

    def _iloc(self, body: bytes) -> None:
        version, fields = body[:1], _Fields(body, 4)
        sizes = fields.take(2)
        offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
        index_size = 0 if version == b"\0" else sizes & 15
        for _ in range(min(fields.take(4 if version == b"\2" else 2), _MAX_ITEMS)):
            item = fields.take(4 if version == b"\2" else 2)
            method = 0 if version == b"\0" else fields.take(2) & 15
            fields.take(2)
            base = fields.take(base_size)
            for part in range(min(fields.take(2), _MAX_ITEMS)):
                fields.take(index_size)
                start, length = base + fields.take(offset_size), fields.take(length_size)
                if method == 0:
                    self.ends[item] = max(self.ends.get(item, 0), start + length)
                    if part == 0:
                        self.places[item] = (start, length)
            if fields.is_over:
                return


def _shape(items: _Items, facts: Container) -> None:
    """Size after cropping and turning, in the order in which the file lists them."""
    said: list[str] = []
    for kind, body in items.properties.get(items.primary, []):
        if kind == b"ispe" and len(body) >= 12:
            facts.width_px, facts.height_px = struct.unpack_from(">II", body, 4)
        elif kind == b"clap" and len(body) >= 32:
            top, bottom, high, low = struct.unpack_from(">IIII", body)
            if bottom and low:
                facts.width_px, facts.height_px = top // bottom, high // low
                said.append("cropped")
        elif kind == b"irot" and body and body[0] & 3:
            said.append(f"turned {90 * (body[0] & 3)} anticlockwise")
            if body[0] & 1:
                facts.width_px, facts.height_px = facts.height_px, facts.width_px
        elif kind == b"imir" and body:
            said.append("mirrored left to right" if body[0] & 1 else "mirrored top to bottom")
    facts.turned = ", ".join(said)
    if not facts.width_px or not facts.height_px:
        raise damaged("zero_dimension")


def _colour(items: _Items, facts: Container) -> None:
    depths = [body[5 : 5 + body[4]] for body in items.of_primary(b"pixi") if len(body) > 5]
    facts.bits = max(8, *(depth for each in depths for depth in each), 8)
    facts.colour = "grey" if depths and len(depths[0]) == 1 else "rgb"
    auxiliary = items.referring(b"auxl", items.primary)
    kinds = [body for item in auxiliary for kind, body in items.properties.get(item, []) if kind == b"auxC"]
    facts.has_alpha = any(body[4:].startswith(_ALPHA) for body in kinds)
    code: tuple[int, int] | None = None
    for body in items.of_primary(b"colr"):
        if body[:4] in (b"prof", b"rICC"):
            facts.held.add("icc")
            facts.profile = body[4:] if len(body) <= PROFILE_LIMIT else None
        elif body[:4] == b"nclx" and len(body) >= 8:
            code = struct.unpack_from(">HH", body, 4)
    if facts.profile is None and code is not None and 2 not in code:
        facts.profile, is_known = icc.from_code_points(*code)
        if not is_known:
            facts.note("colour_code_ignored")


def _held(items: _Items, view: ByteView, facts: Container) -> None:
    for item, kind in items.kinds.items():
        if kind == b"Exif":
            facts.held.add("exif")
            start, length = items.places.get(item, (0, 0))
            block = view.at(start, length) if 4 < length <= METADATA_LIMIT else b""
            if read_exif(block[4 + int.from_bytes(block[:4], "big") :]).has_gps:
                facts.held.add("gps")
        elif kind == b"xmp ":
            facts.held.add("xmp")
    if items.referring(b"thmb", items.primary):
        facts.held.add("thumbnail")
    part_of = {item for kind, origin, targets in items.links for item in _parts(kind, origin, targets)}
    pictures = {item for item, kind in items.kinds.items() if kind in (b"hvc1", b"av01", b"grid", b"iovl")}
    if pictures - items.hidden - part_of - {items.primary}:
        facts.held.add("other")
        facts.note("more_pictures")


def _parts(kind: bytes, origin: int, targets: list[int]) -> list[int]:
    """Items that are no pictures of their own: tiles of another, and what is made for another."""
    return targets if kind == b"dimg" else [origin] if kind in (b"auxl", b"thmb", b"cdsc") else []
