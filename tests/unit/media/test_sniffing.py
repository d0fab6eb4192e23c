from __future__ import annotations

import io
import json
import struct
import zipfile

import pytest

from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_pictures import make_animation, make_picture
from eyeline.media.sniffing import mismatch, sniff
from eyeline.model.media_type import MediaType

OOXML = "application/vnd.openxmlformats-officedocument"
ODF = "application/vnd.oasis.opendocument"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'
MAIL = b"Received: by x\r\nFrom: a@example.org\r\nSubject: hi\r\nDate: Mon, 1 Jan 2024\r\n\r\nbody\r\n"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": []}], "metadata": {}, "nbformat": 4}).encode()
PDF = make_pdf(["hello"])


def archive(*names: str, first: tuple[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        if first is not None:
            made.writestr(*first)
        for name in names:
            made.writestr(name, "x" * 40)
    return buffer.getvalue()


def ftyp(*brands: bytes) -> bytes:
    body = brands[0] + bytes(4) + b"".join(brands[1:])
    return struct.pack(">I", 8 + len(body)) + b"ftyp" + body + struct.pack(">I", 8) + b"mdat"


def ole(*names: str) -> bytes:
    return OLE + b"".join(name.encode("utf-16-le").ljust(64, b"\0") for name in names)


def mp3_frame() -> bytes:
    return b"\xff\xfb\x90\x00" + bytes(413)


def adts_frame() -> bytes:
    length = 64
    return bytes((0xFF, 0xF1, 0x50, 0x80 | length >> 11, length >> 3 & 255, (length & 7) << 5 | 0x1F, 0xFC)) + bytes(57)


def tar() -> bytes:
    return b"notes.txt".ljust(257, b"\0") + b"ustar\x0000" + bytes(248)


def icon() -> bytes:
    return struct.pack("<HHH", 0, 1, 1) + struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, 40, 22) + bytes(40)


def executable() -> bytes:
    return b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0" + bytes(40)


def truetype() -> bytes:
    return b"\0\1\0\0" + struct.pack(">HHHH", 12, 128, 3, 64) + b"OS/2" + bytes(40)


# name (mostly a wrong one), bytes, type
CASES: list[tuple[str, bytes, str]] = [
    ("photo.jpg", make_picture("image/png"), "image/png"),
    ("B07.png", make_picture("image/jpeg"), "image/jpeg"),
    ("noext", make_picture("image/webp"), "image/webp"),
    ("a.png", make_animation("image/gif"), "image/gif"),
    ("a.txt", b"II*\x00" + bytes(20), "image/tiff"),
    ("a.txt", b"MM\x00*" + bytes(20), "image/tiff"),
    ("a.png", b"BM" + struct.pack("<IHHII", 70, 0, 0, 54, 40) + bytes(30), "image/bmp"),
    ("a.png", icon(), "image/vnd.microsoft.icon"),
    ("B18.png", ftyp(b"heic", b"mif1", b"heic"), "image/heic"),
    ("a.jpg", ftyp(b"mif1", b"heic", b"miaf"), "image/heic"),
    ("a.jpg", ftyp(b"mif1", b"miaf"), "image/heif"),
    ("a.jpg", ftyp(b"avif", b"mif1"), "image/avif"),
    ("a.png", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(20), "image/jp2"),
    ("a.png", b"\xff\x4f\xff\x51\0\x2f", "image/jp2"),
    ("a.png", b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(20), "image/jxl"),
    ("a.png", b"\xff\x0a\xfa\x1f\x01\x91", "image/jxl"),
    ("B08.png", SVG, "image/svg+xml"),
    ("a.txt", b'<?xml version="1.0"?><!-- made by -->\n<svg:svg xmlns:svg="x" />', "image/svg+xml"),
    ("a.docx", PDF, "application/pdf"),
    ("B39.bin", b"\r\nHTTP junk\r\n" * 20 + PDF, "application/pdf"),
    ("a.zip", archive("[Content_Types].xml", "_rels/.rels", "word/document.xml"), f"{OOXML}.wordprocessingml.document"),
    ("a.zip", archive("[Content_Types].xml", "xl/workbook.xml"), f"{OOXML}.spreadsheetml.sheet"),
    ("a.zip", archive("[Content_Types].xml", "ppt/slides/slide1.xml"), f"{OOXML}.presentationml.presentation"),
    ("a.zip", archive("META-INF/x", first=("mimetype", "application/epub+zip")), "application/epub+zip"),
    ("a.zip", archive("content.xml", first=("mimetype", f"{ODF}.text")), f"{ODF}.text"),
    ("a.zip", archive("content.xml", first=("mimetype", f"{ODF}.spreadsheet")), f"{ODF}.spreadsheet"),
    ("a.zip", archive("content.xml", first=("mimetype", f"{ODF}.presentation")), f"{ODF}.presentation"),
    ("a.docx", archive("META-INF/MANIFEST.MF", "a.class"), "application/zip"),
    ("a.png", archive(), "application/zip"),
    ("a.xls", ole("Root Entry", "WordDocument"), "application/msword"),
    ("a.doc", ole("Root Entry", "Workbook"), "application/vnd.ms-excel"),
    ("a.doc", ole("Root Entry", "PowerPoint Document"), "application/vnd.ms-powerpoint"),
    ("a.doc", ole("Root Entry", "__properties_version1.0"), "application/vnd.ms-outlook"),
    ("a.doc", OLE, "application/x-ole-storage"),
    ("a.doc", b"{\\rtf1\\ansi hello}", "application/rtf"),
    ("a.txt", b"%!PS-Adobe-3.0\n", "application/postscript"),
    ("a.txt", b"\x1f\x8b\x08\0" + bytes(10), "application/gzip"),
    ("a.txt", b"BZh91AY&SY" + bytes(10), "application/x-bzip2"),
    ("a.txt", b"\xfd7zXZ\0" + bytes(10), "application/x-xz"),
    ("a.txt", b"\x28\xb5\x2f\xfd" + bytes(10), "application/zstd"),
    ("a.txt", b"7z\xbc\xaf\x27\x1c" + bytes(10), "application/x-7z-compressed"),
    ("a.txt", b"Rar!\x1a\x07\x01\0", "application/vnd.rar"),
    ("a.txt", tar(), "application/x-tar"),
    ("a.txt", b"SQLite format 3\0" + bytes(84), "application/vnd.sqlite3"),
    ("a.txt", b"PAR1" + bytes(20) + b"PAR1", "application/vnd.apache.parquet"),
    ("a.txt", b"\x7fELF\x02\x01\x01" + bytes(20), "application/x-elf"),
    ("a.txt", executable(), "application/vnd.microsoft.portable-executable"),
    ("a.txt", b"\xcf\xfa\xed\xfe" + bytes(20), "application/x-mach-binary"),
    ("a.txt", b"\xca\xfe\xba\xbe\0\0\0\x02" + bytes(20), "application/x-mach-binary"),
    ("a.txt", b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(20), "application/octet-stream"),
    ("a.txt", b"\0asm\x01\0\0\0", "application/wasm"),
    ("a.txt", truetype(), "font/ttf"),
    ("a.txt", b"OTTO\0\x0c" + bytes(20), "font/otf"),
    ("a.txt", b"wOFF" + bytes(20), "font/woff"),
    ("a.txt", b"wOF2" + bytes(20), "font/woff2"),
    ("a.mp3", b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
    ("a.wav", b"RIFF\x24\0\0\0AVI LIST", "video/x-msvideo"),
    ("a.wav", b"FORM\0\0\0\x24AIFFCOMM", "audio/aiff"),
    ("a.wav", b"fLaC\0\0\0\x22" + bytes(20), "audio/flac"),
    ("a.wav", b"OggS\0\x02" + bytes(22) + b"\x01vorbis", "audio/ogg"),
    ("a.wav", b"OggS\0\x02" + bytes(22) + b"OpusHead", "audio/ogg"),
    ("a.wav", b"OggS\0\x02" + bytes(22) + b"\x80theora", "video/ogg"),
    ("a.wav", mp3_frame() * 3, "audio/mpeg"),
    ("a.wav", b"ID3\x04\0\0\0\0\0\x0a" + bytes(10) + mp3_frame() * 2, "audio/mpeg"),
    ("a.wav", adts_frame() * 3, "audio/aac"),
    ("a.wav", b"#!AMR\n" + bytes(10), "audio/amr"),
    ("a.wav", b"MThd\0\0\0\x06\0\x01\0\x02\0\x60", "audio/midi"),
    ("a.avi", ftyp(b"isom", b"isom", b"avc1"), "video/mp4"),
    ("a.mp4", ftyp(b"M4A ", b"mp42"), "audio/mp4"),
    ("a.avi", ftyp(b"qt  "), "video/quicktime"),
    ("a.avi", b"\0\0\0\x08wide\0\0\x10\0mdat" + bytes(20), "video/quicktime"),
    ("a.avi", ftyp(b"3gp4", b"isom"), "video/3gpp"),
    ("a.avi", b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "video/webm"),
    ("a.avi", b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x88matroska", "video/x-matroska"),
    ("a.avi", b"FLV\x01\x05\0\0\0\x09", "video/x-flv"),
    ("a.avi", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", "video/x-ms-asf"),
    ("a.avi", b"\0\0\x01\xba\x44" + bytes(20), "video/mpeg"),
    ("a.mpg", (b"\x47" + bytes(187)) * 4, "video/mp2t"),
    ("B48.mp4", b"#EXTM3U\n#EXTINF:1.0,\n/etc/passwd\n", "application/vnd.apple.mpegurl"),
    ("B09.png", b"<!doctype html><title>404</title><p>not an image</p>", "text/html"),
    ("B39.pdf", b"<html>login required</html>", "text/html"),
    ("a.bin", b'<?xml version="1.0"?><note><to>b</to></note>', "application/xml"),
    ("a.bin", b'{"a": [1, 2, {"b": null}]}', "application/json"),
    ("a.bin", b'{"a": 1}\n{"a": 2}\n{"a": 3}\n', "application/x-ndjson"),
    ("a.json", NOTEBOOK, "application/x-ipynb+json"),
    ("a.txt", MAIL, "message/rfc822"),
    ("a.bin", b'id,name,price\n1,a,2\n2,b,3\n3,"c, d",4\n', "text/csv"),
    ("a.bin", b"id\tname\n1\ta\n2\tb\n", "text/tab-separated-values"),
    ("table.csv", b"one column\nonly\n", "text/csv"),
    ("README.md", b"# Title\n\ntext\n", "text/markdown"),
    ("README.md", b'<div align="center">\n\n# Title\n\n</div>\n', "text/markdown"),
    ("README.md", b"[a link](https://example.org) and text\n", "text/markdown"),
    ("code.py", b"import os\n", "text/x-python"),
    ("code.ts", b"const a: number = 1\n", "text/x-typescript"),
    ("run", b"#!/usr/bin/env python3\nprint(1)\n", "text/x-python"),
    ("conf.yaml", b"{a: 1}\n", "application/yaml"),
    ("broken.json", b"{'a': 1,, }\n", "text/plain"),
    ("notes", "häuser, straßen\n".encode(), "text/plain"),
    ("notes", "häuser, straßen\n".encode("cp1252"), "text/plain"),
    ("notes", "plain words\n".encode("utf-16"), "text/plain"),
    ("notes", "plain words\n".encode("utf-16-be"), "text/plain"),
    ("notes", "plain words\n".encode("utf-32-le"), "text/plain"),
    ("prose", b"Well, yes, no.\nThen, so, go.\nNow, or, if.\nOnce, more, on.\nEnd, of, it.\n", "text/plain"),
    ("a.log", b"\x1b[31merror\x1b[0m\n", "text/plain"),
    ("BMW.txt", b"BMW built this car in 1999 and MZ another one", "text/plain"),
    ("a.md", b"A header like %PDF-1.4 is not a PDF, nor is 1 0 obj.\n", "text/markdown"),
    ("B15.png", bytes(range(1, 256)) * 16, "application/octet-stream"),
    ("B15.txt", b"text with a \x00 in it", "application/octet-stream"),
]


@pytest.mark.requirement("SA-02")
@pytest.mark.parametrize(("name", "data", "wanted"), CASES, ids=[f"{i}-{case[2]}" for i, case in enumerate(CASES)])
def test_the_type_comes_from_the_bytes_whatever_the_name_says(name: str, data: bytes, wanted: str) -> None:
    assert str(sniff(data, size=len(data), tail=data[-1024:], name=name)) == wanted


def test_the_table_holds_enough_kinds_to_mean_something() -> None:
    assert len(CASES) >= 47
    assert len({case[2] for case in CASES}) >= 60


def test_an_archive_says_what_it_holds_also_where_only_its_directory_does() -> None:
    large = archive("[Content_Types].xml", *(f"custom/{number}" for number in range(600)), "word/document.xml")
    assert sniff(large[:4096], size=len(large), tail=large[-1024:]) == MediaType(f"{OOXML}.wordprocessingml.document")


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ("ä".encode() * 40_000, "text/plain"),
        (b'{"key": "' + b"long " * 20_000, "application/json"),
        (b'[{"a": 1}, {"a": 2}, ' * 4_000, "application/json"),
        (b'{"a": 1}\n' * 20_000, "application/x-ndjson"),
        (("x" + "ä" * 40_000).encode("utf-16"), "text/plain"),
    ],
)
def test_a_text_cut_at_the_end_of_what_is_looked_at_is_still_text(data: bytes, wanted: str) -> None:
    for length in (1 << 16, (1 << 16) - 1):
        assert str(sniff(data[:length], size=len(data))) == wanted


def test_an_empty_file_has_no_type() -> None:
    assert str(sniff(b"", size=0, name="a.png")) == "application/octet-stream"


@pytest.mark.requirement("SA-02")
@pytest.mark.parametrize(
    ("declared", "name", "sniffed", "told"),
    [
        (None, "B07.png", "image/jpeg", ("image/png", "image/jpeg")),
        ("image/png", None, "image/jpeg", ("image/png", "image/jpeg")),
        ("image/png", "a.png", "text/html", ("image/png", "text/html")),
        (None, "a.docx", "application/zip", ("wordprocessingml", "application/zip")),
        (None, "a.json", "text/plain", ("application/json", "text/plain")),
        (None, "B15.png", "application/octet-stream", ("image/png", "application/octet-stream")),
        ("text/html", None, "text/plain", ("text/html", "text/plain")),
    ],
)
def test_a_contradicting_name_or_declared_type_is_told_with_both_values(
    declared: str | None, name: str | None, sniffed: str, told: tuple[str, ...]
) -> None:
    note = mismatch(None if declared is None else MediaType(declared), name, MediaType(sniffed))
    assert note is not None
    assert all(value in note for value in told)


@pytest.mark.parametrize(
    ("declared", "name", "sniffed"),
    [
        ("image/jpg", "a.jpeg", "image/jpeg"),
        ("application/octet-stream", "a", "image/png"),
        (None, "report.final", "application/pdf"),
        (None, "a.txt", "application/json"),
        ("text/plain", "a.md", "text/markdown"),
        (None, "a.jar", "application/zip"),
        ("application/zip", "a.docx", f"{OOXML}.wordprocessingml.document"),
        (None, "a.doc", "application/x-ole-storage"),
        (None, "a.m4a", "video/mp4"),
        (None, "a.ts", "text/x-typescript"),
        (None, "a.ts", "video/mp2t"),
        ("not a type", None, "image/png"),
        (None, None, "image/png"),
    ],
)
def test_what_agrees_or_claims_nothing_is_no_mismatch(declared: str | None, name: str | None, sniffed: str) -> None:
    assert mismatch(declared, name, MediaType(sniffed)) is None
