"""Binary signatures: what some first bytes are, by a table and by bounded looks into containers. Pure.

A signature is believed only as far as it goes: where a short magic number is also plausible text (`BM`, `MZ`, a lone
frame sync), a second fact must agree.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_NAMES = 400

# Signatures that need no second look, by offset: the longest first where one begins another.
SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"II+\x00", "image/tiff"),
    (0, b"MM\x00+", "image/tiff"),
    (0, b"\x00\x00\x00\x0cjP  \r\n\x87\n", "image/jp2"),
    (0, b"\xff\x4f\xff\x51", "image/jp2"),
    (0, b"\x00\x00\x00\x0cJXL \r\n\x87\n", "image/jxl"),
    (0, b"8BPS\x00\x01", "image/vnd.adobe.photoshop"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"\xc5\xd0\xd3\xc6", "application/postscript"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\x00asm\x01\x00\x00\x00", "application/wasm"),
    (0, b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO\x00", "font/otf"),
    (0, b"ttcf\x00", "font/ttf"),
    (0, b"fLaC\x00", "audio/flac"),
    (0, b"MThd\x00\x00\x00\x06", "audio/midi"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    (0, b"\x00\x00\x01\xba", "video/mpeg"),
    (0, b"\x00\x00\x01\xb3", "video/mpeg"),
    (0, b"#EXTM3U", "application/vnd.apple.mpegurl"),
    (0, b"\xef\xbb\xbf#EXTM3U", "application/vnd.apple.mpegurl"),
    (257, b"ustar", "application/x-tar"),
)


def binary_type(head: bytes, *, size: int, tail: bytes = b"") -> str | None:
    """The media type that the bytes claim by a signature; none where no signature matches."""
    for offset, magic, name in SIGNATURES:
        if head.startswith(magic, offset):
            return name
    for look in _LOOKS:
        found = look(head, size, tail)
        if found is not None:
            return found
    return None


def _zip(head: bytes, size: int, tail: bytes) -> str | None:
    del size
    if head[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return None
    names = _entry_names(head, b"PK\x03\x04", 26, 30) + _entry_names(tail, b"PK\x01\x02", 28, 46)
    if names[:1] == [b"mimetype"]:
        named = _stored_type(head)
        if named is not None:
            return named
    for folder, kind in ((b"word/", "wordprocessingml.document"), (b"xl/", "spreadsheetml.sheet")):
        if any(name.startswith(folder) for name in names):
            return f"{_OOXML}.{kind}"
    if any(name.startswith(b"ppt/") for name in names):
        return f"{_OOXML}.presentationml.presentation"
    return "application/zip"


def _entry_names(data: bytes, magic: bytes, length_at: int, name_at: int) -> list[bytes]:
    """Names of the archive's entries as far as they stand in these bytes; nothing is inflated."""
    names: list[bytes] = []
    offset = data.find(magic)
    while offset >= 0 and len(names) < _ZIP_NAMES:
        length = int.from_bytes(data[offset + length_at : offset + length_at + 2], "little")
        names.append(data[offset + name_at : offset + name_at + length])
        offset = data.find(magic, offset + 4)
    return names


def _stored_type(head: bytes) -> str | None:
    start = 30 + 8 + int.from_bytes(head[28:30], "little")
    for kind in (
        "application/epub+zip",
        f"{_ODF}.text",
        f"{_ODF}.spreadsheet",
        f"{_ODF}.presentation",
    ):
        if head.startswith(kind.encode() + b"PK", start) or head[start : start + 80] == kind.encode():
            return kind
    return None


def _ole(head: bytes, size: int, tail: bytes) -> str | None:
    del size
    if not head.startswith(_OLE):
        return None
    for word, kind in (
        ("EncryptedPackage", "application/x-ooxml-protected"),
        ("__properties_version1.0", "application/vnd.ms-outlook"),
        ("__substg1.0_", "application/vnd.ms-outlook"),
        ("WordDocument", "application/msword"),
        ("PowerPoint Document", "application/vnd.ms-powerpoint"),
        ("Workbook", "application/vnd.ms-excel"),
        ("Book\x00", "application/vnd.ms-excel"),
    ):
        wide = word.encode("utf-16-le")
        if wide in head or wide in tail:
            return kind
    return "application/x-ole-storage"


def directory_of(head: bytes) -> int | None:
    """Where an OLE storage lists its streams, which say what it is; none of other bytes."""
    if not head.startswith(_OLE) or len(head) < 512:
        return None
    shift, sector = int.from_bytes(head[30:32], "little"), int.from_bytes(head[48:52], "little")
    return (sector + 1) << shift if shift in (9, 12) and sector < 1 << 24 else None


def _riff(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    if head[:4] in (b"RIFF", b"RF64"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(head[8:12])
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return "audio/aiff"
    return None


_HEIC = frozenset((b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"hevm", b"hevs"))
_AVIF = frozenset((b"avif", b"avis"))


def _iso_media(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    kind = head[4:8]
    length = int.from_bytes(head[:4], "big")
    if kind in (b"moov", b"mdat", b"wide", b"pnot") and (length == 1 or length >= 8):
        return "video/quicktime"
    if kind != b"ftyp" or not 12 <= length <= 4096:
        return None
    brands = [head[8:12], *(head[at : at + 4] for at in range(16, min(length, len(head) - 3), 4))]
    if any(brand in _AVIF for brand in brands):
        return "image/avif"
    if any(brand in _HEIC for brand in brands):
        return "image/heic"
    major = brands[0]
    if major in (b"mif1", b"msf1", b"mif2", b"miaf"):
        return "image/heif"
    if major == b"qt  ":
        return "video/quicktime"
    if major in (b"M4A ", b"M4B ", b"M4P "):
        return "audio/mp4"
    if major[:3] in (b"3gp", b"3g2"):
        return "video/3gpp"
    return None if major == b"crx " else "video/mp4"


def _matroska(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    if not head.startswith(b"\x1aE\xdf\xa3"):
        return None
    return "video/webm" if b"webm" in head[:4096] else "video/x-matroska"


def _ogg(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    if not head.startswith(b"OggS\x00"):
        return None
    first = head[:512]
    is_video = any(word in first for word in (b"\x80theora", b"BBCD", b"OVP80", b"fishead"))
    return "video/ogg" if is_video else "audio/ogg"


def _transport_stream(head: bytes, size: int, tail: bytes) -> str | None:
    del tail
    for packet, start in ((188, 0), (192, 4)):
        places = range(start, min(len(head), start + 5 * packet), packet)
        if len(places) >= 3 and size >= 3 * packet and all(head[place] == 0x47 for place in places):
            return "video/mp2t"
    return None


def _bitmap(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    if (
        head[:2] == b"BM"
        and len(head) >= 26
        and int.from_bytes(head[14:18], "little") in (12, 16, 40, 52, 56, 64, 108, 124)
    ):
        return "image/bmp"
    return None


def _icon(head: bytes, size: int, tail: bytes) -> str | None:
    del tail
    if head[:4] not in (b"\x00\x00\x01\x00", b"\x00\x00\x02\x00") or len(head) < 22:
        return None
    count, reserved = int.from_bytes(head[4:6], "little"), head[9]
    length, offset = struct.unpack_from("<II", head, 14)
    fits = (
        1 <= count <= 256 and reserved in (0, 255) and offset >= 6 + 16 * count and length and offset + length <= size
    )
    return "image/vnd.microsoft.icon" if fits else None


def _executable(head: bytes, size: int, tail: bytes) -> str | None:
    del tail
    if head[:2] != b"MZ" or len(head) < 64:
        return None
    start = int.from_bytes(head[60:64], "little")
    is_pe = head[start : start + 4] == b"PE\x00\x00" or (len(head) <= start < size and b"\x00" in head[:64])
    return "application/vnd.microsoft.portable-executable" if is_pe else None


def _fat_mach(head: bytes, size: int, tail: bytes) -> str | None:
    """A universal binary; a Java class begins alike, with a version of 45 and more where the count of parts stands."""
    del size, tail
    is_fat = head[:4] == b"\xca\xfe\xba\xbe" and 0 < int.from_bytes(head[4:8], "big") < 40
    return "application/x-mach-binary" if is_fat else None


def _truetype(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    if head[:4] not in (b"\x00\x01\x00\x00", b"true") or len(head) < 28:
        return None
    tables, reach = struct.unpack_from(">HH", head, 4)
    fits = 0 < tables <= 128 and reach == 16 << (tables.bit_length() - 1) and head[12:16].isascii()
    return "font/ttf" if fits else None


def _parquet(head: bytes, size: int, tail: bytes) -> str | None:
    is_short = size <= len(head)
    ends = head if is_short else tail
    is_it = head[:4] == b"PAR1" and (ends[-4:] == b"PAR1" or not ends)
    return "application/vnd.apache.parquet" if is_it else None


def _bzip2(head: bytes, size: int, tail: bytes) -> str | None:
    del size, tail
    is_it = head[:3] == b"BZh" and head[3:4] in b"123456789" and head[4:10] in (b"1AY&SY", b"\x17rE8P\x90")
    return "application/x-bzip2" if is_it else None


def _jxl_stream(head: bytes, size: int, tail: bytes) -> str | None:
    """A bare JPEG XL stream has two bytes only; it is believed where what follows cannot be text."""
    del size, tail
    return "image/jxl" if head[:2] == b"\xff\x0a" and any(each < 9 or each > 126 for each in head[2:16]) else None


_PDF_HEADER = re.compile(rb"%PDF-\d\.\d")


def _pdf(head: bytes, size: int, tail: bytes) -> str | None:
    """A header at the start, or after at most 1024 bytes of junk where the rest looks like a PDF."""
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if _PDF_HEADER.search(head, 0, 1024 + 8) is None:
        return None
    ends = tail or (head if size <= len(head) else b"")
    return "application/pdf" if b" obj" in head and (b"%%EOF" in ends or not ends) else None


_RATES_1 = {
    1: (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    2: (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    3: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
}
_RATES_2 = {
    1: (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    2: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    3: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}


def _mpeg_audio(head: bytes, size: int, tail: bytes) -> str | None:
    del tail
    if head[:3] == b"ID3" and len(head) >= 10 and head[3] < 0xFF and all(each < 0x80 for each in head[6:10]):
        length = 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])
        if head.startswith(b"fLaC", length):
            return "audio/flac"
        return "audio/aac" if _frames(head[length:], _adts_length, size - length) else "audio/mpeg"
    if _frames(head, _adts_length, size):
        return "audio/aac"
    return "audio/mpeg" if _frames(head, _layer_length, size) else None


def _frames(data: bytes, length_of: Callable[[bytes], int], size: int) -> bool:
    """Whether a frame begins here, and another right behind it; a lone frame must end where the file does."""
    first = length_of(data[:8])
    if not first:
        return False
    return length_of(data[first : first + 8]) > 0 if len(data) >= first + 8 else first == size


def _adts_length(head: bytes) -> int:
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0 or head[2] >> 2 & 15 > 12:
        return 0
    length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return length if length >= 7 else 0


def _layer_length(head: bytes) -> int:
    """Bytes of one MPEG audio frame by its header; 0 where it is none."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    version, layer = head[1] >> 3 & 3, 4 - (head[1] >> 1 & 3)
    rate, sampling, padding = head[2] >> 4, head[2] >> 2 & 3, head[2] >> 1 & 1
    if version == 1 or layer == 4 or not 1 <= rate <= 14 or sampling == 3:
        return 0
    kilobits = (_RATES_1 if version == 3 else _RATES_2)[layer][rate - 1]
    hertz = (44100, 48000, 32000)[sampling] >> {3: 0, 2: 1, 0: 2}[version]
    if layer == 1:
        return (12_000 * kilobits // hertz + padding) * 4
    samples = 72_000 if layer == 3 and version != 3 else 144_000
    return samples * kilobits // hertz + padding


_LOOKS: tuple[Callable[[bytes, int, bytes], str | None], ...] = (
    _riff,
    _zip,
    _pdf,
    _iso_media,
    _ole,
    _matroska,
    _ogg,
    _bzip2,
    _transport_stream,
    _bitmap,
    _icon,
    _executable,
    _fat_mach,
    _truetype,
    _parquet,
    _mpeg_audio,
    _jxl_stream,
)
