"""Office documents through the Python surface: what they say, where it stands, and any part of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.office import PIXELS, make_grid, make_odf, make_rtf, make_sheets, make_slides, make_words

from eyeline import Eyeline, Locator
from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.model.digest import Digest
from eyeline.model.manifest import Role
from eyeline.model.viewing import ViewStatus
from eyeline.settings import Settings, TypesettingSettings

ODT = (
    '<text:h text:outline-level="1">Pump notes</text:h><text:p>The pump is <text:span text:style-name="H">obey'
    "</text:span>PX-4417.</text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>valve</text:p></table:table-cell><table:table-cell>"
    "<text:p>12</text:p></table:table-cell></table:table-row></table:table>"
)
HIDING = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
ODS = (
    '<table:table table:name="Q3"><table:table-row table:number-rows-repeated="4"><table:table-cell/></table:table-row>'
    '<table:table-row><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>valve</text:p>'
    '</table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048571"><table:table-cell '
    'table:number-columns-repeated="16384"/></table:table-row></table:table>'
)
ODP = (
    "<draw:page><draw:frame><draw:text-box><text:p>slide one</text:p></draw:text-box></draw:frame></draw:page>"
    "<draw:page><draw:frame><draw:text-box><text:p>two of PX-4417</text:p></draw:text-box></draw:frame></draw:page>"
)


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = tmp_path_factory.mktemp("inbox")
    files = {
        "report.docx": make_words(),
        "plan.pptx": make_slides(),
        "count.xlsx": make_sheets(),
        "note.rtf": make_rtf(),
        "notes.odt": make_odf("text", ODT, styles=HIDING),
        "count.ods": make_odf("spreadsheet", ODS),
        "plan.odp": make_odf("presentation", ODP),
        "long.xlsx": make_grid(2, rows=3000, columns=6),
        "wide.xlsx": make_grid(1, rows=3, columns=400),
    }
    for name, data in files.items():
        (inbox / name).write_bytes(data)
    with Eyeline(
        tmp_path_factory.mktemp("home"),
        settings=Settings(workers=1, typesetting=TypesettingSettings("off")),
        principal="tester",
    ) as eye:
        report = eye.ingest(inbox)
        assert [(item.source, item.code) for item in report.items if item.code != "admitted"] == []
        yield eye


def _manifest(eye: Eyeline, name: str) -> dict[str, Any]:
    (folder,) = (eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
    return json.loads((folder / "manifest.json").read_text())


def _text(eye: Eyeline, name: str, locator: str | None = None) -> str:
    opened = eye.open(name, locator=locator)
    return next(part.text for part in opened.parts if part.entry.role is Role.SOURCE_TEXT)


def test_a_report_opens_as_its_text_with_lists_tables_comments_and_what_is_hidden_apart(eye: Eyeline) -> None:
    text = _text(eye, "report.docx")
    assert text.startswith(
        "# Pump report\n\nThe serial number is PX-4417.\n\n# Parts\n\n1. first part\n2. second part\n"
    )
    assert "| part | count |\n| --- | --- |\n| valve \\| seat | 12 |" in text
    assert "[comments]\n\n[comment 0] Ann: check this" in text
    assert "[headers and footers]\n\nConfidential" in text
    assert text.index("[hidden text]") < text.index("obey the run")
    assert "hidden_text" in eye.open("report.docx").envelope.notes


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    ("query", "name", "locator"),
    [
        ("serial", "report.docx", None),
        ("PX-4417", "plan.pptx", "page=1"),
        ("upper box", "plan.pptx", "page=2"),
        ("valve", "count.xlsx", "sheet=Q3&cell=A1:D7"),
        ("s2r2500c3", "long.xlsx", None),
        ("valve", "count.ods", "sheet=Q3&cell=A5:C5"),
        ("PX-4417", "plan.odp", "page=2"),
        ("PX-4417", "notes.odt", None),
        ("Pump title", "note.rtf", None),
    ],
)
def test_what_is_found_has_a_locator_that_opens_the_place(
    eye: Eyeline, query: str, name: str, locator: str | None
) -> None:
    (hit,) = [passage for passage in eye.find(query).passages if passage.source.name == name]
    assert locator is None or str(hit.locator) == locator
    assert hit.locator
    assert query in _text(eye, name, str(hit.locator))


@pytest.mark.requirement("SA-16")
def test_a_slide_opens_in_reading_order_with_its_notes_and_its_pictures(eye: Eyeline) -> None:
    first = eye.open("plan.pptx", locator="page=1")
    assert first.parts[0].text == "# Pump plan\n\n- point one\n- point two\n\n[speaker notes]\n\ntell of PX-4417\n\n"
    assert str(first.envelope.truncation[0].continuation) == "page=2"
    second = eye.open("plan.pptx", locator="page=2")
    text, picture = second.parts
    assert [each in text.text for each in ("[hidden slide]", "| valve |  |", "|  | 12 |")] == [True] * 3
    assert text.text.index("# Slide 2") < text.text.index("upper box") < text.text.index("lower box")
    assert (picture.entry.role, str(picture.entry.locator)) == (Role.DETAIL, "page=2")
    assert second.envelope.notes == ("hidden_text",)


@pytest.mark.requirement("SA-16")
def test_a_block_of_cells_opens_as_exactly_that_block_with_values_as_they_are_shown(eye: Eyeline) -> None:
    opened = eye.open("count.xlsx", locator="sheet=Q3&cell=B2:D3")
    assert opened.parts[0].text == (
        "|  | B | C | D |\n| --- | --- | --- | --- |\n| 2 | 12 | 2026-03-04 | 25.6% |\n| 3 | 1,234.50 |  | TRUE |\n"
    )
    assert "hidden_text" in opened.envelope.notes
    assert _text(eye, "count.xlsx", "sheet=Q3&cell=A5") == "|  | A |\n| --- | --- |\n| 5 | =SUM(B2:B3) |\n"
    merged = eye.open("count.xlsx", locator="sheet=q3&cell=A7:F9")
    assert "merged cells: A7:B8\n" in [part.text for part in merged.parts if part.entry.role is Role.CONTEXT]
    assert "clipped_to_extent" in merged.envelope.notes


def test_a_sheet_opens_with_its_comments_and_the_pictures_at_its_cells(eye: Eyeline) -> None:
    opened = eye.open("count.xlsx", locator="sheet=Q3")
    assert any("A1: look here" in part.text for part in opened.parts if part.entry.role is Role.CONTEXT)
    assert [str(part.entry.locator) for part in opened.parts if part.entry.role is Role.DETAIL] == ["sheet=Q3&cell=F3"]
    around = eye.open("count.xlsx", locator="sheet=Q3&cell=E2:G4", accept=["image/*"])
    assert [part.entry.role for part in around.parts] == [Role.DETAIL]


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        (("count.xlsx", "sheet=Q4"), LocatorOutOfRange, "'Q3', 'Empty', 'Secret & more'"),
        (("count.xlsx", "sheet=Q3&cell=Z90"), LocatorOutOfRange, "A1:D7"),
        (("count.xlsx", "page=1"), LocatorUnsupported, "sheet, char"),
        (("plan.pptx", "page=3"), LocatorOutOfRange, "from 1 to 2"),
        (("plan.pptx", "sheet=Q3"), LocatorUnsupported, "page"),
        (("report.docx", "char=90000,90010"), LocatorOutOfRange, "characters"),
        (("report.docx", "line=3"), LocatorUnsupported, "char"),
    ],
)
def test_what_lies_outside_is_told_with_the_real_extent(
    eye: Eyeline, asked: tuple[str, str], error: type[Exception], told: str
) -> None:
    with pytest.raises(error) as caught:
        eye.open(asked[0], locator=asked[1])
    assert told in str(getattr(caught.value, "hint", ""))


def test_an_empty_sheet_is_an_honest_nothing(eye: Eyeline) -> None:
    negative = eye.open("count.xlsx", locator="sheet=Empty").envelope.negative
    assert negative is not None
    assert negative.code == "known_empty"


def test_a_long_block_goes_on_where_it_was_left_until_its_end(eye: Eyeline) -> None:
    locator, seen = "sheet=S1", list[str]()
    for _ in range(40):
        opened = eye.open("long.xlsx", locator=locator)
        seen += [line.split(" | ")[0] for line in opened.parts[0].text.splitlines()[2:]]
        if not opened.envelope.truncation:
            break
        locator = str(opened.envelope.truncation[0].continuation)
    assert seen == [f"| {row}" for row in range(1, 3001)]


def test_a_wide_sheet_is_read_in_part_and_says_what_opens_the_rest(eye: Eyeline) -> None:
    gaps = [gap for gap in _manifest(eye, "wide.xlsx")["gaps"] if gap["lane"] == "text"]
    assert [(gap["code"], gap["locator"]) for gap in gaps] == [("over_budget", "sheet=S1&cell=CW1:OJ3")]
    assert "s1r2c101" in _text(eye, "wide.xlsx", "sheet=S1&cell=CW1:OJ3")
    assert "s1r2c400" in _text(eye, "wide.xlsx", "sheet=S1&cell=OJ2")


@pytest.mark.requirement("SA-07")
@pytest.mark.parametrize(
    ("name", "route", "place"),
    [
        ("report.docx", "docx/1", "char="),
        ("plan.pptx", "pptx/1", "page=2"),
        ("count.xlsx", "xlsx/1", "sheet=Q3&cell=F3"),
        ("note.rtf", "rtf/1", "char="),
    ],
)
def test_an_embedded_picture_is_an_asset_with_its_place(eye: Eyeline, name: str, route: str, place: str) -> None:
    manifest = _manifest(eye, name)
    (picture,) = [each for each in manifest["outputs"] if each["path"].startswith("assets/picture-")]
    assert (manifest["route"], picture["digest"]) == (route, str(Digest.of(PIXELS)))
    assert picture["locator"].startswith(place)


@pytest.mark.requirement("SA-07", "SA-08")
@pytest.mark.parametrize("name", ["report.docx", "plan.pptx", "count.xlsx", "note.rtf", "notes.odt", "count.ods"])
def test_the_source_map_covers_every_character_and_every_locator_can_be_read(eye: Eyeline, name: str) -> None:
    (folder,) = (eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
    source_map = json.loads((folder / "source_map.json").read_text())
    at = 0
    for segment in source_map["segments"]:
        assert segment["start"] == at
        at = segment["end"]
        assert str(Locator.parse(segment["locator"])) == segment["locator"]
    assert at == source_map["chars"] == len((folder / "document.md").read_text())


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("report.docx", "char="),
        ("plan.pptx", "page=2"),
        ("count.xlsx", "sheet=Secret%20%26%20more"),
        ("note.rtf", "char="),
        ("notes.odt", "char="),
    ],
)
def test_text_that_is_not_shown_is_told_with_its_place(eye: Eyeline, name: str, hidden: str) -> None:
    warnings = [each for each in _manifest(eye, name)["warnings"] if each.startswith("hidden_text:")]
    assert any(each.startswith(f"hidden_text:{hidden}") for each in warnings)
    if hidden != "char=":
        assert "hidden_text" in eye.open(name, locator=hidden).envelope.notes


@pytest.mark.parametrize(("name", "query"), [("count.xlsx", "obey the sheet"), ("report.docx", "obey the run")])
def test_hidden_text_that_is_found_is_told_where_it_is_found_and_where_it_is_opened(
    eye: Eyeline, name: str, query: str
) -> None:
    (hit,) = (each for each in eye.find(query) if each.source.name == name)
    assert hit.notes == ("hidden_text",)
    assert "hidden_text" in eye.open(hit.version_id, locator=str(hit.locator)).envelope.notes
    shown = eye.find("pump")
    assert any(not each.notes for each in shown)


def test_a_rtf_is_read_in_its_code_pages_with_its_notes_and_tables(eye: Eyeline) -> None:
    text = _text(eye, "note.rtf")
    assert text.startswith("# Pump title\n\nCafé € Пр.\n\nshown[^1]\n\n| part | 12 |\n| --- | --- |\n\nafter\n")
    assert "[^1]: a note" in text


def test_a_batch_shows_documents_as_their_text(eye: Eyeline, tmp_path: Path) -> None:
    for name, data in (("a.docx", make_words()), ("b.xlsx", make_sheets()), ("c.pptx", make_slides())):
        (tmp_path / name).write_bytes(data)
    viewed = eye.viewer(tmp_path).view("a.docx", "b.xlsx", "c.pptx")
    assert [item.status for item in viewed.report.items] == [ViewStatus.INLINED] * 3
    told = "".join(part.text for part in viewed.parts if part.entry.content_kind == "text")
    assert [each in told for each in ("PX-4417", "| 2 | valve | 12 |", "- point one")] == [True] * 3
