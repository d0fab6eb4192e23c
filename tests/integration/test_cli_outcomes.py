"""The table of outcomes on the command line: every kind of yes, no and failure has its exit number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.homes import fill_inbox

from eyeline.app.eyeline import Eyeline
from eyeline.media.sample_pictures import cut_short, make_photo

NOBODY = "ver_" + "0" * 32


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outcomes")
    inbox = fill_inbox(folder / "inbox")
    (inbox / "torn.jpg").write_bytes(cut_short(make_photo(600, 400)))
    with Eyeline(folder / "home") as eye:
        eye.ingest(inbox)
        eye.ingest(inbox / "note.md", collection="second")
    return folder / "home"


@pytest.mark.requirement("XC-03")
@pytest.mark.parametrize(
    ("exit_code", "arguments"),
    [
        # delivered, also when there is honestly nothing
        (0, "find valves"),
        (0, "find no-such-word"),
        (0, "read torn.jpg"),
        (0, "open manual.pdf --locator page=2"),
        # the command line itself
        (2, "open"),
        (2, "open manual.pdf -o out.png --json"),
        (2, "no-such-verb"),
        (2, "audit --limit many"),
        # unknown, forgotten or not granted
        (10, f"open {NOBODY}"),
        (10, f"show {NOBODY}"),
        (10, f"read {NOBODY}"),
        (10, f"fetch {NOBODY}"),
        (10, "open no-such-name.pdf"),
        (10, "publish no-such-name.pdf"),
        # bad input
        (11, "open manual.pdf --locator nonsense"),
        (11, "open manual.pdf --locator line=1"),
        (11, "open manual.pdf --locator page=99"),
        (11, "open manual.pdf --accept png"),
        (11, "open note.md"),
        (11, "read manual.pdf --start 999999"),
        (11, "fetch manual.pdf -o unused --range 0-99999999"),
        (11, "find --cursor nonsense"),
        (11, "find --type nonsense"),
        # over a limit
        (12, "find --limit 1000"),
        # boundaries
        (15, "open manual.pdf --accept audio/wav"),
        (15, "open torn.jpg"),
    ],
)
def test_every_outcome_has_its_exit_number(home: Path, exit_code: int, arguments: str) -> None:
    done = invoke(home, *arguments.split())
    assert done.exit_code == exit_code, done.stderr
    assert "Traceback" not in done.stderr
    if exit_code not in (0, 2):
        assert done.stdout == ""
        assert done.stderr.startswith("eyeline: ")


@pytest.mark.parametrize(
    ("exit_code", "arguments", "kind", "code"),
    [
        (10, f"open {NOBODY} --json", "negative", "unknown_entity"),
        (15, "open manual.pdf --accept audio/wav --json", "boundary", "nothing_acceptable"),
        (15, "open torn.jpg --json", "boundary", "not_viewable"),
    ],
)
def test_a_no_is_an_answer_that_programs_can_read(
    home: Path, *, exit_code: int, arguments: str, kind: str, code: str
) -> None:
    done = invoke(home, *arguments.split())
    assert (done.exit_code, done.stderr) == (exit_code, "")
    assert json.loads(done.stdout)[kind]["code"] == code


def test_a_no_leaves_no_folder_behind(home: Path, tmp_path: Path) -> None:
    assert invoke(home, "open", "torn.jpg", "--out", str(tmp_path / "answer")).exit_code == 15
    assert not (tmp_path / "answer").exists()


def test_a_boundary_says_what_could_be_had_and_the_way_out(home: Path) -> None:
    nothing = invoke(home, "open", "manual.pdf", "--accept", "audio/wav")
    assert "image/png" in nothing.stderr
    assert "accept" in nothing.stderr
    assert "fetch" in invoke(home, "open", "torn.jpg").stderr


def test_a_name_that_several_documents_have_is_answered_with_their_ids(home: Path) -> None:
    asked = invoke(home, "show", "note.md")
    assert asked.exit_code == 11
    ids = [word.strip(",") for word in asked.stderr.split() if word.startswith("doc_")]
    assert len(ids) == 2
    collections = [json.loads(invoke(home, "show", each, "--json").stdout)["source"]["collection"] for each in ids]
    assert sorted(collections) == ["default", "second"]


def test_a_reading_of_other_bytes_is_refused(home: Path) -> None:
    other = json.loads(invoke(home, "show", "mark.png", "--json").stdout)["source"]["representation_id"]
    assert invoke(home, "open", "manual.pdf", "--representation", other).exit_code == 11


@pytest.mark.requirement("SA-03")
def test_some_items_that_fail_are_told_by_the_exit_number_and_the_rest_is_taken(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("words\n")
    (tmp_path / "empty.md").write_bytes(b"")
    done = invoke(tmp_path / "home", "ingest", str(tmp_path / "*.md"), str(tmp_path / "missing.md"), "--json")
    items = {item["source"]: (item["status"], item["code"]) for item in json.loads(done.stdout)["items"]}
    assert done.exit_code == 3
    assert items == {
        "empty.md": ("refused", "empty"),
        "good.md": ("taken", "admitted"),
        "missing.md": ("refused", "unreadable"),
    }


def test_a_file_that_is_kept_but_not_viewable_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "torn.jpg").write_bytes(cut_short(make_photo(600, 400)))
    done = invoke(tmp_path / "home", "ingest", str(tmp_path / "torn.jpg"))
    assert done.exit_code == 0
    assert "not viewable" in done.stdout


def test_what_is_kept_wrongly_is_an_integrity_failure(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("words\n")
    home = tmp_path / "home"
    assert invoke(home, "ingest", str(tmp_path / "note.md")).exit_code == 0
    (blob,) = (path for path in (home / "blobs").rglob("*") if path.is_file() and path.read_bytes() == b"words\n")
    blob.chmod(0o600)
    blob.write_bytes(b"other\n")
    failed = invoke(home, "fetch", "note.md", "-o", str(tmp_path / "out"))
    assert failed.exit_code == 20
    assert "incident" in failed.stderr


def test_a_home_that_cannot_be_used_is_a_failure_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite").mkdir()
    failed = invoke(tmp_path, "find")
    assert failed.exit_code == 21
    assert str(tmp_path) not in failed.stderr
    assert "incident" in failed.stderr


def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "eyeline.toml").write_text("[limits]\nmax_pixel = 3\n")
    failed = invoke(tmp_path, "find")
    assert failed.exit_code == 30
    assert "max_pixel" in failed.stderr


def test_an_output_that_cannot_be_written_is_a_failure_of_the_disk(home: Path, tmp_path: Path) -> None:
    assert invoke(home, "fetch", "mark.png", "-o", str(tmp_path / "no" / "such" / "folder")).exit_code == 21
    (tmp_path / "file").write_bytes(b"")
    assert invoke(home, "open", "mark.png", "--out", str(tmp_path / "file")).exit_code == 11


def test_the_audit_log_tells_refusals_and_their_codes(home: Path) -> None:
    for arguments in (f"open {NOBODY}", "open torn.jpg", "open manual.pdf --locator page=99"):
        invoke(home, *arguments.split())
    records = json.loads(invoke(home, "audit", "--limit", "3", "--json").stdout)["entries"]
    codes = [(each["record"]["outcome"], each["record"]["code"]) for each in records]
    assert codes == [("refused", "locator_out_of_range"), ("refused", "not_viewable"), ("refused", "unknown_entity")]
    assert "not_viewable" in invoke(home, "audit", "--limit", "3").stdout
    assert "the chain holds" in invoke(home, "audit", "--verify").stdout
