"""What is known of a version: four independent facts, how fresh it is, and how an answer goes on to its end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import invoke
from tests.support.homes import fill_inbox, fingerprint
from tests.support.mcp_wire import Wire, envelope, native, wired

from eyeline import Eyeline
from eyeline.media.sample_pdf import SamplePage, SampleText, make_pdf
from eyeline.media.sample_pictures import make_screenshot, screenshot_line
from eyeline.model.envelope import BoundaryCode, Readiness
from eyeline.model.limits import AnswerLimit, Limits
from eyeline.model.manifest import ContentKind, Role
from eyeline.settings import Settings

READY = Readiness(True, True, True, {"text->picture": "not_configured"})


def _ready(eye: Eyeline, source: str = "note.md") -> Readiness:
    """The facts as every verb tells them."""
    version = eye.version_of(source)
    shown = eye.show(version).source.readiness
    listed = [hit.source.readiness for hit in eye.find("", name=source)]
    opened = eye.open(version).envelope.source
    assert opened is not None
    assert [*listed, opened.readiness] == [shown] * 2
    return shown


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    fill_inbox(tmp_path / "inbox")
    with Eyeline(tmp_path / "home") as eye:
        yield eye


@pytest.mark.requirement("SA-24")
def test_a_version_is_viewable_before_it_has_text_and_gets_text_alone(eye: Eyeline, tmp_path: Path) -> None:
    eye.ingest(tmp_path / "inbox" / "note.md", wait=False)
    assert _ready(eye) == replace(READY, text_retrieval_ready=False)
    eye.convert("note.md")
    assert _ready(eye) == READY


@pytest.mark.requirement("SA-24")
def test_whether_the_bytes_are_kept_is_told_by_their_record_alone(eye: Eyeline, tmp_path: Path) -> None:
    eye.ingest(tmp_path / "inbox" / "note.md")
    with closing(sqlite3.connect(eye.home / "catalog.sqlite")) as database:
        content = eye.show("note.md").source.content
        database.execute("UPDATE blobs SET state = 'pinned' WHERE digest = ?", (content.hex,))
        database.commit()
    assert _ready(eye) == replace(READY, source_stored=False)


@pytest.mark.requirement("SA-24", "SA-10")
def test_another_policy_takes_the_view_alone_until_work_that_may_admits_again(eye: Eyeline, tmp_path: Path) -> None:
    eye.ingest(tmp_path / "inbox")
    assert _ready(eye) == READY
    narrower = Settings(limits=Limits(max_pixels=100_000_000))
    with Eyeline(eye.home, settings=narrower) as later:
        kept = [later.home / "catalog.sqlite", later.home / "blobs", later.tree]
        assert _ready(later) == replace(READY, agent_view_ready=False)
        before = fingerprint(*kept)
        for _ in range(3):
            boundary = later.open("mark.png").envelope.boundary
            assert boundary is not None
            assert (boundary.code, bool(boundary.way_out)) == (BoundaryCode.NOT_VIEWABLE, True)
        assert later.read("note.md").parts
        assert later.find("serial")[0].source.readiness.text_retrieval_ready
        assert fingerprint(*kept) == before
        assert _ready(later) == replace(READY, agent_view_ready=False)
        later.convert("note.md")
        assert _ready(later) == READY
        assert not later.show("mark.png").source.readiness.agent_view_ready
        later.check(repair=True)
        assert later.show("mark.png").source.readiness.agent_view_ready
        assert later.open("mark.png").parts
    assert _ready(eye) == READY


@pytest.mark.requirement("SA-24")
def test_what_is_kept_and_cannot_be_decoded_is_stored_and_nothing_else(eye: Eyeline, tmp_path: Path) -> None:
    torn = tmp_path / "torn.pdf"
    torn.write_bytes(b"%PDF-1.7\nnothing")
    eye.ingest(torn)
    assert _ready(eye, "torn.pdf") == replace(READY, agent_view_ready=False, text_retrieval_ready=False)


def test_opening_an_older_version_says_so_on_every_surface(eye: Eyeline, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("first")
    old = eye.ingest(note).items[0].version_id
    note.write_text("second")
    new = eye.ingest(note).items[0].version_id
    assert old is not None
    assert new is not None
    for answer in (eye.open(old), eye.read(old)):
        freshness = answer.envelope.freshness
        assert freshness is not None
        assert (freshness.version_id, freshness.current_version_id, freshness.is_current) == (old, new, False)
    assert eye.open(old).parts[0].text == "first"
    current = eye.open("note.md").envelope.freshness
    assert current is not None
    assert (current.version_id, current.is_current) == (new, True)
    assert new in invoke(eye.home, "open", old).stderr
    assert new in invoke(eye.home, "read", old).stderr
    assert new not in invoke(eye.home, "open", new).stderr
    with wired(eye.home) as wire:
        told = envelope(wire.call("source_open", version_id=old))["freshness"]
    assert told == {"version_id": old, "current_version_id": new, "is_current": False}


FEW = AnswerLimit(max_text_chars=170)
LINES = [
    [f"page {page}, line {line}: {page * line * 7919} of the ledger" for line in range(1, 13)] for page in (1, 2, 3)
]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    folder = tmp_path_factory.mktemp("long")
    pages = [
        SamplePage(texts=tuple(SampleText(line, y_pt=60 + 20 * row) for row, line in enumerate(lines)))
        for lines in LINES
    ]
    (folder / "ledger.pdf").write_bytes(make_pdf(pages))
    (folder / "screen.png").write_bytes(make_screenshot(700, 400))
    (folder / "notes.txt").write_text("".join(f"line {number} of the notes\n" for number in range(100)))
    with Eyeline(folder / "home") as eye:
        assert eye.ingest(folder / "ledger.pdf", folder / "screen.png", folder / "notes.txt").complete
        yield eye


def _followed(eye: Eyeline, source: str, **inputs: Any) -> tuple[str, list[str]]:
    """All the text that an answer and its continuations hold, depth first, and the locators that were opened."""
    text, opened, waiting = "", list[str](), [""]
    while waiting:
        locator = waiting.pop(0)
        assert locator not in opened
        opened.append(locator)
        answer = eye.open(source, locator=locator, answer=FEW, **inputs)
        text += "".join(part.text for part in answer.parts if part.entry.role is Role.SOURCE_TEXT)
        assert sum(len(part.text) for part in answer.parts if part.entry.content_kind is ContentKind.TEXT) <= 170
        more = [str(each.continuation) for each in answer.envelope.truncation]
        assert "None" not in more
        waiting = more + waiting
    return text, opened


@pytest.mark.requirement("SA-16")
def test_following_the_continuations_reads_the_whole_of_a_text(long: Eyeline) -> None:
    text, opened = _followed(long, "notes.txt")
    assert text == "".join(f"line {number} of the notes\n" for number in range(100))
    assert len(opened) > 5


@pytest.mark.requirement("SA-16")
def test_following_the_continuations_reads_every_page_to_its_end(long: Eyeline) -> None:
    text, opened = _followed(long, "ledger.pdf")
    assert text.replace("\n", "") == "".join(line for lines in LINES for line in lines)
    assert [locator for locator in opened if "char" not in locator] == ["", "page=2", "page=3"]
    assert any(locator.startswith("page=2&char=170,") for locator in opened)
    pictures = long.open("ledger.pdf", locator="page=2", answer=FEW).parts
    assert [part.entry.role for part in pictures] == [Role.PAGE, Role.SOURCE_TEXT]
    rest = long.open("ledger.pdf", locator="page=2&char=170,340", answer=FEW).parts
    assert [part.entry.role for part in rest] == [Role.SOURCE_TEXT]


@pytest.mark.requirement("SA-16")
def test_following_the_continuations_reads_all_that_was_read_in_a_picture(long: Eyeline) -> None:
    text, opened = _followed(long, "screen.png", accept=["text/plain"])
    whole = long.open("screen.png", accept=["text/plain"]).parts
    assert text == "".join(part.text for part in whole)
    assert screenshot_line(3).split()[-1] in text
    assert len(opened) > 3


@pytest.mark.requirement("SA-16")
def test_following_the_continuations_of_read_gives_the_whole_document(long: Eyeline) -> None:
    whole = long.read("ledger.pdf").parts[0].text
    text, start = "", 0
    while True:
        answer = long.read("ledger.pdf", start=start, answer=FEW)
        text += answer.parts[0].text
        if not answer.envelope.truncation:
            break
        (truncation,) = answer.envelope.truncation
        assert truncation.continuation is not None
        assert truncation.continuation.chars is not None
        start = truncation.continuation.chars.start
    assert text == whole


@pytest.mark.requirement("SA-16")
def test_pages_go_on_over_mcp_one_after_the_other(long: Eyeline) -> None:
    with wired(long.home) as wire:
        assert _pages(wire, long.version_of("ledger.pdf")) == [lines[0] for lines in LINES]


def _pages(wire: Wire, version: str) -> list[str]:
    """The first line of every page, each page opened where the answer before said to go on."""
    firsts: list[str] = []
    locator: str | None = None
    while True:
        result = wire.call("source_open", version_id=version, **({} if locator is None else {"locator": locator}))
        (text,) = (data.decode() for label, data in native(result) if ": source_text" in label)
        firsts.append(text.split("\n")[0])
        truncation = envelope(result).get("truncation", [])
        if not truncation:
            return firsts
        locator = truncation[0]["continuation"]
