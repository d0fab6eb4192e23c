"""Taking in: the gate answers for each file, originals are kept byte for byte, nothing bad ends the batch."""

from __future__ import annotations

import hashlib
import io
import os
import threading
from pathlib import Path

import pytest
from tests.support.homes import files_below, fill_inbox

from eyeline import Eyeline
from eyeline.errors import Cancelled, InvalidRequest
from eyeline.media.sample_pictures import make_picture
from eyeline.model.limits import Limits
from eyeline.model.record import IngestStatus
from eyeline.settings import Settings
from eyeline.toolkit.cancel import CancelToken


@pytest.fixture
def eye(tmp_path: Path) -> Eyeline:
    return Eyeline(tmp_path / "home")


@pytest.mark.requirement("SA-01")
def test_every_original_is_kept_once_under_the_hash_of_its_bytes(tmp_path: Path, eye: Eyeline) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    (inbox / "copy of note.md").write_bytes((inbox / "note.md").read_bytes())
    with eye:
        report = eye.ingest(inbox)
    blobs = {path.name for path in files_below(eye.home / "blobs" / "v1" / "sha256")}
    for item in report.items:
        if item.digest is not None:
            data = (inbox / item.source).read_bytes()
            assert item.digest.hex == hashlib.sha256(data).hexdigest()
            stored = eye.home / "blobs" / "v1" / "sha256" / item.digest.hex[:2] / item.digest.hex
            assert stored.read_bytes() == data
            assert item.digest.hex in blobs
    statuses = sorted(item.status for item in report.items if "note" in item.source)
    assert statuses == [IngestStatus.DEDUPLICATED, IngestStatus.TAKEN]


@pytest.mark.requirement("SA-01")
def test_the_same_folder_again_changes_nothing(tmp_path: Path, eye: Eyeline) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with eye:
        first = eye.ingest(inbox)
        second = eye.ingest(inbox)
    assert {item.status for item in second.items} == {IngestStatus.UNCHANGED, IngestStatus.REFUSED}
    assert [item.version_id for item in first.items] == [item.version_id for item in second.items]


@pytest.mark.requirement("SA-02")
def test_a_name_that_contradicts_the_bytes_is_told_with_both_values(tmp_path: Path, eye: Eyeline) -> None:
    lie = tmp_path / "photo.png"
    lie.write_bytes(make_picture("image/jpeg"))
    with eye:
        item = eye.ingest(lie).items[0]
    assert str(item.media_type) == "image/jpeg"
    assert "type_mismatch" in item.notes
    assert item.detail is not None
    assert "png" in item.detail["type_mismatch"]
    assert "image/jpeg" in item.detail["type_mismatch"]
    assert item.tree_path is not None
    assert item.tree_path.endswith("original.jpg")


@pytest.mark.requirement("SA-03")
def test_the_gate_refuses_with_a_reason_and_the_rest_goes_on(tmp_path: Path) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    (inbox / "noise.bin").write_bytes(bytes(range(256)) * 16)
    (inbox / "large.txt").write_bytes(b"x" * 200_001)
    os.mkfifo(inbox / "pipe")
    (tmp_path / "outside.txt").write_text("secret")
    (inbox / "link.txt").symlink_to(tmp_path / "outside.txt")
    (inbox / "gone.txt").symlink_to(inbox / "nothing")
    with Eyeline(tmp_path / "home", settings=Settings(limits=Limits(max_bytes=200_000))) as eye:
        report = eye.ingest(inbox)
    codes = {item.source: item.code for item in report.items if item.status is IngestStatus.REFUSED}
    assert codes == {
        "empty.txt": "empty",
        "noise.bin": "no_route",
        "large.txt": "too_large",
        "pipe": "not_regular",
        "link.txt": "outside_root",
        "gone.txt": "unreadable",
    }
    assert report.count(IngestStatus.TAKEN) == 4
    assert not report.complete


@pytest.mark.requirement("SA-03")
def test_what_has_no_route_is_kept_where_a_setting_says_so(tmp_path: Path) -> None:
    noise = tmp_path / "noise.bin"
    noise.write_bytes(bytes(range(256)) * 16)
    with Eyeline(tmp_path / "home", settings=Settings(unroutable="keep")) as eye:
        item = eye.ingest(noise).items[0]
        assert (item.status, item.code) == (IngestStatus.TAKEN, "no_route")
        assert item.tree_path is not None
        assert (eye.tree / item.tree_path).read_bytes() == noise.read_bytes()
        assert item.version_id is not None
        assert b"".join(eye.fetch(item.version_id).chunks) == noise.read_bytes()


@pytest.mark.requirement("SA-03", "SA-05")
def test_a_damaged_file_is_kept_and_says_so(tmp_path: Path, eye: Eyeline) -> None:
    whole = make_picture("image/jpeg", width=640, height=480)
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(whole[: len(whole) * 6 // 10])
    with eye:
        item = eye.ingest(cut).items[0]
        assert (item.status, item.code) == (IngestStatus.TAKEN, "truncated")
        assert item.tree_path is not None
        assert (eye.tree / item.tree_path).read_bytes() == cut.read_bytes()
        assert item.version_id is not None
        boundary = eye.open(item.version_id).envelope.boundary
        assert boundary is not None
        assert boundary.code == "not_viewable"


def test_a_stream_is_taken_in_under_its_name(eye: Eyeline) -> None:
    with eye:
        item = eye.ingest_stream(io.BytesIO(b"words from a pipe"), name="pipe.txt").items[0]
        assert item.status is IngestStatus.TAKEN
        assert eye.open("pipe.txt").parts[0].text == "words from a pipe"


def test_a_reference_can_be_given_for_one_file_and_for_no_more(tmp_path: Path, eye: Eyeline) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    with eye:
        eye.ingest(inbox / "note.md", ref="reports/pump")
        assert eye.show("reports/pump").reference == "reports/pump"
        with pytest.raises(InvalidRequest):
            eye.ingest(inbox, ref="reports/pump")


def test_hidden_entries_are_listed_and_left(tmp_path: Path, eye: Eyeline) -> None:
    (tmp_path / "inbox" / ".git").mkdir(parents=True)
    (tmp_path / "inbox" / ".git" / "config").write_text("[core]")
    (tmp_path / "inbox" / "note.txt").write_text("words")
    with eye:
        report = eye.ingest(tmp_path / "inbox")
    assert [(item.source, item.status.value) for item in report.items] == [
        (".git", "passed_over"),
        ("note.txt", "taken"),
    ]
    assert report.complete


def test_one_reference_from_two_places_is_noted(tmp_path: Path, eye: Eyeline) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "note.txt").write_text(folder)
    with eye:
        eye.ingest(tmp_path / "one")
        item = eye.ingest(tmp_path / "two").items[0]
    assert "reference_from_another_place" in item.notes


@pytest.mark.requirement("XC-05")
def test_progress_rises_to_the_number_of_files_and_a_wish_to_stop_is_heard(tmp_path: Path, eye: Eyeline) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    seen: list[tuple[int, int]] = []
    with eye:
        eye.ingest(inbox, progress=lambda done, total, _: seen.append((done, total)))
        assert seen == [(number, 5) for number in range(1, 6)]
        token = CancelToken()
        with pytest.raises(Cancelled):
            eye.ingest(inbox, cancel=token, progress=lambda done, total, what: token.cancel("enough"))
        assert {item.status for item in eye.ingest(inbox).items} == {IngestStatus.UNCHANGED, IngestStatus.REFUSED}


def test_eight_threads_take_in_the_same_folder_at_once(tmp_path: Path, eye: Eyeline) -> None:
    inbox = fill_inbox(tmp_path / "inbox")
    codes: list[str] = []
    with eye:
        threads = [
            threading.Thread(target=lambda: codes.extend(item.code for item in eye.ingest(inbox).items))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert sorted(set(codes)) == ["admitted", "empty"]
        assert len(eye.find("", limit=100)) == 4
