"""Outlook messages: what they say, what they enclose, and what is wrong with them."""

from __future__ import annotations

import io
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import olefile
import pytest
from tests.support.cli import invoke
from tests.support.mails import PICTURE
from tests.support.mcp_wire import native, wired
from tests.support.outlook import (
    BODY,
    CLASS,
    CODEPAGE,
    NARROW,
    NUMBER,
    PROPERTIES,
    SUBJECT,
    TEXT,
    Attached,
    Said,
    file,
    letter,
    message,
)

from eyeline import Eyeline
from eyeline.errors import CorruptMedia
from eyeline.media.compound import Folder, open_compound, write_compound
from eyeline.media.mail_rtf import decompressed
from eyeline.media.sample_pictures import make_picture
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.settings import Settings

WORDS = b"# Notes\n\nThe zebra crossed at nine.\n"
PACKED = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
"""The example that the specification of the compression gives."""

Take = Callable[[bytes], tuple[ItemRecord, ...]]


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home", settings=Settings(workers=1), principal="tester") as eye:
        yield eye


@pytest.fixture
def take(eye: Eyeline, tmp_path: Path) -> Take:
    """Takes a message in and answers the records."""

    def take(data: bytes) -> tuple[ItemRecord, ...]:
        (tmp_path / "a.msg").write_bytes(data)
        return eye.ingest(tmp_path / "a.msg").items

    return take


def text_of(eye: Eyeline, source: str = "a.msg") -> str:
    return eye.open(source).parts[0].text


def gaps_of(eye: Eyeline) -> list[str]:
    conversion = eye.show("a.msg").conversion
    assert conversion is not None
    return [gap.code for gap in conversion.gaps]


def warnings_of(eye: Eyeline) -> set[str]:
    conversion = eye.show("a.msg").conversion
    assert conversion is not None
    return set(conversion.warnings)


def unpacked(rtf: bytes) -> bytes:
    """RTF in its envelope, without compression."""
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def test_a_message_opens_as_its_header_its_text_and_the_list_of_what_it_encloses(eye: Eyeline, take: Take) -> None:
    (record, notes) = take(file(letter("The valve is PX-4417.\r\n> before\r\n", Attached("notes.md", WORDS))))
    assert (record.code, record.route, str(record.media_type)) == ("admitted", "mail/1", "application/vnd.ms-outlook")
    assert text_of(eye).split("\n")[:9] == [
        "Subject: Pump report für Bo",
        "From: Ana Müller <ana@example.org>",
        "To: Bo <bo@example.org>",
        "Cc: Cy <cy@example.org>",
        "Date: 2026-11-02 10:00:00 UTC",
        "Message-ID: <1@example.org>",
        "",
        "The valve is PX-4417.",
        "> before",
    ]
    assert f"1. notes.md (text/markdown, {len(WORDS)} bytes, {notes.digest})" in text_of(eye)
    assert (notes.code, notes.came_in, notes.depth) == ("admitted", record.version_id, 1)
    assert eye.find("zebra")[0].source.doc_id == notes.doc_id
    assert b"".join(eye.fetch(str(notes.version_id)).chunks) == WORDS
    assert eye.check().clean


def test_a_message_opens_on_the_command_line_and_over_mcp(eye: Eyeline, take: Take) -> None:
    record = take(file(letter()))[0]
    assert "PX-4417" in invoke(eye.home, "open", "a.msg").stdout
    with wired(eye.home) as wire:
        told = [data.decode() for _, data in native(wire.call("source_open", version_id=record.version_id))]
    assert told == [text_of(eye)]


def test_html_and_rtf_are_read_where_there_is_no_plain_text(eye: Eyeline, take: Take) -> None:
    page = "<h1>Grüße</h1><table><tr><th>part<th>n<tr><td>valve<td>12</table>".encode("cp1252")
    take(file(letter("", html=page)))
    assert "# Grüße" in text_of(eye)
    assert "| valve | 12 |" in text_of(eye)
    take(file(letter("  ", rtf=unpacked(rb"{\rtf1\ansi the {\b ocelot}\par sleeps}"))))
    assert "the ocelot\n\nsleeps" in text_of(eye)
    take(file(letter("", rtf=PACKED)))
    assert "WXYZ" * 5 in text_of(eye)


@pytest.mark.requirement("SA-07")
def test_a_page_that_says_something_else_than_the_plain_text_is_read_too(eye: Eyeline, take: Take) -> None:
    take(file(letter("Please view this in a program that shows HTML.\n", html=b"<p>The walrus pays on Friday.</p>")))
    assert "Please view this" in text_of(eye)
    assert "The walrus pays on Friday." in text_of(eye)
    take(file(letter("The walrus pays on Friday.\n", html=b"<p>The walrus pays on Friday.</p>")))
    assert text_of(eye).count("walrus") == 1


@pytest.mark.requirement("SA-07")
def test_a_second_picture_of_one_id_is_enclosed(eye: Eyeline, take: Take) -> None:
    one, two = make_picture(width=40, height=30), make_picture(width=50, height=30)
    page = b"<p>see</p><img src='cid:one'>"
    named: Said = {(0x3712, TEXT): "one"}
    take(file(letter("", Attached("one.png", one, named), Attached("two.png", two, named), html=page)))
    assert "1. two.png (image/png, " in text_of(eye)
    assert [each.title for each in eye.show("a.msg").source.enclosures] == ["two.png"]


def test_compressed_text_comes_out_as_the_specification_says() -> None:
    assert decompressed(PACKED) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


@pytest.mark.parametrize(
    "packed",
    [b"", PACKED[:20], PACKED.replace(b"LZFu", b"ZZZZ"), struct.pack("<II4sI", 20, 1 << 31, b"LZFu", 0) + bytes(9)],
    ids=["empty", "cut", "of no kind", "huge"],
)
def test_a_body_that_cannot_be_read_is_a_gap_and_the_rest_stands(eye: Eyeline, take: Take, packed: bytes) -> None:
    items = take(file(letter("", Attached("notes.md", WORDS), rtf=packed)))
    assert [item.code for item in items] == ["admitted", "admitted"]
    assert gaps_of(eye) == ["rtf_not_read", "nothing_found"]
    assert "Subject: Pump report" in text_of(eye)


def test_narrow_texts_are_read_by_the_code_page_of_the_message(eye: Eyeline, take: Take) -> None:
    said: Said = {
        (CODEPAGE, NUMBER): 1251,
        (SUBJECT, NARROW): "Привет".encode("cp1251"),
        (BODY, NARROW): b"\xcc\xe8\xf0",
    }
    take(file(message(said)))
    assert "Subject: Привет" in text_of(eye)
    assert "Мир" in text_of(eye)


def test_a_message_in_a_message_is_a_document_that_stands_alone(eye: Eyeline, take: Take) -> None:
    inner = letter("the inner text\n", Attached("notes.md", WORDS), is_inside=True)
    data = file(letter("see below\n", Attached("", inner, {(0x3001, TEXT): "Inner"})))
    _, forwarded, notes = take(data)
    assert (forwarded.source, forwarded.route) == ("a.msg.enclosed/01-Inner.msg", "mail/1")
    assert (notes.depth, notes.came_in) == (2, forwarded.version_id)
    assert "the inner text" in text_of(eye, str(forwarded.version_id))
    assert "Date: 2026-11-02 10:00:00 UTC" in text_of(eye, str(forwarded.version_id))
    assert {item.status for item in take(data)} == {IngestStatus.UNCHANGED}
    assert len(eye.forget("a.msg").forgotten) == 3
    assert not eye.find("zebra").passages


def test_messages_in_messages_have_an_end(eye: Eyeline, take: Take) -> None:
    made = letter("the bottom\n", is_inside=True)
    for _ in range(12):
        made = letter("around\n", Attached("m.msg", made), is_inside=True)
    items = take(file(letter("the top\n", Attached("m.msg", made))))
    assert items[0].code == "admitted"
    assert (items[-1].depth, items[-1].code) == (9, "too_large")


def test_a_picture_that_the_page_shows_is_an_asset_and_nothing_outside_is_fetched(
    eye: Eyeline, take: Take, tmp_path: Path
) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("the-canary-sings")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        page = f"<p>before</p><img alt=curve src='cid:one'><img src='{url}'><img src='{canary.as_uri()}'>"
        shown = Attached("curve.png", PICTURE, {(0x3712, TEXT): "one"})
        linked = Attached("far.txt", None, {(0x3705, NUMBER): 2, (0x370D, TEXT): str(canary)})
        items = take(file(letter("", shown, linked, html=page.encode())))
        text, picture = eye.open("a.msg").parts
        with pytest.raises(BlockingIOError):
            server.accept()
    assert len(items) == 1
    assert "![curve](assets/picture-0001.png)" in text.text
    assert "curve.png" not in text.text
    assert picture.entry.content_kind == "picture"
    assert {"not_fetched:2", "outside:1"} <= warnings_of(eye)
    assert "the-canary-sings" not in text.text


def test_a_sealed_message_says_so_and_keeps_its_header(eye: Eyeline, take: Take) -> None:
    said: Said = {(SUBJECT, TEXT): "sealed", (CLASS, TEXT): "IPM.Note.SMIME"}
    take(file(message(said, Attached("smime.p7m", b"0\x80\x06\x09"))))
    assert gaps_of(eye) == ["encrypted"]
    assert "Subject: sealed" in text_of(eye)


def stream_at(data: bytes, name: str) -> int:
    """Where the entry of a stream or folder stands in the directory."""
    return data.index(name.encode("utf-16-le") + b"\0\0")


def strictly(data: bytes) -> Any:
    """A compound file as the library opens it, with every defect an error."""
    library: Any = olefile
    return library.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_UNSURE)


def test_one_attachment_in_a_loop_of_sectors_is_cut_short_and_the_others_stand(eye: Eyeline, take: Take) -> None:
    data = bytearray(file(letter("text\n", Attached("big.txt", b"gasket " * 3000), Attached("notes.md", WORDS))))
    entries = strictly(bytes(data)).direntries
    start = next(int(each.isectStart) for each in entries if each is not None and each.size == 21_000)
    struct.pack_into("<I", data, 4096 + 4 * start, start)
    items = take(bytes(data))
    assert [item.code for item in items] == ["admitted"] * 3
    assert "1. big.txt (text/plain, 4096 bytes, " in text_of(eye)
    assert ", cut short\n" in text_of(eye)
    assert any(warning.startswith("enclosure_cut_short:") for warning in warnings_of(eye))
    assert len(eye.find("zebra")) == 1


def test_a_size_that_no_file_has_costs_that_attachment_alone(eye: Eyeline, take: Take) -> None:
    data = bytearray(file(letter("text\n", Attached("big.txt", b"gasket " * 3000), Attached("notes.md", WORDS))))
    at = data.index(struct.pack("<Q", 21_000))
    data[at : at + 8] = struct.pack("<Q", 1 << 40)
    assert [item.code for item in take(bytes(data))] == ["admitted", "malformed", "admitted"]
    assert ", cut short\n2. notes.md" in text_of(eye)


@pytest.mark.requirement("SA-03")
@pytest.mark.parametrize("sectors", [3, 8, 15, 20])
def test_a_message_that_is_cut_says_what_it_still_has(eye: Eyeline, take: Take, sectors: int) -> None:
    data = file(letter("text\n", Attached("big.txt", b"gasket " * 9000)))
    items = take(data[: sectors * 4096 + 100])
    assert [item.code for item in items] == ["admitted", "empty" if sectors == 3 else "admitted"]
    assert ", cut short" in text_of(eye)


def test_a_message_that_ends_before_its_tables_is_truncated() -> None:
    data = file(letter("text\n", Attached("big.txt", b"gasket " * 9000)))
    with pytest.raises(CorruptMedia) as caught:
        open_compound(data[:5000])
    assert caught.value.detail["outcome"] == "truncated"


def test_folders_that_hold_themselves_end_in_a_typed_outcome(eye: Eyeline, take: Take) -> None:
    data = bytearray(file(letter("text\n", Attached("notes.md", WORDS))))
    at = stream_at(bytes(data), "__attach_version1.0_#00000000")
    data[at + 76 : at + 80] = struct.pack("<I", 0)
    assert take(bytes(data))[0].code == "admitted"
    at = stream_at(bytes(data), "Root Entry")
    data[at + 76 : at + 80] = struct.pack("<I", 0)
    assert take(bytes(data))[0].code == "malformed"


def test_streams_that_share_their_sectors_are_refused_together() -> None:
    many = Folder({PROPERTIES: lambda: (bytes(32), True)})
    for number in range(50):
        many.streams[f"__substg1.0_{number:04X}0102"] = lambda: (b"x" * 5000, True)
    data = bytearray(write_compound(many))
    while (at := data.find(struct.pack("<Q", 5000))) >= 0:
        data[at : at + 8] = struct.pack("<Q", len(data) - 1)
    with pytest.raises(CorruptMedia):
        open_compound(bytes(data))


def test_a_compound_file_that_is_no_message_is_malformed(eye: Eyeline, take: Take) -> None:
    data = file(Folder({"__substg1.0_0037001F": lambda: (b"x", True)}))
    assert take(data)[0].code == "malformed"


def test_what_is_written_is_what_the_format_asks_for() -> None:
    made = file(letter("text\n", Attached("big.txt", b"gasket " * 3000), Attached("notes.md", WORDS)))
    opened = strictly(made)
    paths: list[list[str]] = opened.listdir()
    assert len(paths) == len({tuple(path) for path in paths}) == 19
    assert opened.openstream(["__attach_version1.0_#00000000", "__substg1.0_37010102"]).read() == b"gasket " * 3000
    assert made == file(open_compound(made))
