"""The index of uploads: by scope and variant, disposable, safe among threads and processes."""

from __future__ import annotations

import multiprocessing
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from eyeline.errors import Cancelled
from eyeline.model.digest import Digest
from eyeline.model.remote import RemoteFile
from eyeline.request.remote import FolderIndex
from eyeline.toolkit.cancel import CancelToken

VARIANT = Digest.of(b"variant")


def file(remote_id: str = "file-1", *, scope: str = "remote_a", variant: Digest = VARIANT) -> RemoteFile:
    return RemoteFile(scope, variant, Digest.of(b"bytes"), remote_id, 5, 1_000)


def test_what_was_kept_is_found_in_its_scope_only(tmp_path: Path) -> None:
    index = FolderIndex(tmp_path)
    index.keep(file())
    assert FolderIndex(tmp_path).find("remote_a", VARIANT) == file()
    assert index.find("remote_b", VARIANT) is None
    assert index.find("remote_a", Digest.of(b"other")) is None


def test_a_new_upload_takes_the_place_of_the_old_one_and_is_not_forgotten_with_it(tmp_path: Path) -> None:
    index = FolderIndex(tmp_path)
    index.keep(file("file-1"))
    index.keep(file("file-2"))
    index.forget(file("file-1"))
    assert index.find("remote_a", VARIANT) == file("file-2")
    index.forget(file("file-2"))
    index.forget(file("file-2"))
    assert index.find("remote_a", VARIANT) is None


def test_what_was_used_longest_ago_comes_first(tmp_path: Path) -> None:
    index = FolderIndex(tmp_path)
    variants = [Digest.of(bytes([number])) for number in range(4)]
    for number, variant in enumerate(variants):
        index.keep(file(f"file-{number}", variant=variant))
    names = {number: next(tmp_path.rglob(f"{variant.hex}.json")) for number, variant in enumerate(variants)}
    for age_s, number in enumerate((2, 0, 3, 1), start=1):
        os.utime(names[number], (1_000 - age_s, 1_000 - age_s))
    assert [each.remote_id for each in index.listed("remote_a")] == ["file-1", "file-3", "file-0", "file-2"]
    assert index.find("remote_a", variants[1]) is not None
    assert [each.remote_id for each in index.listed("remote_a")] == ["file-3", "file-0", "file-2", "file-1"]
    assert index.listed("remote_b") == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"scope":"remote_a"}', b"\xff\xfe"])
def test_a_damaged_entry_counts_as_absent(tmp_path: Path, damage: bytes) -> None:
    index = FolderIndex(tmp_path)
    index.keep(file())
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(damage)
    assert index.find("remote_a", VARIANT) is None
    assert index.listed("remote_a") == []
    index.keep(file())
    assert index.find("remote_a", VARIANT) == file()


def test_an_entry_under_the_name_of_another_is_not_taken_for_it(tmp_path: Path) -> None:
    index = FolderIndex(tmp_path)
    index.keep(file())
    (path,) = tmp_path.rglob("*.json")
    other = Digest.of(b"other")
    path.rename(path.with_name(f"{other.hex}.json"))
    assert index.find("remote_a", other) is None


def test_the_files_are_the_owners_alone_and_nothing_else_lies_about(tmp_path: Path) -> None:
    index = FolderIndex(tmp_path)
    index.keep(file())
    (path,) = tmp_path.rglob("*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_written_only_remembers_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    index = FolderIndex(blocked)
    index.keep(file())
    with index.claim("remote_a", VARIANT, cancel=CancelToken()):
        assert index.find("remote_a", VARIANT) is None
    assert index.listed("remote_a") == []


def test_one_thread_at_a_time_holds_a_variant(tmp_path: Path) -> None:
    index, made, ended = FolderIndex(tmp_path), list[str](), list[bool]()
    start = threading.Barrier(8)

    def upload() -> None:
        start.wait(30)
        with index.claim("remote_a", VARIANT, cancel=CancelToken()):
            if index.find("remote_a", VARIANT) is None:
                made.append("upload")
                index.keep(file())
        ended.append(True)

    threads = [threading.Thread(target=upload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert (made, ended) == (["upload"], [True] * 8)


def _hold(folder: Path, held: Callable[[], object], release: Callable[[float], object]) -> None:
    with FolderIndex(folder).claim("remote_a", VARIANT, cancel=CancelToken()):
        held()
        release(30)


def test_a_variant_that_another_process_holds_is_waited_for_until_cancelled(tmp_path: Path) -> None:
    spawned = multiprocessing.get_context("spawn")
    held, release = spawned.Event(), spawned.Event()
    process = spawned.Process(target=_hold, args=(tmp_path, held.set, release.wait))
    process.start()
    try:
        assert held.wait(60)
        cancel = CancelToken()
        timer = threading.Timer(0.1, cancel.cancel)
        timer.start()
        with pytest.raises(Cancelled), FolderIndex(tmp_path).claim("remote_a", VARIANT, cancel=cancel):
            pytest.fail("the other process holds it")
        timer.join(10)
    finally:
        release.set()
        process.join(30)
    with FolderIndex(tmp_path).claim("remote_a", VARIANT, cancel=CancelToken()):
        assert process.exitcode == 0


def test_an_upload_is_usable_up_to_the_margin_before_its_end() -> None:
    assert file().is_usable(899, margin_ms=100)
    assert not file().is_usable(900, margin_ms=100)
    assert RemoteFile("s", VARIANT, VARIANT, "id", 1).is_usable(10**15, margin_ms=100)
