"""What nothing here reads and a setting keeps: a card that says what it is, and what an archive lists."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.documents import outside_fences
from tests.support.homes import files_below
from tests.support.mails import enclosing, letter
from tests.support.mcp_wire import native, wired

from eyeline import Eyeline
from eyeline.model.digest import Digest
from eyeline.model.envelope import Readiness
from eyeline.model.manifest import Role
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.settings import Settings

HOSTILE = "../../../tmp/ev\u202eil```\n## Members"
Take = Callable[[str, bytes], ItemRecord]


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home", settings=Settings(workers=1, unroutable="keep"), principal="tester") as eye:
        yield eye


@pytest.fixture
def take(eye: Eyeline, tmp_path: Path) -> Take:
    """Takes bytes in under a name and answers their record."""

    def take(name: str, data: bytes) -> ItemRecord:
        (tmp_path / name).write_bytes(data)
        return eye.ingest(tmp_path / name).items[0]

    return take


def card(eye: Eyeline, name: str) -> str:
    (part,) = eye.open(name).parts
    assert part.entry.role is Role.SOURCE_TEXT
    return part.text


def gaps(eye: Eyeline, name: str) -> list[str]:
    conversion = eye.show(name).conversion
    assert conversion is not None
    return [gap.code for gap in conversion.gaps]


def zipped(*names: str, encrypted: bool = False) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, b"twelve bytes")
    data = bytearray(made.getvalue())
    at = data.find(b"PK\x01\x02")
    while encrypted and at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    return bytes(data)


def tarred(*names: str, link: str | None = None) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 12
            archive.addfile(info, io.BytesIO(b"twelve bytes"))
        if link is not None:
            info = tarfile.TarInfo("link")
            info.type, info.linkname = tarfile.SYMTYPE, link
            archive.addfile(info)
    return made.getvalue()


def entry(name: bytes, *, size: int = 5, extra: bytes = b"") -> bytes:
    """One entry in the list of a zip."""
    fixed = struct.pack("<4s6H", b"PK\x01\x02", 20, 20, 0, 8, 0, 0)
    return fixed + struct.pack("<3I5H2I", 0, 5, size, len(name), len(extra), 0, 0, 0, 0, 0) + name + extra


def listing(*entries: bytes, count: int) -> bytes:
    """A zip that is nothing but its list, as those are that have more members than the old form counts."""
    data = b"".join(entries)
    far = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(data), 4)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, 4 + len(data), 1)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return b"PK\x03\x04" + data + far + locator + end


@pytest.mark.requirement("SA-03", "SA-24")
def test_what_nothing_reads_opens_as_a_card(eye: Eyeline, take: Take) -> None:
    data = bytes(range(256)) * 16
    record = take("noise.bin", data)
    assert (record.status, record.code, record.route) == (IngestStatus.TAKEN, "no_route", "card/1")
    assert card(eye, "noise.bin").split("\n")[:3] == [
        "Type: application/octet-stream",
        "Size: 4096 bytes",
        f"Hash: {Digest.of(data)}",
    ]
    assert eye.show("noise.bin").source.readiness == Readiness(True, True, True, {"text->picture": "not_configured"})
    assert eye.check().clean


@pytest.mark.parametrize("make", [zipped, tarred])
def test_an_archive_lists_its_members_and_none_is_unpacked(
    eye: Eyeline, take: Take, make: Callable[..., bytes]
) -> None:
    take("a.zip", make("docs/plan.txt", HOSTILE))
    text = card(eye, "a.zip")
    assert "Members: 2, 24 bytes in all" in text
    assert "docs/plan.txt (12 bytes)" in text
    assert "../../../tmp/ev\\u{202e}il'''\\u{a}## Members (12 bytes)" in text
    (document,) = (eye.tree / "by-name/default/a.zip/current").glob("rep_*/document.md")
    assert outside_fences(document.read_text()).count("## ") == 2
    assert len(eye.find("").passages) == 1
    assert not [path for path in files_below(eye.home) if path.read_bytes() == b"twelve bytes"]


def test_encrypted_members_and_links_are_told(eye: Eyeline, take: Take) -> None:
    take("a.zip", zipped("secret.txt", "b.txt", encrypted=True))
    assert "Encrypted: 2 of them" in card(eye, "a.zip")
    assert "secret.txt (12 bytes, encrypted)" in card(eye, "a.zip")
    take("a.tar", tarred("x", link="/etc/passwd"))
    assert "link (0 bytes, link)" in card(eye, "a.tar")


@pytest.mark.parametrize(
    ("data", "gap"),
    [
        (b"7z\xbc\xaf\x27\x1c" + bytes(100), "listing_not_read"),
        (b"Rar!\x1a\x07\x01\x00" + bytes(100), "listing_not_read"),
        (b"\x1f\x8b\x08" + bytes(100), "listing_not_read"),
        (zipped("a.txt", "b.txt")[:-30], "listing_damaged"),
        (tarred("a.txt")[:700] + b"\xff" * 800, "listing_damaged"),
    ],
    ids=["7z", "rar", "gz", "cut zip", "torn tar"],
)
def test_what_cannot_be_listed_says_so(eye: Eyeline, take: Take, data: bytes, gap: str) -> None:
    assert take("a.arc", data).code == "no_route"
    assert gaps(eye, "a.arc") == [gap]
    assert f"Size: {len(data)} bytes" in card(eye, "a.arc")


def test_a_long_listing_is_cut_and_says_so(eye: Eyeline, take: Take) -> None:
    take("a.zip", zipped(*(f"{number}.txt" for number in range(2_100))))
    conversion = eye.show("a.zip").conversion
    assert conversion is not None
    assert "members_left_out:100" in conversion.warnings
    assert "1999.txt" in card(eye, "a.zip")
    assert "2000.txt" not in card(eye, "a.zip")


def test_a_million_members_are_listed_as_far_as_the_bound_and_said_to_be_more(eye: Eyeline, take: Take) -> None:
    million = 1_000_000
    take("a.zip", listing(*(entry(b"%06d" % number, size=6) for number in range(million)), count=million))
    assert gaps(eye, "a.zip") == ["listing_cut"]
    assert "Members: at least 20000, 120000 bytes in these\n" in card(eye, "a.zip")
    assert "\n001999 (6 bytes)" in card(eye, "a.zip")


def test_what_members_claim_to_inflate_to_is_told_and_costs_nothing(eye: Eyeline, take: Take) -> None:
    far = struct.pack("<2HQ", 1, 8, 1 << 50)
    bomb = listing(entry(b"zeros", size=0xFFFFFFFE), entry(b"more", size=0xFFFFFFFF, extra=far), count=2)
    take("a.zip", bomb)
    assert gaps(eye, "a.zip") == []
    assert "zeros (4294967294 bytes)\nmore (1125899906842624 bytes)" in card(eye, "a.zip")


def test_a_list_that_breaks_off_gives_the_members_before_the_break(eye: Eyeline, take: Take) -> None:
    torn = entry(b"first") + bytes(60)
    take("a.zip", listing(torn, count=3))
    assert gaps(eye, "a.zip") == ["listing_damaged"]
    assert "Members: at least 1, 5 bytes in these" in card(eye, "a.zip")
    assert "first (5 bytes)" in card(eye, "a.zip")


def test_a_tar_whose_header_claims_to_be_huge_is_not_read_for_it(eye: Eyeline, take: Take) -> None:
    claim = tarfile.TarInfo("x")
    claim.type, claim.size = tarfile.XHDTYPE, 200 << 20
    take("a.tar", claim.tobuf() + b"9" * (1 << 20))
    assert gaps(eye, "a.tar") == ["listing_damaged"]
    assert "Members" not in card(eye, "a.tar")


def test_a_card_opens_on_the_command_line_and_over_mcp(eye: Eyeline, take: Take, tmp_path: Path) -> None:
    record = take("a.zip", zipped("plan.txt"))
    expected = card(eye, "a.zip")
    assert expected in invoke(eye.home, "open", "a.zip").stdout
    assert f"Hash: {record.digest}" in expected
    with wired(eye.home) as wire:
        told = [data.decode() for _, data in native(wire.call("source_open", version_id=record.version_id))]
    assert [text.strip() for text in told] == [expected.strip()]


def test_what_nothing_reads_is_refused_at_the_gate_unless_it_is_to_be_kept(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped("plan.txt"))
    with Eyeline(tmp_path / "other", settings=Settings(workers=1)) as eye:
        record = eye.ingest(tmp_path / "a.zip").items[0]
        assert (record.status, record.code) == (IngestStatus.REFUSED, "no_route")
        assert eye.find("").passages == ()


def test_a_document_without_a_reader_has_a_card_too(eye: Eyeline, take: Take) -> None:
    take("old.ps", b"%!PS-Adobe-3.0\n" + b"% words\n" * 40)
    assert "Type: application/postscript" in card(eye, "old.ps")


def test_what_is_kept_inside_a_mail_has_a_card(eye: Eyeline, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(enclosing(letter(), ("a.zip", zipped("walrus.txt"))).as_bytes())
    assert [item.code for item in eye.ingest(tmp_path / "a.eml").items] == ["admitted", "no_route"]
    came_in = eye.find("walrus")[0].source.came_in
    assert came_in is not None
    assert came_in.title == "a.eml"
