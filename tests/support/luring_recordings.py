"""Recordings, and what calls itself one, that name other files and addresses in every way that a demuxer may follow."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.support.outside import Outside

from eyeline.media.sample_video import Film, clicks, even_times, make_video

_AROUND_DREF = frozenset((b"moov", b"trak", b"mdia", b"minf", b"dinf"))
_SELF_CONTAINED = b"\0\0\0\x0curl \0\0\0\x01"
_ABSOLUTE_PATH = 2


def luring_recordings(outside: Outside) -> dict[str, bytes]:
    """A file of each kind by the name it comes under; those that are recordings are whole."""
    film = Film(even_times(2), sound=clicks(2))
    texts = (outside.text.as_uri(), f"{outside.url}/part.ts")
    playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + "".join(f"#EXTINF:1.0,\n{each}\n" for each in texts)
    parts = "".join(f"<BaseURL>{each}</BaseURL>" for each in texts)
    manifest = (
        f'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period>{parts}<AdaptationSet '
        'mimeType="video/mp4"><Representation id="1" bandwidth="1"/></AdaptationSet></Period></MPD>'
    )
    session = f"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\na=control:{outside.url}\nm=video 9 RTP/AVP 96\n"
    return {
        "playlist.mp4": playlist.encode(),
        "concat.mp4": f"ffconcat version 1.0\nfile '{outside.text}'\nfile '{outside.url}'\n".encode(),
        "manifest.mp4": manifest.encode(),
        "session.mp4": session.encode(),
        "alias.mov": with_alias(make_video(Film(film.times_ms, container="mov", sound=film.sound)), outside.text),
        "linked.mkv": with_next(make_video(Film(film.times_ms, container="matroska", sound=film.sound)), outside.text),
    }


def with_alias(movie: bytes, target: Path) -> bytes:
    """The same MOV, its first track said to lie in another file, as an alias by absolute path."""
    place = str(target).encode()
    name = target.name.encode().ljust(63, b"\0")
    pad = b"\0" * (len(place) % 2)
    record = bytes(10) + b"\x04disk".ljust(28, b"\0") + bytes(12) + bytes([len(target.name)]) + name + bytes(16)
    record += struct.pack(">hh", -1, -1) + bytes(16)
    record += struct.pack(">hh", _ABSOLUTE_PATH, len(place)) + place + pad + struct.pack(">hh", -1, 0)
    entry = struct.pack(">I", 12 + len(record)) + b"alis" + bytes(4) + record
    made, swapped = _swapped(movie, entry)
    assert swapped, "the track says where its bytes lie"
    return made


def _swapped(boxes: bytes, entry: bytes) -> tuple[bytes, bool]:
    """Boxes with the first reference to the file itself swapped for `entry`, the sizes around it corrected."""
    made, at, swapped = b"", 0, False
    while at + 8 <= len(boxes):
        size, kind = struct.unpack_from(">I4s", boxes, at)
        inside = boxes[at + 8 : at + size]
        if not swapped and kind == b"dref" and _SELF_CONTAINED in inside:
            inside, swapped = inside.replace(_SELF_CONTAINED, entry, 1), True
        elif not swapped and kind in _AROUND_DREF:
            inside, swapped = _swapped(inside, entry)
        made += struct.pack(">I4s", len(inside) + 8, kind) + inside
        at += size
    return made, swapped


def with_next(film: bytes, target: Path) -> bytes:
    """The same Matroska file, which says in place of the name of its writer that another file goes on."""
    at = film.index(b"\x4d\x80")
    length = film[at + 2] & 0x7F
    name = target.name.encode()[: length - 1].ljust(length - 1, b"\0")
    return film[:at] + b"\x3e\x83\xbb" + bytes([0x80 | (length - 1)]) + name + film[at + 3 + length :]
