"""Books (EPUB) through the Python surface: chapters in order, tables, pictures, contents, and what is wrong."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.books import CHAPTERS, book, chapter, locked, package
from tests.support.documents import outside_fences

from eyeline import Eyeline
from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.model.manifest import ContentKind, Role
from eyeline.model.record import ItemRecord
from eyeline.settings import Settings

Take = Callable[[bytes], ItemRecord]
AES = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
FONTS = "http://www.idpf.org/2008/embedding"


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home", settings=Settings(workers=1), principal="tester") as eye:
        yield eye


@pytest.fixture
def take(eye: Eyeline, tmp_path: Path) -> Take:
    """Takes a book in and answers its record."""

    def take(data: bytes) -> ItemRecord:
        (tmp_path / "a.epub").write_bytes(data)
        return eye.ingest(tmp_path / "a.epub").items[0]

    return take


def texts(eye: Eyeline, **asked: Any) -> list[str]:
    return [part.text for part in eye.open("a.epub", **asked).parts if part.entry.content_kind is ContentKind.TEXT]


def told(eye: Eyeline) -> tuple[list[str], dict[str, str]]:
    """Codes of the gaps, and the warnings."""
    conversion = eye.show("a.epub").conversion
    assert conversion is not None
    return [gap.code for gap in conversion.gaps], dict(each.rsplit(":", 1) for each in conversion.warnings)


def test_a_book_opens_as_its_beginning_its_contents_and_its_cover(eye: Eyeline, take: Take) -> None:
    record = take(book())
    assert (record.code, record.route, str(record.media_type)) == ("admitted", "book/1", "application/epub+zip")
    text, contents, cover, picture = eye.open("a.epub").parts
    assert text.text.startswith("Title: The pump book\nCreator: A. Author\n")
    places = [text.text.index(word) for word in ("# Pumps", "# Valves", "| valve | 12 |", "# Seals", "Last words.")]
    assert places == sorted(places)
    assert (contents.entry.role, cover.entry.role, picture.entry.role) == (Role.CONTEXT, Role.PREVIEW, Role.DETAIL)
    assert "![curve](assets/picture-0002.png)" in text.text


@pytest.mark.requirement("SA-16")
def test_the_contents_name_the_characters_of_each_chapter(eye: Eyeline, take: Take) -> None:
    take(book())
    lines = texts(eye)[1].splitlines()
    assert [line.rpartition(" (")[0] for line in lines[1:]] == [
        "- About pumps",
        "- About valves",
        "  - A table",
        "- (chapter 3)",
    ]
    locator = lines[2].rpartition(" (")[2].rstrip(")")
    (valves,) = texts(eye, locator=locator)
    assert valves.lstrip().startswith("# Valves")
    assert "| valve | 12 |" in valves
    assert "Seals" not in valves
    (folder,) = (eye.tree / "by-name/default/a.epub/current").glob("rep_*")
    outline = json.loads((folder / "assets/outline.json").read_text())
    assert outline[1] == {"level": 0, "title": "About valves", "locator": locator}
    assert "## Chapter 2" in outside_fences((folder / "document.md").read_text())


@pytest.mark.requirement("SA-16")
def test_a_passage_of_a_book_is_found_at_characters_that_open_it(eye: Eyeline, take: Take) -> None:
    take(book())
    hit = eye.find("zebra")[0]
    (text,) = texts(eye, locator=str(hit.locator))
    assert "The zebra crossed." in text
    with pytest.raises(LocatorOutOfRange) as caught:
        eye.open("a.epub", locator="char=90000,90001")
    assert caught.value.detail["extent"] == len(texts(eye)[0])
    with pytest.raises(LocatorUnsupported):
        eye.open("a.epub", locator="page=1")


def test_the_order_is_that_of_the_spine_and_an_older_list_gives_titles(eye: Eyeline, take: Take) -> None:
    listed = (
        '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://127.0.0.1:9/ncx.dtd"><ncx '
        'xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Of seals</text></navLabel>'
        '<content src="text/three.xhtml"/></navPoint></navMap></ncx>'
    )
    items = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    opf = package(CHAPTERS, items=items, order=("three.xhtml", "one.xhtml"))
    take(book(opf=opf.replace("<spine>", '<spine toc="ncx">'), more={"OPS/toc.ncx": listed}))
    text, contents = texts(eye)[:2]
    assert text.index("# Seals") < text.index("# Pumps")
    assert "# Valves" not in text
    assert [line.rpartition(" (")[0] for line in contents.splitlines()[1:]] == ["- Of seals", "- (chapter 2)"]


def test_one_chapter_that_is_missing_or_damaged_costs_no_other(eye: Eyeline, take: Take) -> None:
    assert take(book(without=("OPS/text/two.xhtml",))).code == "admitted"
    assert "# Pumps" in texts(eye)[0]
    assert "# Seals" in texts(eye)[0]
    assert told(eye)[0] == ["chapter_missing"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (book()[:-400], "truncated"),
        (book(without=("META-INF/container.xml",)), "malformed"),
        (book(opf="<package>"), "malformed"),
        (book(without=tuple(f"OPS/text/{name}" for name in CHAPTERS)), "malformed"),
        (book(more={"META-INF/encryption.xml": locked(AES, "OPS/text/one.xhtml")}), "encrypted"),
        (book(more={"META-INF/encryption.xml": locked(FONTS, "OPS/fonts/a.otf")}), "admitted"),
        (book(more={"OPS/text/one.xhtml": b"<p>" + b"\0" * (40 << 20)}), "over_memory"),
    ],
    ids=["cut", "no container", "torn package", "no chapters", "locked", "scrambled fonts", "bomb"],
)
@pytest.mark.requirement("SA-05")
def test_what_a_book_comes_to(take: Take, data: bytes, code: str) -> None:
    assert take(data).code == code


BOMB = (
    '<!DOCTYPE package [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)


def test_an_entity_bomb_is_not_expanded_wherever_it_stands(eye: Eyeline, take: Take) -> None:
    assert take(book(opf=package(CHAPTERS, prolog=BOMB))).code == "malformed"
    text = chapter("<p>start &j; end</p>").replace("<!DOCTYPE html>", BOMB)
    assert take(book({"one.xhtml": text})).code == "admitted"
    assert "start &j; end" in texts(eye)[0]
    assert len(texts(eye)[0]) < 1000


@pytest.mark.requirement("XC-05")
def test_nothing_outside_the_book_is_read(eye: Eyeline, take: Take, tmp_path: Path) -> None:
    canary = tmp_path / "canary.xhtml"
    canary.write_text("<p>the-canary-sings</p>")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        places = (str(canary), canary.as_uri(), url, "../" * 12 + str(canary).lstrip("/"), f"//{url[7:]}")
        items = "".join(
            f'<item id="o{n}" href="{place}" media-type="application/xhtml+xml"/>' for n, place in enumerate(places)
        )
        spine = "".join(f'<itemref idref="o{n}"/>' for n in range(len(places)))
        outside = "".join(f'<img src="{place}"/><iframe src="{place}"></iframe>' for place in places)
        entities = f'<!DOCTYPE html [<!ENTITY f SYSTEM "{canary.as_uri()}"><!ENTITY u SYSTEM "{url}">]>'
        text = chapter(f"<p>start &f; &u;</p>{outside}").replace("<!DOCTYPE html>", entities)
        opf = package({"one.xhtml": text}, items=items).replace("</spine>", f"{spine}</spine>")
        record = take(book({"one.xhtml": text}, opf=opf))
        assert record.code == "admitted"
        assert "start &f; &u;" in texts(eye)[0]
        with pytest.raises(BlockingIOError):
            server.accept()
    assert told(eye)[1]["outside_not_followed"] == "5"
    (folder,) = (eye.tree / "by-name/default/a.epub/current").glob("rep_*")
    assert "the-canary-sings" not in (folder / "document.md").read_text()
    assert take(book(more={"META-INF/container.xml": "<container/>"})).code == "malformed"
