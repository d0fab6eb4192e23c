"""Walks the directories of a TIFF, classic or big: one page for each picture of full resolution."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from eyeline.errors import UnsupportedMedia
from eyeline.media.containers.facts import PROFILE_LIMIT, Container, damaged
from eyeline.media.containers.view import ByteView

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_WHOLE_NUMBERS = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 13: "I", 16: "Q", 17: "q", 18: "Q"}
_SUBFILE, _OLD_SUBFILE, _WIDTH, _HEIGHT, _BITS, _PHOTOMETRIC = 254, 255, 256, 257, 258, 262
_STRIPS, _ORIENTATION, _SAMPLES, _STRIP_BYTES = 273, 274, 277, 279
_TILES, _TILE_BYTES, _EXTRA, _FORMAT = 324, 325, 338, 339
_XMP, _IPTC, _ICC, _EXIF, _GPS = 700, 33723, 34675, 34665, 34853
_HELD = {_XMP: "xmp", _IPTC: "iptc", _EXIF: "exif", _GPS: "gps", _ICC: "icc"}
_TEXTS = (269, 270, 271, 272, 285, 305, 306, 315, 316, 33432)
_REDUCED, _MASK = 1, 4
_MAX_ENTRIES, _MAX_VALUES = 4096, 1 << 16
_COLOURS = {0: "grey", 1: "grey", 2: "rgb", 3: "rgb", 5: "cmyk", 6: "rgb", 8: "lab", 9: "lab", 10: "lab"}
_CHANNELS = {"grey": 1, "rgb": 3, "cmyk": 4, "lab": 3}
_FLOAT, _PALETTE = 3, 3


def scan_tiff(view: ByteView, *, max_frames: int) -> Container:
    """Facts of a TIFF: those of its first page, with one container for each page; stops one past `max_frames`.

    Reduced copies and masks are no pages. Raises `CorruptMedia` where no decoder could start, and `UnsupportedMedia`.
    """
    directories = _Directories(view)
    pages: list[Container] = []
    reduced: list[Container] = []
    while len(pages) <= max_frames and (entries := directories.next()) is not None:
        page = _page(directories, entries)
        kind = directories.number(entries, _SUBFILE)
        is_copy = bool(kind & _REDUCED) or directories.number(entries, _OLD_SUBFILE) == 2
        page.place = directories.count - 1
        if not kind & _MASK:
            (reduced if is_copy else pages).append(page)
    pages = pages or reduced[:1]
    if not pages:
        raise damaged("no_pixel_data", outcome="malformed" if directories.ended else "truncated")
    facts = replace(pages[0], frames=len(pages), pages=tuple(pages), ended=directories.ended)
    facts.held = {name for page in pages for name in page.held}
    facts.is_cut = any(page.is_cut for page in pages)
    facts.notes = [*dict.fromkeys(note for page in pages for note in page.notes)]
    if not directories.ended:
        facts.note("directories_left_out")
    if reduced[:1] == pages:
        facts.note("reduced_copy_only")
    return facts


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: int
    count: int
    offset: int


class _Directories:
    """The chain of directories; a loop or a directory outside the file ends it."""

    def __init__(self, view: ByteView) -> None:
        head = view.at(0, 16)
        if len(head) < 8:
            raise damaged("cut_in_header", outcome="truncated")
        self._order = {b"II": "<", b"MM": ">"}.get(head[:2], "")
        if not self._order or head[2:4] not in (b"*\x00", b"\x00*", b"+\x00", b"\x00+"):
            raise damaged("no_header")
        self._is_big = b"+" in head[2:4]
        if self._is_big and len(head) < 16:
            raise damaged("cut_in_header", outcome="truncated")
        self.view = view
        self.count = 0
        self.ended = False
        self._seen: set[int] = set()
        self._next = self._unpack("Q" if self._is_big else "I", 8 if self._is_big else 4) or 0

    def next(self) -> dict[int, _Entry] | None:
        """The entries of the next directory, by tag; none at the end of the chain."""
        start = self._next
        if not start:
            self.ended = True
            return None
        if start in self._seen or len(self._seen) > _MAX_VALUES:
            return None
        self._seen.add(start)
        count = self._unpack("Q" if self._is_big else "H", start)
        if not count or count > _MAX_ENTRIES:
            return None
        first, size = start + (8 if self._is_big else 2), 20 if self._is_big else 12
        entries = dict(each for index in range(count) if (each := self._entry(first + index * size)) is not None)
        following = self._unpack("Q" if self._is_big else "I", first + count * size)
        self._next = following or 0
        self.ended = following is not None and not following
        self.count += 1
        return entries

    def numbers(self, entries: dict[int, _Entry], tag: int, *, most: int = _MAX_VALUES) -> tuple[int, ...]:
        """The whole numbers of a tag, at most so many; empty where it is absent or of another kind."""
        entry = entries.get(tag)
        if entry is None or entry.kind not in _WHOLE_NUMBERS:
            return ()
        count = min(entry.count, most)
        data = self.view.at(entry.offset, count * _SIZES[entry.kind])
        count = len(data) // _SIZES[entry.kind]
        return struct.unpack_from(f"{self._order}{count}{_WHOLE_NUMBERS[entry.kind]}", data)

    def number(self, entries: dict[int, _Entry], tag: int, default: int = 0) -> int:
        """The first number of a tag."""
        return next(iter(self.numbers(entries, tag, most=1)), default)

    def data(self, entries: dict[int, _Entry], tag: int, *, most: int) -> bytes | None:
        """The bytes of a tag; none where there are more, or fewer than it says."""
        entry = entries[tag]
        length = entry.count * _SIZES[entry.kind]
        data = self.view.at(entry.offset, length) if length <= most else b""
        return data if len(data) == length else None

    def _entry(self, place: int) -> tuple[int, _Entry] | None:
        form = "HHQ" if self._is_big else "HHI"
        data = self.view.at(place, struct.calcsize("=" + form))
        if len(data) < struct.calcsize("=" + form):
            return None
        tag, kind, count = struct.unpack(self._order + form, data)
        room = 8 if self._is_big else 4
        place += 4 + room
        if kind not in _SIZES:
            return None
        if count * _SIZES[kind] > room:
            place = self._unpack("Q" if self._is_big else "I", place) or 0
        return tag, _Entry(kind, count, place)

    def _unpack(self, form: str, offset: int) -> int | None:
        data = self.view.at(offset, struct.calcsize("=" + form))
        return int(struct.unpack(self._order + form, data)[0]) if len(data) == struct.calcsize("=" + form) else None


def _page(directories: _Directories, entries: dict[int, _Entry]) -> Container:
    number = directories.number
    page = Container(width_px=number(entries, _WIDTH), height_px=number(entries, _HEIGHT), ended=True)
    if not page.width_px or not page.height_px:
        raise damaged("zero_dimension")
    photometric = number(entries, _PHOTOMETRIC, 1)
    if photometric not in _COLOURS:
        raise UnsupportedMedia(f"a TIFF of photometric {photometric} cannot be decoded", family="image")
    page.colour = _COLOURS[photometric]
    depths = directories.numbers(entries, _BITS, most=16) or (1,)
    samples = number(entries, _SAMPLES, len(depths))
    page.bits = max(8, *depths)
    expected = 1 if photometric == _PALETTE else _CHANNELS[page.colour]
    extra = directories.numbers(entries, _EXTRA, most=16)
    page.has_alpha = samples > expected and any(each in (1, 2) for each in extra[:1])
    page.channels = 0 if photometric == _PALETTE else expected + page.has_alpha
    if number(entries, _FORMAT, 1) == _FLOAT or page.bits > 16:
        page.note("range_stretched")
    orientation = number(entries, _ORIENTATION, 1)
    page.orientation = orientation if 1 <= orientation <= 8 else 1
    _held(directories, entries, page)
    page.is_cut = _is_cut(directories, entries)
    return page


def _held(directories: _Directories, entries: dict[int, _Entry], page: Container) -> None:
    page.held = {name for tag, name in _HELD.items() if tag in entries}
    if any(tag in entries for tag in _TEXTS):
        page.held.add("text")
    if _ICC in entries and page.colour != "lab":
        page.profile = directories.data(entries, _ICC, most=PROFILE_LIMIT)
        if page.profile is None:
            page.note("profile_ignored")


def _is_cut(directories: _Directories, entries: dict[int, _Entry]) -> bool:
    """Whether pixel data is said to lie beyond the end of the file."""
    for places, lengths in ((_STRIPS, _STRIP_BYTES), (_TILES, _TILE_BYTES)):
        starts = directories.numbers(entries, places)
        counts = directories.numbers(entries, lengths)
        if any(start + length > directories.view.size for start, length in zip(starts, counts, strict=False)):
            return True
    return False
