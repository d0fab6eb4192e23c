"""Forgetting: unknown at once, gone from every file of the home, and nothing else touched."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.homes import files_below, fill_inbox

from eyeline import Eyeline
from eyeline.catalog.catalog import Catalog
from eyeline.catalog.sqlite import database
from eyeline.errors import Cancelled, DocumentNotFound, EyelineError, StoreError
from eyeline.media.sample_pdf import make_pdf
from eyeline.media.sample_scan import make_scan
from eyeline.model.digest import Digest
from eyeline.model.envelope import Negative, NegativeCode
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.operations.resolving import UNKNOWN
from eyeline.testing.catalog_samples import code_of
from eyeline.toolkit.cancel import CancelToken

SECRETS = ("zanzibar", "xylophone", "okapi", "quokka", "brontosaurus")
"""Words that stand in what is forgotten and nowhere else: in text, PDF text, a scanned page, titles and headings."""

UNKNOWN_ENTITY = Negative(NegativeCode.UNKNOWN_ENTITY, UNKNOWN)


def fill_secrets(inbox: Path, *, scanned: bool = False) -> Path:
    """Documents whose words are to vanish; with a scanned one, words that only OCR reads too."""
    inbox.mkdir()
    lines = "\n".join(f"the zanzibar pump number {number} plays the xylophone" for number in range(300))
    (inbox / "quokka report.md").write_text(f"# Brontosaurus\n\n{lines}\n")
    (inbox / "okapi.pdf").write_bytes(make_pdf(["okapi on page one", "zanzibar on page two"]))
    if scanned:
        (inbox / "scan.pdf").write_bytes(make_scan([["zanzibar xylophone okapi", "quokka"] * 4]))
    return inbox


def holding(home: Path, words: tuple[str, ...] = SECRETS) -> set[str]:
    """Which of these words stand in any file of a home, in any case."""
    found: set[str] = set()
    for path in home.rglob("*"):
        data = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        found |= {word for word in words if word.encode() in data.lower()}
    return found


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home") as eye:
        yield eye


@pytest.mark.requirement("SA-26")
def test_no_text_of_a_forgotten_document_is_left_in_any_file_of_the_home(tmp_path: Path, eye: Eyeline) -> None:
    eye.ingest(fill_inbox(tmp_path / "inbox"))
    secrets = fill_secrets(tmp_path / "secrets", scanned=True)
    taken = eye.ingest(secrets).items
    assert {item.code for item in taken} == {"admitted"}
    for item in taken:
        assert item.version_id is not None
        eye.open(item.version_id)
        assert eye.read(item.version_id).parts
    assert eye.find("zanzibar xylophone").passages
    assert holding(eye.home) == set(SECRETS)
    report = eye.forget(*(item.doc_id for item in taken if item.doc_id is not None))
    assert report.complete
    assert {gone.version_id for gone in report.forgotten} == {item.version_id for item in taken}
    assert holding(eye.home) == set()
    assert not any(gone.bytes_stay for gone in report.forgotten)
    assert eye.find("pump serial").passages
    assert eye.check(grace_ms=0).clean
    eye.close()
    assert holding(eye.home) == set()


@pytest.mark.requirement("SA-19", "SA-26")
def test_another_version_with_the_same_bytes_is_untouched(tmp_path: Path, eye: Eyeline) -> None:
    secrets = fill_secrets(tmp_path / "secrets")
    here = eye.ingest(secrets).items
    there = eye.ingest(secrets, collection="other").items
    before = {
        path.relative_to(eye.tree): path.read_bytes()
        for item in there
        for path in files_below(eye.tree / f"{item.doc_id}")
    }
    assert before
    shown = [eye.show(f"{item.version_id}") for item in there]
    report = eye.forget(*(f"{item.doc_id}" for item in here))
    assert all(gone.bytes_stay for gone in report.forgotten)
    assert [eye.show(f"{item.version_id}") for item in there] == shown
    assert {path: (eye.tree / path).read_bytes() for path in before} == before
    assert {hit.source.collection for hit in eye.find("zanzibar").passages} == {"other"}
    for item in there:
        assert eye.open(f"{item.version_id}").parts
        data = b"".join(eye.fetch(f"{item.version_id}").chunks)
        assert item.digest == Digest.of(data)
    assert not (eye.tree / "by-name" / "default").exists()
    assert len(list((eye.tree / "by-name" / "other").iterdir())) == 2
    assert eye.check(grace_ms=0).clean
    eye.forget(*(f"{item.doc_id}" for item in there))
    assert holding(eye.home) == set()


def answers(eye: Eyeline, version_id: str, doc_id: str) -> list[object]:
    """What callers are told of a version and its document, on every verb."""
    opened = eye.open(version_id).envelope
    read = eye.read(version_id).envelope
    return [
        opened.negative,
        opened.source,
        read.negative,
        code_of(lambda: eye.show(version_id)),
        code_of(lambda: eye.show(doc_id)),
        code_of(lambda: eye.fetch(version_id)),
        code_of(lambda: eye.convert(doc_id)),
        code_of(lambda: eye.forget(doc_id)),
        code_of(lambda: eye.publish(doc_id)),
        eye.find("zanzibar").negative,
        (eye.tree / doc_id).exists(),
    ]


@pytest.mark.requirement("SA-26")
def test_a_forgotten_version_answers_like_one_that_never_existed(tmp_path: Path, eye: Eyeline) -> None:
    item = eye.ingest(fill_secrets(tmp_path / "secrets") / "okapi.pdf").items[0]
    assert item.version_id is not None
    assert item.doc_id is not None
    eye.forget(item.version_id)
    forgotten = answers(eye, item.version_id, item.doc_id)
    assert forgotten == answers(eye, "ver_" + "0" * 32, "doc_" + "0" * 32)
    again = eye.ingest(tmp_path / "secrets" / "okapi.pdf").items[0]
    assert (again.status, again.version_id, again.representation_id) == (
        IngestStatus.TAKEN,
        item.version_id,
        item.representation_id,
    )
    assert eye.find("okapi").passages


@pytest.mark.requirement("SA-19", "SA-26")
def test_of_several_versions_one_can_go_and_the_newest_left_is_current(tmp_path: Path, eye: Eyeline) -> None:
    note = tmp_path / "note.txt"
    items: list[ItemRecord] = []
    for text in ("first zanzibar", "second okapi", "third quokka"):
        note.write_text(text)
        items += eye.ingest(note).items
    first, second, third = (f"{item.version_id}" for item in items)
    eye.forget(third)
    assert eye.open("note.txt").parts[0].text == "second okapi"
    folder = eye.tree / f"{items[0].doc_id}"
    assert (folder / "current" / "original.txt").read_text() == "second okapi"
    assert holding(eye.home) == {"zanzibar", "okapi"}
    eye.forget(first)
    assert holding(eye.home) == {"okapi"}
    assert [path.name for path in folder.glob("?" * 64)] == [hashlib.sha256(b"second okapi").hexdigest()]
    assert [each.version_id for each in eye.show("note.txt").versions] == [second]
    assert "third" not in (folder / "README.md").read_text()
    assert eye.check(grace_ms=0).clean


@pytest.mark.parametrize("way", ["version", "document", "name", "path", "folder"])
def test_what_is_to_be_forgotten_can_be_named_in_every_way(tmp_path: Path, eye: Eyeline, way: str) -> None:
    note = tmp_path / "note.txt"
    note.write_text("old")
    old = eye.ingest(note).items[0]
    note.write_text("new")
    new = eye.ingest(note).items[0]
    names = {
        "version": f"{old.version_id}",
        "document": f"{old.doc_id}",
        "name": "note.txt",
        "path": f"{old.tree_path}",
        "folder": f"tree/{old.doc_id}",
    }
    report = eye.forget(names[way])
    both = {old.version_id, new.version_id}
    expected = {old.version_id} if way in ("version", "path") else both
    assert {gone.version_id for gone in report.forgotten} == expected


@pytest.mark.requirement("SA-26")
def test_the_audit_log_keeps_its_records_and_no_text(tmp_path: Path, eye: Eyeline) -> None:
    item = eye.ingest(fill_secrets(tmp_path / "secrets") / "okapi.pdf").items[0]
    eye.open(f"{item.version_id}", locator="page=2")
    before = eye.audit().entries
    eye.forget(f"{item.version_id}", surface="http")
    newest, *kept = eye.audit().entries
    assert tuple(kept) == before
    assert eye.verify_audit().entries == len(before) + 1
    assert before[0].record.version_id == item.version_id
    said = newest.record
    assert (said.action, said.outcome, said.version_id) == ("forget", "forgotten", item.version_id)
    assert (said.principal, said.surface, said.code) == (eye.principal.name, "http", None)


@pytest.mark.requirement("SA-21")
def test_what_cannot_be_recorded_is_not_forgotten(
    tmp_path: Path, eye: Eyeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    eye.open("okapi.pdf")
    eye.close()
    monkeypatch.setattr(database, "BUSY_MS", 50)
    with Eyeline(eye.home) as later, closing(sqlite3.connect(eye.home / "audit.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            later.forget("okapi.pdf")
        other.execute("ROLLBACK")
        assert later.find("okapi").passages
        assert later.forget("okapi.pdf").complete


@pytest.mark.requirement("SA-26", "XC-05")
def test_forgetting_says_how_far_it_is_and_goes_on_after_it_was_stopped(tmp_path: Path, eye: Eyeline) -> None:
    taken = eye.ingest(fill_secrets(tmp_path / "secrets")).items
    cancel, told = CancelToken(), list[tuple[int, int]]()

    def stop(done: int, total: int, what: str) -> None:
        told.append((done, total))
        assert what.startswith("ver_")
        cancel.cancel("enough")

    with pytest.raises(Cancelled):
        eye.forget("okapi.pdf", "quokka report.md", progress=stop, cancel=cancel)
    assert told == [(1, 3)]
    assert [answers(eye, f"{item.version_id}", f"{item.doc_id}")[2] for item in taken] == [UNKNOWN_ENTITY] * 2
    assert [each.record.action for each in eye.audit().entries if each.record.outcome == "forgotten"] == ["forget"] * 2
    (tmp_path / "other.txt").write_text("brontosaurus")
    eye.ingest(tmp_path / "other.txt", wait=False)
    assert holding(eye.home) == {"brontosaurus"}


@pytest.mark.requirement("SA-26")
def test_the_database_is_written_anew_once_in_a_call_also_for_what_an_earlier_one_left(
    tmp_path: Path, eye: Eyeline
) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    cancel, told = CancelToken(), list[str]()
    with pytest.raises(Cancelled):
        eye.forget("okapi.pdf", progress=lambda done, total, what: cancel.cancel("enough"), cancel=cancel)
    report = eye.forget("quokka report.md", progress=lambda done, total, what: told.append(what))
    assert (len(report.forgotten), report.complete) == (2, True)
    assert told == [*(each.version_id for each in report.forgotten), "the database"]
    assert holding(eye.home) == set()


@pytest.mark.requirement("XC-05")
def test_nothing_is_forgotten_once_nobody_wants_it(tmp_path: Path, eye: Eyeline) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    cancel = CancelToken()
    cancel.cancel("never mind")
    with pytest.raises(Cancelled):
        eye.forget("okapi.pdf", cancel=cancel)
    assert eye.find("okapi").passages
    assert eye.audit().entries == ()


class AtTheThirdLook(CancelToken):
    """Fires when it is looked at for the third time, which is in the middle of a statement of the database."""

    looks = 0

    @property
    def cancelled(self) -> bool:
        self.looks += 1
        if self.looks == 3:
            self.cancel("enough")
        return super().cancelled


@pytest.mark.requirement("XC-05")
def test_writing_the_database_anew_can_be_stopped_in_the_middle(tmp_path: Path, eye: Eyeline) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    eye.close()
    with closing(sqlite3.connect(eye.home / "catalog.sqlite")) as large:
        large.execute("CREATE TABLE ballast (line TEXT)")
        large.executemany("INSERT INTO ballast VALUES (?)", (("ballast",) for _ in range(50_000)))
        large.commit()
    with Catalog.open(eye.home / "catalog.sqlite") as catalog:
        cancel = AtTheThirdLook()
        with pytest.raises(Cancelled):
            catalog.scrub(cancel)
        assert cancel.looks == 3
        assert catalog.flaws() == ()
        assert catalog.scrub()
    assert eye.find("okapi").passages


def test_one_unknown_name_leaves_all_as_it_was(tmp_path: Path, eye: Eyeline) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    with pytest.raises(DocumentNotFound):
        eye.forget("okapi.pdf", "nobody.txt")
    assert eye.find("okapi").passages


@pytest.mark.requirement("SA-26")
def test_the_cache_keeps_no_picture_of_what_is_forgotten(tmp_path: Path, eye: Eyeline) -> None:
    secrets = fill_secrets(tmp_path / "secrets")
    item = eye.ingest(secrets / "okapi.pdf").items[0]
    assert item.digest is not None
    eye.open(f"{item.version_id}", locator="page=1")
    assert [path for path in files_below(eye.home / "cache") if item.digest.hex in str(path)]
    eye.close()
    # as an earlier release left it
    shutil.copytree(eye.home / "cache" / "renditions" / "v2", eye.home / "cache" / "renditions" / "v1")
    with Eyeline(eye.home) as later:
        later.forget(f"{item.version_id}")
    assert [path for path in (eye.home / "cache").rglob("*") if item.digest.hex in str(path)] == []


@pytest.mark.requirement("SA-26")
def test_while_another_process_reads_the_file_is_cleaned_later(
    tmp_path: Path, eye: Eyeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    eye.close()
    monkeypatch.setattr(database, "BUSY_MS", 50)
    path = eye.home / "catalog.sqlite"
    with Eyeline(eye.home) as patient, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        report = patient.forget("okapi.pdf", "quokka report.md")
        assert not report.complete
        assert patient.find("zanzibar").negative is not None
        assert [each.code for each in patient.check(grace_ms=0).findings] == ["unfinished_forget"] * 2
        reader.execute("ROLLBACK")
        assert patient.check(grace_ms=0, repair=True).clean
        assert holding(eye.home) == set()
        assert patient.check(grace_ms=0).findings == ()


def test_a_name_that_was_freed_can_be_given_again_and_others_keep_theirs(tmp_path: Path, eye: Eyeline) -> None:
    for folder, text in (("one", "upper"), ("two", "lower")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ("Note.txt" if folder == "one" else "note.txt")).write_text(text)
        eye.ingest(tmp_path / folder)
    names = {path.name for path in (eye.tree / "by-name" / "default").iterdir()}
    eye.forget("Note.txt")
    assert {path.name for path in (eye.tree / "by-name" / "default").iterdir()} == names - {"Note.txt"}
    eye.publish()
    assert {path.name for path in (eye.tree / "by-name" / "default").iterdir()} == names - {"Note.txt"}
    eye.ingest(tmp_path / "one")
    assert {path.name for path in (eye.tree / "by-name" / "default").iterdir()} == names
    assert eye.check(grace_ms=0).clean


def test_a_place_that_cannot_be_written_leaves_the_rest_for_later(tmp_path: Path, eye: Eyeline) -> None:
    eye.ingest(fill_secrets(tmp_path / "secrets"))
    blocked = eye.tree / ".staging"
    blocked.rmdir()
    blocked.write_text("in the way")
    with pytest.raises(EyelineError) as refused:
        eye.forget("okapi.pdf")
    assert refused.value.code == "store_error"
    assert eye.find("okapi", name="okapi.pdf").negative is not None
    blocked.unlink()
    assert eye.check(grace_ms=0, repair=True).clean
    assert "okapi.pdf" not in {item.name for item in eye.home.rglob("*")}


def test_the_command_asks_first_and_says_what_went(tmp_path: Path) -> None:
    secrets, home = fill_secrets(tmp_path / "secrets"), tmp_path / "home"
    assert invoke(home, "ingest", str(secrets)).exit_code == 0
    assert invoke(home, "forget", "okapi.pdf").exit_code == 2
    assert invoke(home, "find", "okapi").exit_code == 0
    told = invoke(home, "forget", "okapi.pdf", "--yes", "--json")
    assert told.exit_code == 0
    answer = json.loads(told.stdout)
    assert (len(answer["forgotten"]), answer["complete"]) == (1, True)
    assert invoke(home, "forget", "okapi.pdf", "--yes").exit_code == 10
    assert invoke(home, "open", answer["forgotten"][0]["version_id"]).exit_code == 10
    assert invoke(home, "forget", "quokka report.md", "--yes").exit_code == 0
    assert holding(home) == set()
