"""Office documents come to the same thing on every surface: a place, an honest no, or an error with the real extent."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.cli import invoke
from tests.support.mcp_wire import Wire, envelope, error, native, wired
from tests.support.office import PIXELS, locked_words, make_odf, make_raw_words, make_sheets, make_slides, make_words

from eyeline import Eyeline
from eyeline.errors import EyelineError
from eyeline.model.digest import Digest
from eyeline.settings import FILE

SHEET = (
    '<table:table table:name="Q &amp; A"><table:table-row><table:table-cell><text:p>valve</text:p></table:table-cell>'
)
FILES = {
    "report.docx": make_words(),
    "plan.pptx": make_slides(),
    "count.xlsx": make_sheets(),
    "count.ods": make_odf("spreadsheet", f"{SHEET}</table:table-row></table:table>"),
}
DAMAGED = {
    "locked.docx": (locked_words(), "encrypted"),
    "cut.docx": (make_words()[:-3000], "truncated"),
    "torn.docx": (make_raw_words("<w:p><w:r>"), "malformed"),
    "bomb.docx": (make_raw_words(f"<w:p><w:r><w:t>{'A' * (80 << 20)}</w:t></w:r></w:p>"), "over_memory"),
}


@dataclass(frozen=True, slots=True)
class Home:
    """A home of office documents, its versions by name, and what ingest told of each on the command line."""

    folder: Path
    versions: dict[str, str]
    items: dict[str, dict[str, Any]]
    ended: int


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("office")
    (folder / "inbox").mkdir()
    (folder / "home").mkdir()
    (folder / "home" / FILE).write_text('workers = 1\n\n[typesetting]\nprogram = "off"\n')
    for name, data in {**FILES, **{name: data for name, (data, _) in DAMAGED.items()}}.items():
        (folder / "inbox" / name).write_bytes(data)
    done = invoke(folder / "home", "ingest", str(folder / "inbox"), "--json")
    items = {item["source"]: item for item in json.loads(done.stdout)["items"]}
    return Home(folder / "home", {name: item["version_id"] for name, item in items.items()}, items, done.exit_code)


@pytest.fixture(scope="module")
def wire(home: Home) -> Iterator[Wire]:
    with wired(home.folder) as connection:
        yield connection


@pytest.mark.requirement("SA-16", "SA-17", "SA-18")
@pytest.mark.parametrize(
    ("name", "locator", "told"),
    [
        ("count.xlsx", "sheet=Q3&cell=B2:D3", "| 2 | 12 | 2026-03-04 | 25.6% |"),
        ("count.xlsx", "sheet=Secret%20%26%20more", "obey the sheet"),
        ("count.ods", "sheet=Q%20%26%20A", "| 1 | valve |"),
        ("plan.pptx", "page=1", "- point two"),
        ("plan.pptx", "page=2", "upper box"),
        ("report.docx", "char=0,60", "The serial number is PX-4417."),
    ],
)
def test_a_place_opens_as_the_same_parts_on_every_surface(
    home: Home, wire: Wire, *, name: str, locator: str, told: str
) -> None:
    with Eyeline(home.folder) as eye:
        parts = eye.open(name, locator=locator).parts
    digests = [str(part.entry.digest) for part in parts]
    assert told in parts[0].text
    answer = wire.call("source_open", version_id=home.versions[name], locator=locator)
    assert [str(Digest.of(data)) for _, data in native(answer)] == digests
    printed = invoke(home.folder, "open", name, "--locator", locator)
    assert (printed.exit_code, told in printed.stdout) == (0, True)
    plain = json.loads(invoke(home.folder, "open", name, "--locator", locator, "--json").stdout)
    assert [entry["digest"] for entry in plain["content_manifest"]] == digests
    assert plain["locator"] == envelope(answer)["locator"] == locator


@pytest.mark.requirement("SA-16", "SA-18")
@pytest.mark.parametrize(("name", "locator"), [("count.xlsx", "sheet=Q3&cell=F3"), ("plan.pptx", "page=2")])
def test_the_picture_at_a_place_is_delivered_with_its_pixels_on_every_surface(
    home: Home, wire: Wire, tmp_path: Path, *, name: str, locator: str
) -> None:
    arguments = ("open", name, "--locator", locator, "--accept", "image/*")
    assert invoke(home.folder, *arguments, "-o", str(tmp_path / "picture.png")).exit_code == 0
    answer = wire.call("source_open", version_id=home.versions[name], locator=locator, accept=["image/*"])
    ((_, data),) = native(answer)
    (entry,) = envelope(answer)["content_manifest"]
    assert (entry["role"], entry["locator"]) == ("detail", locator)
    assert _pixels(data) == _pixels((tmp_path / "picture.png").read_bytes()) == _pixels(PIXELS)


def _pixels(data: bytes) -> tuple[tuple[int, int], bytes]:
    with Image.open(io.BytesIO(data)) as picture:
        return picture.size, picture.convert("RGB").tobytes()


@pytest.mark.requirement("SA-16", "XC-03")
@pytest.mark.parametrize(
    ("name", "locator", "code", "extent"),
    [
        ("count.xlsx", "sheet=Q4", "locator_out_of_range", ["Q3", "Empty", "Secret & more"]),
        ("count.xlsx", "sheet=Q3&cell=Z90", "locator_out_of_range", ["A1:D7"]),
        ("count.ods", "sheet=Q%20%26%20A&cell=B1", "locator_out_of_range", ["A1"]),
        ("plan.pptx", "page=3", "locator_out_of_range", [2]),
        ("report.docx", "char=90000,90010", "locator_out_of_range", None),
        ("report.docx", "page=1", "locator_unsupported", None),
        ("plan.pptx", "sheet=Q3", "locator_unsupported", None),
        ("count.xlsx", "sheet=Q3&cell=A0", "invalid_locator", None),
    ],
)
def test_a_place_that_is_not_there_is_refused_with_the_real_extent_on_every_surface(
    home: Home, wire: Wire, *, name: str, locator: str, code: str, extent: list[str | int] | None
) -> None:
    with Eyeline(home.folder) as eye, pytest.raises(EyelineError) as caught:
        eye.open(name, locator=locator)
    assert caught.value.code == code
    refused = error(wire.call("source_open", version_id=home.versions[name], locator=locator))
    assert (refused["code"], refused["retryable"]) == (code, False)
    done = invoke(home.folder, "open", name, "--locator", locator)
    assert (done.exit_code, done.stdout) == (11, "")
    if extent is not None:
        assert caught.value.detail["extent"] == refused["detail"]["extent"]
        assert refused["detail"]["extent"] in (extent, *extent)
        assert [str(each) in done.stderr for each in extent] == [True] * len(extent)


@pytest.mark.requirement("SA-03", "XC-03")
@pytest.mark.parametrize(("name", "code"), [(name, code) for name, (_, code) in DAMAGED.items()])
def test_what_cannot_be_read_is_kept_and_not_shown_on_every_surface(
    home: Home, wire: Wire, name: str, code: str
) -> None:
    assert (home.items[name]["status"], home.items[name]["code"], home.ended) == ("taken", code, 0)
    version = home.versions[name]
    with Eyeline(home.folder) as eye:
        boundary = eye.open(name).envelope.boundary
        assert boundary is not None
        assert boundary.code.value == "not_viewable"
        assert b"".join(eye.fetch(name).chunks) == DAMAGED[name][0]
    plain = json.loads(invoke(home.folder, "open", name, "--json").stdout)
    told = envelope(wire.call("source_open", version_id=version))
    assert invoke(home.folder, "open", name).exit_code == 15
    for each in (plain, told):
        assert (each["boundary"]["code"], each["source"]["admission"]) == ("not_viewable", code)
        assert each["boundary"]["way_out"]
        assert each["source"]["readiness"]["source_stored"] is True
        assert each["source"]["readiness"]["agent_view_ready"] is False


@pytest.mark.requirement("SA-14")
def test_an_empty_sheet_is_an_honest_nothing_on_every_surface(home: Home, wire: Wire) -> None:
    told = envelope(wire.call("source_open", version_id=home.versions["count.xlsx"], locator="sheet=Empty"))
    done = invoke(home.folder, "open", "count.xlsx", "--locator", "sheet=Empty", "--json")
    assert (told["negative"]["code"], json.loads(done.stdout)["negative"]["code"]) == ("known_empty",) * 2
    assert done.exit_code == 0
