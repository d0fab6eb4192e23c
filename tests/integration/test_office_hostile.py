"""Office documents that are damaged, locked, huge or lead outside: a typed outcome, or the rest of them."""

from __future__ import annotations

import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.office import (
    PIXELS,
    changed,
    locked_words,
    make_grid,
    make_odf,
    make_raw_words,
    make_sheets,
    make_slides,
    make_words,
    with_twin,
    zipped,
)

from eyeline import Eyeline
from eyeline.model.record import ItemRecord
from eyeline.settings import Settings, TypesettingSettings

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
HELLO = "<w:p><w:r><w:t>hello from docx</w:t></w:r></w:p>"
STYLES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server on loopback that nobody may ever come to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    settings = Settings(workers=1, typesetting=TypesettingSettings("off"))
    with Eyeline(tmp_path / "home", settings=settings, principal="tester") as eye:
        yield eye


def _take(eye: Eyeline, folder: Path, name: str, data: bytes) -> ItemRecord:
    (folder / name).write_bytes(data)
    (item,) = eye.ingest(folder / name).items
    return item


def _manifest(eye: Eyeline, name: str) -> dict[str, Any]:
    (folder,) = (eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
    return json.loads((folder / "manifest.json").read_text())


def _gaps(eye: Eyeline, name: str) -> list[tuple[str, str, str]]:
    gaps = _manifest(eye, name)["gaps"]
    return [(gap["lane"], gap["code"], gap["locator"]) for gap in gaps if gap["lane"] != "pages"]


def _raw_sheet(rows: str) -> bytes:
    """A workbook whose first sheet holds these rows."""
    spaces = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    text = f"<worksheet {spaces}><sheetData>{rows}</sheetData></worksheet>".encode()
    sheet = "xl/worksheets/sheet1.xml"
    return changed(make_grid(2), lambda name, data: text if name == sheet else data)


def _odf_locked() -> bytes:
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    listed = f"<manifest:manifest {space}><manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    return make_odf("text", "", more={"META-INF/manifest.xml": f"{listed}</manifest:manifest>".encode()})


def _locked_member() -> bytes:
    data = bytearray(make_raw_words(HELLO))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.rfind(magic)
        data[at + offset] |= 1
    return bytes(data)


@pytest.mark.requirement("SA-03", "SA-05")
@pytest.mark.parametrize(
    ("file", "code"),
    [
        (("B41-bomb.docx", make_raw_words(f"<w:p><w:r><w:t>{'A' * (80 << 20)}</w:t></w:r></w:p>")), "over_memory"),
        (("many-members.docx", zipped({"word/a": b"", **{f"m{n}": b"" for n in range(20_001)}})), "over_memory"),
        (("cut.docx", make_words()[:-3000]), "truncated"),
        (("locked.docx", locked_words()), "encrypted"),
        (("locked-member.docx", _locked_member()), "encrypted"),
        (("locked.odt", _odf_locked()), "encrypted"),
        (("entities.docx", make_raw_words("&x;", declared='<!DOCTYPE d [<!ENTITY x "y">]>')), "malformed"),
        (("deep.docx", make_raw_words("<w:sdt>" * 5000 + "</w:sdt>" * 5000)), "malformed"),
        (("torn.docx", make_raw_words("<w:p><w:r>")), "malformed"),
        (("nothing.docx", zipped({"word/other.xml": b"<x/>"})), "malformed"),
        (("B07-words.pptx", make_words()), "admitted"),
        (("old.doc", OLE + "WordDocument".encode("utf-16-le") + bytes(512)), "no_route"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_what_cannot_be_read_has_an_outcome_of_its_own(
    eye: Eyeline, tmp_path: Path, file: tuple[str, bytes], code: str
) -> None:
    name, data = file
    item = _take(eye, tmp_path, name, data)
    assert item.code == code
    if code == "no_route":
        assert "docx" in item.message
    elif code != "admitted":
        assert (tmp_path / "home" / "tree" / str(item.tree_path)).read_bytes() == data


def test_b40_a_plain_document_is_its_text(eye: Eyeline, tmp_path: Path) -> None:
    _take(eye, tmp_path, "B40-plain.docx", make_raw_words(HELLO))
    assert eye.open("B40-plain.docx").parts[0].text == "hello from docx\n"


@pytest.mark.parametrize("count", [100_000, pytest.param(1_000_000, marks=pytest.mark.torture)])
def test_a_great_many_empty_rows_with_a_format_are_no_cells(eye: Eyeline, tmp_path: Path, count: int) -> None:
    rows = "".join(f'<row r="{n}" s="1" customFormat="1"><c r="A{n}" s="1"/></row>' for n in range(1, count + 1))
    data = _raw_sheet(f'{rows}<row r="{count + 1}"><c r="C{count + 1}"><v>7</v></c></row>')
    assert _take(eye, tmp_path, "rows.xlsx", data).code == "admitted"
    assert eye.open("rows.xlsx", locator="sheet=S1").parts[0].text.splitlines()[2:] == [f"| {count + 1} |  |  | 7 |"]


def test_a_thousand_sheets_are_all_there(eye: Eyeline, tmp_path: Path) -> None:
    assert _take(eye, tmp_path, "sheets.xlsx", make_grid(1000)).code == "admitted"
    assert "s1000r1c1" in eye.open("sheets.xlsx", locator="sheet=S1000").parts[0].text
    assert _gaps(eye, "sheets.xlsx") == []


@pytest.mark.requirement("SA-07")
@pytest.mark.parametrize(
    "broken", [b"<worksheet", b"\xff\xfe\x00", b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>']
)
def test_one_bad_sheet_never_loses_the_others(eye: Eyeline, tmp_path: Path, broken: bytes) -> None:
    sheet = "xl/worksheets/sheet2.xml"
    data = changed(make_grid(3), lambda name, part: broken if name == sheet else part)
    assert _take(eye, tmp_path, "bad.xlsx", data).code == "admitted"
    assert _gaps(eye, "bad.xlsx") == [("text", "unreadable_sheet", "sheet=S2")]
    assert [eye.find(f"s{n}r1c1").passages[0].source.name for n in (1, 3)] == ["bad.xlsx"] * 2


@pytest.mark.requirement("SA-07")
def test_one_bad_slide_or_picture_never_loses_the_others(eye: Eyeline, tmp_path: Path) -> None:
    slide = "ppt/slides/slide2.xml"
    data = changed(make_slides(3), lambda name, part: b"<p:sld" if name == slide else part)
    assert _take(eye, tmp_path, "bad.pptx", data).code == "admitted"
    assert _gaps(eye, "bad.pptx") == [("text", "unreadable_page", "page=2")]
    assert [eye.open("bad.pptx", locator=f"page={n}").parts[0].text[:2] for n in (1, 3)] == ["# ", "[h"]
    pictures = changed(make_words(), lambda name, part: part.replace(PIXELS[:60], b"x" * 60))
    assert _take(eye, tmp_path, "bad.docx", pictures).code == "admitted"
    assert _gaps(eye, "bad.docx") == [("pictures", "failed", "")]
    assert "PX-4417" in eye.open("bad.docx").parts[0].text


@pytest.mark.requirement("SA-07")
@pytest.mark.parametrize(
    ("name", "part", "told"),
    [
        ("side.docx", "word/styles.xml", "PX-4417"),
        ("side.docx", "word/_rels/document.xml.rels", "PX-4417"),
        ("side.pptx", "ppt/notesSlides/notesSlide1.xml", "point two"),
        ("side.xlsx", "xl/worksheets/_rels/sheet1.xml.rels", "1,234.50"),
        ("side.xlsx", "xl/comments/comment1.xml", "1,234.50"),
    ],
)
def test_what_stands_beside_the_text_costs_itself_and_is_a_gap(
    eye: Eyeline, tmp_path: Path, *, name: str, part: str, told: str
) -> None:
    made = {"side.docx": make_words, "side.pptx": make_slides, "side.xlsx": make_sheets}[name]()
    data = changed(made, lambda each, held: held[: len(held) // 2] if each == part else held)
    assert _take(eye, tmp_path, name, data).code == "admitted"
    assert ("structure", "failed", "") in _gaps(eye, name)
    assert "unreadable_parts:1" in _manifest(eye, name)["warnings"]
    assert told in "".join(part.text for part in eye.open(name).parts if part.entry.content_kind == "text")


def test_circles_of_styles_and_relations_end(eye: Eyeline, tmp_path: Path) -> None:
    space = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
    styles = "".join(
        f"<w:style w:styleId='{a}'><w:basedOn w:val='{b}'/></w:style>" for a, b in (("A", "B"), ("B", "A"))
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{STYLES}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate((("styles", "styles.xml"), ("header", "document.xml"), ("footer", "../x")))
    )
    more = {
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>".encode(),
        "word/_rels/document.xml.rels": (
            f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{relations}'
            "</Relationships>"
        ).encode(),
    }
    body = '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>round and round</w:t></w:r></w:p>'
    assert _take(eye, tmp_path, "circle.docx", make_raw_words(body, more=more)).code == "admitted"
    assert "round and round" in eye.open("circle.docx").parts[0].text


def test_nothing_outside_is_followed_and_nothing_is_run(eye: Eyeline, tmp_path: Path, listener: socket.socket) -> None:
    (tmp_path / "canary.txt").write_text("the-canary-sings")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/x.png"
    space = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    relations = "".join(
        f'<Relationship Id="p{n}" Type="{STYLES}/image" Target="{target}" TargetMode="External"/>'
        for n, target in enumerate((url, (tmp_path / "canary.txt").as_uri()))
    )
    blips = "".join(
        f'<w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{STYLES}" '
        f'r:embed="p{n}" r:link="p{n}"/></w:drawing>'
        for n in range(2)
    )
    body = f'<w:p><w:r>{blips}<w:instrText>DDEAUTO c:\\\\cmd.exe "/k calc"</w:instrText><w:t>start</w:t></w:r></w:p>'
    more = {"word/_rels/document.xml.rels": f"<Relationships {space}>{relations}</Relationships>".encode()}
    more |= {"word/vbaProject.bin": b"macro", "word/embeddings/inner.zip": zipped({"canary": b"the-canary-sings"})}
    _take(eye, tmp_path, "lure.docm", make_raw_words(body, more=more))
    cell = '<row r="1"><c r="A1"><f>cmd|\'/k calc\'!A0</f></c><c r="B1"><f>WEBSERVICE("URL")</f><v>9</v></c></row>'
    _take(eye, tmp_path, "lure.xlsx", _raw_sheet(cell.replace("URL", url)))
    assert eye.open("lure.docm").parts[0].text == "start\n"
    warnings = [_manifest(eye, name)["warnings"] for name in ("lure.docm", "lure.xlsx")]
    assert warnings == [["not_fetched:4", "dde_not_run:1"], ["dde_not_run:1", "formulas_without_values:1"]]
    assert "| 1 | =cmd\\|'/k calc'!A0 | 9 |" in eye.open("lure.xlsx", locator="sheet=S1").parts[0].text
    assert eye.find("canary sings").passages == ()
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_names_that_stand_twice_or_lead_away_are_noted_and_the_first_is_read(eye: Eyeline, tmp_path: Path) -> None:
    twin = make_raw_words("<w:p><w:r><w:t>the other</w:t></w:r></w:p>", more={"../../evil.txt": b"evil"})
    other = with_twin(make_raw_words(HELLO, more={"../../evil.txt": b"x"}), "word/document.xml", twin)
    assert _take(eye, tmp_path, "twins.docx", other).code == "admitted"
    assert eye.open("twins.docx").parts[0].text == "hello from docx\n"
    assert not list(tmp_path.parent.rglob("evil.txt"))


def test_an_archive_that_is_cut_in_its_directory_is_told_by_its_end(eye: Eyeline, tmp_path: Path) -> None:
    data = make_sheets()
    held = io.BytesIO(data[: data.rindex(b"PK\x05\x06") - 40] + data[data.rindex(b"PK\x05\x06") :])
    assert _take(eye, tmp_path, "gap.xlsx", held.getvalue()).code == "malformed"
