"""What a mail encloses: documents of their own, through the same gate, linked to the mail, and gone with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.homes import files_below
from tests.support.mails import (
    MANUAL,
    PICTURE,
    EmailMessage,
    base64_part,
    enclosing,
    forwarding,
    letter,
    nested_mails,
    raw,
)

from eyeline import Eyeline
from eyeline.catalog.records import AuditFilters
from eyeline.errors import DocumentNotFound
from eyeline.media.samples import make_dimension_bomb
from eyeline.model.audit import AuditAction
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.settings import Settings

WORDS = b"# Notes\n\nThe zebra crossed at nine.\n"


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home", settings=Settings(workers=2), principal="tester") as eye:
        yield eye


def put(inbox: Path, mail: EmailMessage | bytes, name: str = "a.eml") -> bytes:
    data = mail if isinstance(mail, bytes) else mail.as_bytes()
    (inbox / name).write_bytes(data)
    return data


def sources(items: tuple[ItemRecord, ...]) -> list[tuple[str, str, int]]:
    return [(item.source, item.code, item.depth) for item in items]


def test_each_enclosure_has_its_record_behind_the_mail_and_opens_by_itself(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS), ("manual.pdf", MANUAL)))
    report = eye.ingest(inbox)
    assert sources(report.items) == [
        ("a.eml", "admitted", 0),
        ("a.eml.enclosed/01-notes.md", "admitted", 1),
        ("a.eml.enclosed/02-manual.pdf", "admitted", 1),
    ]
    mail, *inside = report.items
    assert {item.came_in for item in inside} == {mail.version_id}
    hit = eye.find("zebra")[0]
    assert hit.source.doc_id == inside[0].doc_id
    assert eye.open(hit.version_id).parts[0].bytes == WORDS
    assert eye.find("gasket")[0].locator.page == 1


def test_mail_and_enclosure_name_each_other_wherever_they_are_shown(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS)))
    mail, notes = eye.ingest(inbox).items
    handle = eye.show("a.eml").source
    assert [(each.number, each.doc_id, each.title) for each in handle.enclosures] == [(1, notes.doc_id, "notes.md")]
    came_in = eye.find("zebra")[0].source.came_in
    assert came_in is not None
    assert (came_in.doc_id, came_in.version_id) == (mail.doc_id, mail.version_id)
    opened = eye.open("notes.md").envelope.source
    assert opened is not None
    assert opened.came_in == came_in
    folder = eye.tree / str(notes.doc_id)
    assert f"../{mail.doc_id}/" in (folder / "README.md").read_text()
    assert json.loads((folder / "current/version.json").read_text())["came_in"] == mail.doc_id
    there = eye.tree / str(mail.doc_id)
    assert f"1. `notes.md` at `../{notes.doc_id}/`" in (there / "README.md").read_text()
    assert json.loads((there / "current/version.json").read_text())["enclosures"][0]["doc_id"] == notes.doc_id
    assert (eye.tree / "by-name/default/a.eml.enclosed/01-notes.md").resolve() == folder
    assert mail.doc_id is not None
    assert mail.doc_id in invoke(eye.home, "show", "notes.md").stdout


def test_a_mail_in_a_mail_is_a_document_with_the_bytes_it_had_there(eye: Eyeline, inbox: Path) -> None:
    put(inbox, forwarding(letter("see below\n"), enclosing(letter("the inner text\n"), ("notes.md", WORDS))))
    mail, inner, notes = eye.ingest(inbox).items
    assert (inner.route, inner.depth, notes.depth) == ("mail/1", 1, 2)
    assert notes.came_in == inner.version_id
    data = b"".join(eye.fetch(str(inner.version_id)).chunks)
    assert data in (inbox / "a.eml").read_bytes()
    assert "the inner text" in eye.open(str(inner.version_id)).parts[0].text
    assert [each.doc_id for each in eye.show(str(mail.version_id)).source.enclosures] == [inner.doc_id]


@pytest.mark.requirement("SA-03")
def test_an_enclosure_goes_through_the_gate_and_never_costs_the_mail(eye: Eyeline, inbox: Path) -> None:
    files = (("x.bin", b"\0\1\2\3"), ("empty.txt", b""), ("cut.png", PICTURE[:60]), ("ok.md", WORDS))
    put(inbox, enclosing(letter(), *files))
    report = eye.ingest(inbox)
    assert [item.code for item in report.items] == ["admitted", "no_route", "empty", "truncated", "admitted"]
    assert report.items[1].status is IngestStatus.REFUSED
    assert not report.complete


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("../../x", "01-x"),
        ("/etc/passwd", "01-passwd"),
        ("C:\\users\\x.txt", "01-x.txt"),
        ("..", "01-part-1.bin"),
        ("invoice\u202efdp.exe", "01-invoice\\u{202e}fdp.exe"),
        ("n" * 300 + ".txt", "01-" + "n" * 89 + ".txt"),
    ],
)
def test_a_hostile_name_stays_a_name(eye: Eyeline, inbox: Path, name: str, reference: str) -> None:
    put(inbox, enclosing(letter(), (name, WORDS)))
    item = eye.ingest(inbox).items[1]
    assert item.source == f"a.eml.enclosed/{reference}"
    assert item.code == "admitted"
    assert eye.check().clean
    outside = [path for path in files_below(eye.home.parent) if WORDS in path.read_bytes()]
    assert all(path.is_relative_to(eye.home) or path.parent == inbox for path in outside)


def test_taking_the_mail_in_again_changes_nothing_and_equal_files_are_kept_once(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS), ("same.md", WORDS)))
    first = eye.ingest(inbox).items
    assert [item.status for item in first] == ["taken", "taken", "deduplicated"]
    assert first[1].doc_id != first[2].doc_id
    again = eye.ingest(inbox).items
    assert {item.status for item in again} == {IngestStatus.UNCHANGED}
    assert [item.version_id for item in again] == [item.version_id for item in first]
    assert eye.check().clean


@pytest.mark.requirement("SA-26")
def test_forgetting_a_mail_forgets_what_only_it_brought_text_and_all(eye: Eyeline, inbox: Path) -> None:
    inner = enclosing(letter("inner walrus\n"), ("deep.md", b"deep ocelot words\n" * 9))
    put(inbox, forwarding(enclosing(letter(), ("notes.md", WORDS), ("manual.pdf", MANUAL)), inner))
    (inbox / "own.pdf").write_bytes(MANUAL)
    eye.ingest(inbox)
    gone = eye.forget("a.eml")
    assert len(gone.forgotten) == 5
    assert [each.bytes_stay for each in gone.forgotten].count(True) == 1
    assert [hit.source.name for hit in eye.find("gasket")] == ["own.pdf"]
    for words in ("zebra", "walrus", "ocelot"):
        assert not eye.find(words).passages
        assert [path for path in files_below(eye.home) if words.encode() in path.read_bytes()] == []
    assert eye.check().clean
    assert (
        len(eye.audit(AuditFilters(version_id=gone.forgotten[-1].version_id, action=AuditAction.FORGET)).entries) == 1
    )


def test_an_enclosure_can_be_forgotten_alone_and_the_mail_stays(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS), ("manual.pdf", MANUAL)))
    mail = eye.ingest(inbox).items[0]
    eye.forget("notes.md")
    assert [each.title for each in eye.show("a.eml").source.enclosures] == ["manual.pdf"]
    assert "notes.md" not in (eye.tree / str(mail.doc_id) / "README.md").read_text()
    assert eye.check().clean
    with pytest.raises(DocumentNotFound):
        eye.version_of("notes.md")
    assert eye.ingest(inbox).items[1].status is IngestStatus.TAKEN


def test_a_later_version_of_a_mail_keeps_what_both_enclose(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter("first\n"), ("notes.md", WORDS), ("old.md", b"old gibbon words\n")))
    first = eye.ingest(inbox).items[0]
    put(inbox, enclosing(letter("second\n"), ("notes.md", WORDS)))
    second = eye.ingest(inbox).items[0]
    assert second.doc_id == first.doc_id
    eye.forget(str(first.version_id))
    assert not eye.find("gibbon").passages
    came_in = eye.find("zebra")[0].source.came_in
    assert came_in is not None
    assert came_in.version_id == second.version_id
    assert eye.check().clean


def test_mails_in_mails_have_an_end(eye: Eyeline, inbox: Path) -> None:
    put(inbox, nested_mails(12))
    report = eye.ingest(inbox)
    assert report.items[0].code == "admitted"
    assert max(item.depth for item in report.items) == 9
    assert report.items[-1].code == "too_large"


def test_a_bomb_inside_is_refused_by_itself(eye: Eyeline, inbox: Path) -> None:
    bomb = make_dimension_bomb()
    part = base64_part("bomb.png", bomb)
    put(inbox, raw("Content-Type: multipart/mixed; boundary=b", "", "the text", "--b", *part, "--b--"))
    mail, inside = eye.ingest(inbox).items
    assert (mail.code, inside.code) == ("admitted", "over_pixels")
    assert inside.digest is not None
    assert inside.digest.hex == hashlib.sha256(bomb).hexdigest()


def test_the_table_of_the_command_line_sets_enclosures_in(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS)))
    done = invoke(eye.home, "ingest", str(inbox))
    assert "  a.eml.enclosed/01-notes.md" in done.stdout


def test_without_waiting_what_is_enclosed_is_kept_and_its_text_comes_later(eye: Eyeline, inbox: Path) -> None:
    put(inbox, enclosing(letter(), ("notes.md", WORDS)))
    eye.ingest(inbox, wait=False)
    assert not eye.find("zebra").passages
    eye.convert()
    assert len(eye.find("zebra")) == 1
    assert eye.check().clean
