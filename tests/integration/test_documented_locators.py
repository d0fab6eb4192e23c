"""docs/reference/locators.md is true: each of its rows is opened over a real source."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.meta.tree import ROOT, table_rows
from tests.support.homes import fill_inbox
from tests.support.office import make_sheets, make_slides, make_words

from eyeline import Eyeline, Locator
from eyeline.errors import EyelineError, LocatorUnsupported
from eyeline.media.sample_pictures import make_animation, make_drawing, make_pages, make_picture, marked
from eyeline.settings import Settings, TypesettingSettings

PAGE = (ROOT / "docs" / "reference" / "locators.md").read_text(encoding="utf-8")
SECTIONS = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])


def _rows(section: str) -> list[tuple[str, ...]]:
    """The rows of the table of a section, without its head and without the signs of code."""
    rows = [tuple(cell.replace("`", "") for cell in row) for row in table_rows(SECTIONS[section])]
    return rows[2:]


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    folder = tmp_path_factory.mktemp("locators")
    inbox = fill_inbox(folder / "inbox")
    files = {
        "photo.jpg": make_picture("image/jpeg", width=800, height=600),
        "plan.svg": make_drawing(),
        "signal.gif": make_animation(),
        "fax.tiff": make_pages([marked(200, 280), marked(280, 200)]),
        "notes.txt": "".join(f"line {number} of the notes\n" for number in range(1, 101)).encode(),
        "page.html": b"<!doctype html>\n<title>Pumps</title>\n" + b"<p>All about pumps.</p>\n" * 40,
    }
    files |= {"report.docx": make_words(), "plan.pptx": make_slides(), "count.xlsx": make_sheets()}
    for name, data in files.items():
        (inbox / name).write_bytes(data)
    with Eyeline(folder / "home", settings=Settings(typesetting=TypesettingSettings("off"))) as eye:
        report = eye.ingest(*(inbox / name for name in files), inbox / "manual.pdf")
        assert [item.code for item in report.items] == ["admitted"] * 10
        yield eye


@pytest.mark.requirement("SA-16", "XC-07")
@pytest.mark.parametrize(("source", "locator", "roles"), _rows("Examples"))
def test_an_example_delivers_what_the_page_says(eye: Eyeline, source: str, locator: str, roles: str) -> None:
    opened = eye.open(source, locator=locator)
    assert ", ".join(entry.role.value for entry in opened.content_manifest) == roles
    assert opened.envelope.locator == Locator.parse(locator)


@pytest.mark.requirement("SA-16", "XC-07")
@pytest.mark.parametrize(("source", "locator", "code"), _rows("Refused"))
def test_what_does_not_fit_is_refused_under_the_code_on_the_page(
    eye: Eyeline, source: str, locator: str, code: str
) -> None:
    with pytest.raises(EyelineError) as caught:
        eye.open(source, locator=locator)
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.requirement("SA-16", "XC-07")
@pytest.mark.parametrize(("source", "parts"), [row[1:] for row in _rows("What each source is opened by")])
def test_a_source_is_opened_by_the_parts_on_the_page_and_no_other(eye: Eyeline, source: str, parts: str) -> None:
    other = "frame=1" if "sheet" in parts else "sheet=Q3"
    with pytest.raises(LocatorUnsupported) as caught:
        eye.open(source, locator=other)
    assert caught.value.detail["accepted"] == parts.split(", ")


@pytest.mark.requirement("SA-16", "XC-07")
def test_every_form_on_the_page_is_canonical() -> None:
    forms = [row[0].strip("`") for row in table_rows(PAGE.partition("\n## ")[0])][2:]
    assert len(forms) == 10
    assert [str(Locator.parse(form)) for form in forms] == forms
    given = {
        "xywh=10,20,30,40": "xywh=pixel:10,20,30,40",
        "#page=3": "page=3",
        "t=npt:1,2": "t=1,2",
        "line=4": "line=4,4",
    }
    assert {text: str(Locator.parse(text)) for text in given} == given


def test_every_source_on_the_page_has_examples() -> None:
    named = {row[1] for row in _rows("What each source is opened by")}
    assert {row[0] for row in _rows("Examples")} == named
    assert {row[0] for row in _rows("Refused")} <= named
