"""HTML, XML and notebooks through the Python surface: what they say, where it stands, and nothing from outside."""

from __future__ import annotations

import base64
import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.markup import HTML, NOTEBOOK, XML, Reading, code, markdown, notebook, reading_of, shown

from eyeline import Eyeline, Locator
from eyeline.errors import CorruptMedia
from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.media.sample_pictures import make_picture
from eyeline.model.digest import Digest
from eyeline.model.limits import MCP_ANSWER, Limits
from eyeline.model.manifest import Origin, Role
from eyeline.settings import Settings

CANARY = "the-canary-sings"
PIXELS = make_picture(width=40, height=30)
PNG = base64.b64encode(PIXELS).decode()
PAGE = f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>Pump report</title></head><body>
<!-- obey the comment --><h1>Pumps</h1><p>The serial number is <b>PX-4417</b>.</p>
<p style="display:none">obey the paragraph</p>
<table><tr><th>part</th><th>count</th></tr><tr><td>valve</td><td>12</td></tr></table>
<p><img alt="curve" src="data:image/png;base64,{PNG}"></p>
<pre># not a heading of ours
> Gap `failed`: not a note of ours
```</pre></body></html>"""
BOOK = notebook(
    markdown("# Study\n\nThe mean is 7.25."),
    code("plot()", shown(image_png=PNG, text_plain="<Figure>")),
    code("print(1)", {"output_type": "stream", "name": "stdout", "text": "one\n" * 9}),
)


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    """A server on loopback that nobody may ever come to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory, listener: socket.socket) -> Iterator[Eyeline]:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "canary.txt").write_text(CANARY)
    inbox = tmp_path_factory.mktemp("inbox")
    (inbox / "page.html").write_text(PAGE)
    (inbox / "book.ipynb").write_text(BOOK)
    (inbox / "torn.ipynb").write_text(BOOK.replace('"cells": [', '"cells": [' + '{"cell_type": "raw"}, ' * 900)[:-9])
    (inbox / "torn.xml").write_text('<?xml version="1.0"?><d><a>first part</a>' + "<b>more</b>" * 600 + "<c>bad</d>")
    (inbox / "script.html").write_text("<!DOCTYPE html><script>document.write('obey')</script>")
    (inbox / "long.html").write_text("<h1>Long</h1>" + "".join(f"<p>paragraph {n} of many</p>\n" for n in range(4000)))
    for name, text in _luring(
        (outside / "canary.txt").as_uri(), f"http://127.0.0.1:{listener.getsockname()[1]}/x"
    ).items():
        (inbox / name).write_text(text)
    with Eyeline(tmp_path_factory.mktemp("home"), settings=Settings(workers=1), principal="tester") as eye:
        report = eye.ingest(inbox)
        assert [item.code for item in report.items if item.code != "admitted"] == []
        yield eye


def _luring(file: str, url: str) -> dict[str, str]:
    """Sources that ask for a file and an address in every way their formats know."""
    entities = f'<!DOCTYPE d [<!ENTITY f SYSTEM "{file}"><!ENTITY u SYSTEM "{url}"><!ENTITY % p SYSTEM "{url}"> %p;]>'
    page = (
        f'<base href="{url}"><link rel=stylesheet href="{url}"><script src="{url}"></script><img src="{url}">'
        f'<iframe src="{file}"></iframe><object data="{file}"></object><video src="{url}"></video><embed src="{url}">'
        f'<meta http-equiv=refresh content="0;url={url}"><svg><image href="{url}"/><use href="{file}#x"/></svg>'
    )
    return {
        "lure-entities.xml": f'<?xml version="1.0"?>{entities}<d a="&f;">start &f; &u; end</d>',
        "lure-dtd.xml": f'<?xml version="1.0"?><!DOCTYPE d SYSTEM "{url}"><d>start</d>',
        "lure-include.xml": (
            f'<?xml version="1.0"?><?xml-stylesheet href="{url}"?><d xmlns:xi="http://www.w3.org/2001/XInclude" '
            f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="{url}">start'
            f'<xi:include href="{file}" parse="text"/><xi:include href="{url}"/></d>'
        ),
        "lure.html": f"<!DOCTYPE html><p>start {page}",
        "lure.ipynb": notebook(markdown(f"start ![x]({url}) ![y]({file})"), code("", shown(text_html=page))),
    }


def _files(eye: Eyeline, name: str) -> Path:
    (folder,) = (eye.tree / "by-name" / "default" / name / "current").glob("rep_*")
    return folder


def _manifest(eye: Eyeline, name: str) -> dict[str, Any]:
    return json.loads((_files(eye, name) / "manifest.json").read_text())


def test_without_a_locator_a_page_opens_as_what_it_says(eye: Eyeline) -> None:
    opened = eye.open("page.html")
    part, picture = opened.parts
    assert picture.entry.content_kind == "picture"
    assert (part.entry.role, part.entry.derivation_kind) == (Role.SOURCE_TEXT, "extraction")
    assert part.entry.origin is Origin.AGENT_RENDITION
    assert "The serial number is PX-4417." in part.text
    assert "| valve | 12 |" in part.text
    assert "![curve](assets/picture-0001.png)" in part.text
    assert "obey" not in part.text
    assert "<p>" not in part.text


@pytest.mark.requirement("SA-16")
def test_with_a_locator_a_page_opens_as_it_is_written(eye: Eyeline) -> None:
    start = PAGE.index("<!-- obey")
    opened = eye.open("page.html", locator=f"char={start},{start + 25}")
    part = next(part for part in opened.parts if part.entry.role is Role.SOURCE_TEXT)
    assert (part.text, part.entry.derivation_kind) == ("<!-- obey the comment -->", "passthrough")
    assert opened.envelope.notes == ("hidden_text",)
    lines = eye.open("page.html", locator="line=3")
    assert any(part.text == PAGE.split("\n")[2] for part in lines.parts)


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    ("query", "name", "source"),
    [
        ("PX-4417", "page.html", "The serial number is <b>PX-4417"),
        ("7.25", "book.ipynb", '"# Study\\n\\nThe mean is 7.25."'),
        ("first part", "torn.xml", "<a>first part</a>"),
    ],
)
def test_what_is_found_has_a_locator_that_opens_the_place_in_the_original(
    eye: Eyeline, query: str, name: str, source: str
) -> None:
    (hit,) = [passage for passage in eye.find(query).passages if passage.source.name == name]
    assert hit.derivation_kind == "extraction"
    opened = eye.open(name, locator=str(hit.locator))
    assert source in next(part.text for part in opened.parts if part.entry.role is Role.SOURCE_TEXT)


@pytest.mark.requirement("SA-07")
@pytest.mark.parametrize(("name", "route"), [("page.html", "html/1"), ("book.ipynb", "notebook/1")])
def test_an_embedded_picture_is_an_asset_with_its_place_and_digest(eye: Eyeline, name: str, route: str) -> None:
    manifest = _manifest(eye, name)
    assert manifest["route"] == route
    output = next(each for each in manifest["outputs"] if each["path"] == "assets/picture-0001.png")
    assert (_files(eye, name) / "assets" / "picture-0001.png").read_bytes() == PIXELS
    assert output["digest"] == str(Digest.of(PIXELS))
    chars = Locator.parse(output["locator"]).chars
    assert chars is not None
    assert PNG in {"page.html": PAGE, "book.ipynb": BOOK}[name][chars.start : chars.end]
    assert {"lane": "pictures", "unit": "pictures", "read": 1, "total": 1} in manifest["coverage"]


@pytest.mark.requirement("SA-13", "SA-14", "SA-16")
@pytest.mark.parametrize("name", ["page.html", "book.ipynb"])
def test_an_embedded_picture_is_delivered_with_the_text_and_by_its_place(eye: Eyeline, name: str) -> None:
    (where,) = (each["locator"] for each in _manifest(eye, name)["outputs"] if each["path"].startswith("assets/pic"))
    whole, there = eye.open(name), eye.open(name, locator=where, accept=["image/*"])
    line = {"page.html": PAGE, "book.ipynb": BOOK}[name][: int(where[5:].split(",")[0])].count("\n") + 1
    by_line = eye.open(name, locator=f"line={line},{line + 1}", accept=["image/png"])
    for opened in (whole, there, by_line):
        part = opened.parts[-1]
        assert (part.entry.role, part.entry.origin, str(part.entry.locator)) == ("detail", "agent_rendition", where)
        assert part.entry.transforms[0].facts == {"asset": "assets/picture-0001.png", "sha256": Digest.of(PIXELS).hex}
        with Image.open(io.BytesIO(part.bytes)) as seen, Image.open(io.BytesIO(PIXELS)) as source:
            assert seen.convert("RGB").tobytes() == source.convert("RGB").tobytes()
    assert [len(opened.parts) for opened in (whole, there, by_line)] == [2, 1, 1]
    assert all(part.entry.content_kind == "text" for part in eye.open(name, accept=["text/*"]).parts)
    assert all(part.entry.content_kind == "text" for part in eye.open(name, locator="char=0,9").parts)
    nothing = eye.open(name, locator="char=0,9", accept=["image/*"]).envelope.boundary
    assert nothing is not None
    assert "image/png" not in map(str, nothing.members)
    refused = eye.open(name, accept=["audio/*"]).envelope.boundary
    assert refused is not None
    assert {"image/png", "text/markdown"} <= set(map(str, refused.members))


@pytest.mark.requirement("SA-14")
def test_of_many_embedded_pictures_some_are_delivered_and_the_rest_has_a_locator(tmp_path: Path) -> None:
    drawn = [make_picture(width=200 + number, height=30) for number in range(6)]
    damaged = b"\x89PNG\r\n\x1a\n" + bytes(200)
    pictures = [f'<p>figure <img src="data:image/png;base64,{base64.b64encode(each).decode()}"></p>' for each in drawn]
    pictures[1] = f'<p>figure <img src="data:image/png;base64,{base64.b64encode(damaged).decode()}"></p>'
    (tmp_path / "many.html").write_text(f"<!DOCTYPE html><html><body>{chr(10).join(pictures)}</body></html>")
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(tmp_path / "many.html")
        opened = eye.open("many.html")
        assert opened.envelope.notes == ("embedded_picture_not_viewable",)
        (left,) = opened.envelope.truncation
        assert (left.reason, left.left_out) == ("embedded_pictures", "2 more pictures")
        rest = eye.open("many.html", locator=left.continuation, accept=["image/*"])
        sizes = [Image.open(io.BytesIO(part.bytes)).width for part in (*opened.parts[1:], *rest.parts)]
        assert sizes == [200, 202, 203, 204, 205]
        assert rest.envelope.truncation == ()
        again = eye.open("many.html")
        assert [part.entry.digest for part in again.parts] == [part.entry.digest for part in opened.parts]


@pytest.mark.requirement("SA-07", "SA-08")
@pytest.mark.parametrize("name", ["page.html", "book.ipynb", "torn.xml", "torn.ipynb", "lure-entities.xml"])
def test_every_character_has_one_label_and_what_was_read_a_place(eye: Eyeline, name: str) -> None:
    text = (_files(eye, name) / "document.md").read_text()
    source_map = json.loads((_files(eye, name) / "source_map.json").read_text())
    at = 0
    for segment in source_map["segments"]:
        assert segment["start"] == at
        at = segment["end"]
        label = segment["derivation_kind"]
        assert label in ("system", "passthrough" if name == "torn.ipynb" else "extraction")
        assert segment["evidence_mode"] == ("system" if label == "system" else "source_expression")
        assert label == "system" or segment["locator"].startswith(("char=", "line="))
    assert at == len(text) == source_map["chars"]


def test_what_a_page_hides_is_a_warning_and_not_in_the_reading(eye: Eyeline) -> None:
    document = (_files(eye, "page.html") / "document.md").read_text()
    assert "obey" not in document
    assert "hidden_text:elements:18" in _manifest(eye, "page.html")["warnings"]
    assert any(each.startswith("hidden_text:comments:") for each in _manifest(eye, "page.html")["warnings"])
    assert eye.find("obey").passages == ()


def test_nothing_in_a_page_passes_for_a_heading_or_a_note_of_ours(eye: Eyeline) -> None:
    source_map = json.loads((_files(eye, "page.html") / "source_map.json").read_text())
    text = (_files(eye, "page.html") / "document.md").read_text()
    ours = "".join(text[s["start"] : s["end"]] for s in source_map["segments"] if s["derivation_kind"] == "system")
    assert "not a" not in ours
    fence = next(line for line in ours.splitlines() if line.startswith("`"))
    assert len(fence.rstrip("markdown")) == 5


def test_cells_are_sections_whose_titles_are_ours(eye: Eyeline) -> None:
    document = (_files(eye, "book.ipynb") / "document.md").read_text()
    headings = [line for line in document.splitlines() if line.startswith("## ")]
    assert headings == ["## Cell 1: markdown", "## Cell 2: code", "## Cell 3: code"]


def test_a_long_page_goes_on_where_the_answer_ends(eye: Eyeline) -> None:
    opened = eye.open("long.html", answer=MCP_ANSWER)
    (left,) = opened.envelope.truncation
    assert len(opened.parts[0].text) == MCP_ANSWER.max_text_chars
    last = opened.parts[0].text.rstrip().rsplit("\n", 1)[-1]
    assert left.continuation is not None
    rest = eye.open("long.html", locator=str(left.continuation), answer=MCP_ANSWER)
    assert rest.parts[0].text.startswith(last) or last.startswith("paragraph")
    assert "of many" in rest.parts[0].text


@pytest.mark.requirement("SA-07")
def test_what_cannot_be_read_as_its_type_is_read_as_its_characters(eye: Eyeline) -> None:
    manifest = _manifest(eye, "torn.ipynb")
    assert [(gap["lane"], gap["code"]) for gap in manifest["gaps"]] == [("structure", "failed")]
    assert "The mean is 7.25." in eye.open("torn.ipynb").parts[0].text
    assert eye.open("torn.ipynb").envelope.notes == ("no_readable_text",)


@pytest.mark.requirement("SA-07")
def test_a_page_too_large_for_the_tree_is_read_as_its_characters(tmp_path: Path) -> None:
    (tmp_path / "huge.html").write_text("<!DOCTYPE html>" + "<p>words of a page</p>\n" * 600_000)
    limits = Limits(job_memory_bytes=64 << 20)
    with Eyeline(tmp_path / "home", settings=Settings(workers=1, limits=limits)) as eye:
        (item,) = eye.ingest(tmp_path / "huge.html").items
        assert item.code == "admitted"
        gaps = [(gap["lane"], gap["code"]) for gap in _manifest(eye, "huge.html")["gaps"]]
        assert gaps == [("text", "over_budget"), ("structure", "failed")]
        assert eye.open("huge.html").parts[0].text.startswith("<!DOCTYPE html><p>words of a page</p>")


@pytest.mark.requirement("SA-07")
def test_what_stands_before_an_error_of_xml_is_read_and_the_rest_is_a_gap_with_its_place(eye: Eyeline) -> None:
    (gap,) = _manifest(eye, "torn.xml")["gaps"]
    assert (gap["lane"], gap["code"]) == ("text", "failed")
    assert "a: first part" in eye.open("torn.xml").parts[0].text
    rest = eye.open("torn.xml", locator=gap["locator"])
    assert "</d>" in rest.parts[-1].text


def test_a_page_that_says_nothing_without_its_scripts_is_a_gap_and_opens_as_it_is_written(eye: Eyeline) -> None:
    assert [gap["code"] for gap in _manifest(eye, "script.html")["gaps"]] == ["nothing_found"]
    opened = eye.open("script.html")
    assert "document.write" in opened.parts[0].text
    assert opened.parts[0].entry.derivation_kind == "passthrough"


@pytest.mark.parametrize("name", ["lure-entities.xml", "lure-dtd.xml", "lure-include.xml", "lure.html", "lure.ipynb"])
def test_no_file_and_no_address_outside_the_source_is_ever_read(
    eye: Eyeline, listener: socket.socket, name: str
) -> None:
    assert "start" in eye.open(name).parts[0].text
    assert CANARY not in "".join(path.read_text("utf-8", "replace") for path in _files(eye, name).glob("*.*"))
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool(preload=()) as pool:
        yield pool


def _read(pool: BoundedPool, source: str, media_type: str) -> Reading:
    result = pool.run(
        "eyeline.media.markup:read_blocks",
        {"media_type": media_type},
        source=BytesSource(source.encode()),
        limits=job_limits(Limits()),
    )
    return reading_of(source, result.value, result.outputs)


def test_a_hundred_thousand_nested_elements_are_read(pool: BoundedPool) -> None:
    assert _read(pool, "<div>" * 100_000 + "deep" + "</div>" * 100_000 + "<p>after", HTML).text == "deep\n\nafter\n"
    assert _read(pool, "<ul><li>" * 50_000 + "deep", HTML).text.strip().endswith("deep")
    assert _read(pool, "<a>" * 50_000 + "deep", XML).text.endswith("a: deep\n")


def test_an_attribute_of_fifty_megabytes_is_passed_over(pool: BoundedPool) -> None:
    assert _read(pool, f'<p title="{"x" * 50_000_000}">said</p>', HTML).text == "said\n"
    assert len(_read(pool, f'<d a="{"x" * 40_000_000}">said</d>', XML).text) < 3000


def test_unclosed_constructs_end_the_page_at_once(pool: BoundedPool) -> None:
    for piece in ("<!--", "<a b='", "<![CDATA[", "<textarea>", "<script><!--<script>", "</", "<a ", "&#" + "9" * 5000):
        assert _read(pool, "<p>said</p>" + piece * (1_000_000 // len(piece)), HTML).text.startswith("said\n")


def test_many_formatting_tags_and_ignored_tags_do_not_grow_the_tree(pool: BoundedPool) -> None:
    assert _read(pool, "<s>" * 500 + "<p>x" * 20_000, HTML).text.count("x") == 20_000
    assert _read(pool, "<tr><td>cell</td></tr>" * 40_000, HTML).text.count("cell") == 40_000


def test_entities_that_multiply_are_never_expanded(pool: BoundedPool) -> None:
    laughs = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
    found = _read(pool, f'<!DOCTYPE d [<!ENTITY e0 "ha">{laughs}]><d a="&e29;">&e29;</d>', XML)
    assert found.text == 'd a="": &e29;\n'
    assert _read(pool, f"<!DOCTYPE html [{laughs}]><p>said &e29;", HTML).text.endswith("said &e29;\n")


def test_pictures_over_a_bound_are_left_out_and_told(pool: BoundedPool) -> None:
    large = base64.b64encode(PIXELS + bytes(17 << 20)).decode()
    found = _read(pool, f'<p>a<img src="data:image/png;base64,{large}"><img src="data:image/png;base64,{PNG}">', HTML)
    assert found.pictures == (PIXELS,)
    assert found.value["pictures_left_out"] == 1
    many = [base64.b64encode(PIXELS + b"%08d" % n + bytes(4 << 20)).decode() for n in range(8)]
    crowd = _read(pool, "".join(f'<img src="data:image/png;base64,{each}">' for each in many), HTML)
    assert (len(crowd.pictures), crowd.value["pictures_left_out"]) == (7, 1)


def test_a_table_whose_cells_claim_a_billion_columns_stays_small(pool: BoundedPool) -> None:
    found = _read(pool, "<table>" + "<tr><td colspan=999999999 rowspan=999999999>a<td>b" * 50, HTML)
    assert len(found.text) < 100_000


def test_a_notebook_with_huge_outputs_leaves_room_for_every_cell(pool: BoundedPool) -> None:
    huge = {"output_type": "stream", "name": "stdout", "text": "line of output\n" * 1_000_000}
    cells = [code(f"cell_{number}()", huge if number < 2 else shown(text_plain="small")) for number in range(20)]
    found = _read(pool, notebook(*cells), NOTEBOOK)
    assert found.value["cut"] == 2
    assert "cell_19()" in found.text
    assert len(found.text) < 60_000
    with pytest.raises(CorruptMedia):
        _read(pool, '{"cells": ' + "[" * 200_000, NOTEBOOK)
