"""From a folder of files to originals that are kept: what comes in is what is held."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.processes import as_ordinary_user

from eyeline.errors import IntegrityError
from eyeline.model.digest import Digest
from eyeline.source import Candidate, Refused, walk
from eyeline.store import LocalStore, Stored


def take_in(folder: Path, store: LocalStore) -> dict[str, Stored]:
    taken: dict[str, Stored] = {}
    for entry in walk([folder]):
        assert isinstance(entry, Candidate)
        opened = entry.open()
        assert not isinstance(opened, Refused)
        with opened:
            taken[entry.reference] = store.put(opened.file, expected_bytes=opened.byte_count)
            assert opened.unchanged()
    return taken


@pytest.mark.requirement("SA-01")
def test_every_file_is_kept_byte_for_byte_under_its_digest_and_once_however_often_it_comes(tmp_path: Path) -> None:
    inbox, data = tmp_path / "inbox", os.urandom(3_500_000)
    files = {"a.bin": data, "copy of a.bin": data, "sub/again.bin": data, "b.txt": b"b\r\n\0", "é.txt": b"\xff\xfe"}
    for name, content in files.items():
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_bytes(content)
    store = LocalStore(tmp_path / "home" / "blobs")
    taken, again = take_in(inbox, store), take_in(inbox, store)
    assert {name: stored.digest for name, stored in taken.items()} == {
        name: Digest.of(content) for name, content in files.items()
    }
    assert sorted(name for name, stored in taken.items() if stored.created) == ["a.bin", "b.txt", "é.txt"]
    assert not any(stored.created for stored in again.values())
    assert list(store.list()) == sorted({Digest.of(content) for content in files.values()})
    for name, content in files.items():
        with store.open(taken[name].digest) as original:
            assert original.read() == content


@pytest.mark.requirement("SA-01")
def test_an_original_does_not_change_with_the_file_it_came_from(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "a.txt").write_bytes(b"as it came")
    store = LocalStore(tmp_path / "blobs")
    digest = take_in(inbox, store)["a.txt"].digest
    with (inbox / "a.txt").open("r+b") as file:
        file.write(b"overwritten")
    (inbox / "a.txt").unlink()
    with store.open(digest) as original:
        assert original.read() == b"as it came"


def test_a_file_that_grows_or_is_cut_while_it_is_copied_is_not_kept(tmp_path: Path) -> None:
    path, store = tmp_path / "log.txt", LocalStore(tmp_path / "blobs")
    for size in (20, 5):
        path.write_bytes(b"ten bytes!")
        (entry,) = walk([path])
        assert isinstance(entry, Candidate)
        opened = entry.open()
        assert not isinstance(opened, Refused)
        os.truncate(path, size)
        with opened, pytest.raises(IntegrityError):
            store.put(opened.file, expected_bytes=opened.byte_count)
    assert list(store.list()) == []


def test_files_and_folders_without_permission_are_refused_and_the_walk_goes_on() -> None:
    seen = as_ordinary_user("""
box = home / "box"
(box / "closed").mkdir(parents=True)
for name in ("a.txt", "locked.txt", "z.txt", "closed/b.txt"):
    (box / name).write_text(name)
(box / "locked.txt").chmod(0)
(box / "closed").chmod(0)
(home / "listed-only").mkdir()
(home / "listed-only" / "c.txt").touch()
(home / "listed-only").chmod(0o400)
told = []
for entry in walk([box, home / "listed-only", home / "box" / "closed" / "b.txt"]):
    found = entry.open() if isinstance(entry, Candidate) else entry
    told.append([found.reference, found.reason if isinstance(found, Refused) else found.file.read().decode()])
    if not isinstance(found, Refused):
        found.file.close()
print(json.dumps(told))
""")
    assert seen == [
        ["a.txt", "a.txt"],
        ["closed", "unreadable"],
        ["locked.txt", "unreadable"],
        ["z.txt", "z.txt"],
        [".", "unreadable"],
        ["b.txt", "unreadable"],
    ]


def test_a_folder_that_may_be_passed_but_not_listed_still_gives_a_named_file() -> None:
    seen = as_ordinary_user("""
(home / "passage").mkdir()
(home / "passage" / "a.txt").write_text("found")
(home / "passage").chmod(0o100)
with FileBoundary(home).open_inside("passage/a.txt") as opened:
    print(json.dumps(opened.file.read().decode()))
(home / "passage").chmod(0o700)
""")
    assert seen == "found"
