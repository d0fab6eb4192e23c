from __future__ import annotations

import fcntl
import io
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from eyeline.errors import BlobNotFound, IntegrityError, StoreError
from eyeline.model.digest import Digest
from eyeline.store import LocalStore
from eyeline.store.placing import PLACEMENTS, by_exclusive_rename, by_hard_link, by_locked_rename
from eyeline.store.staging import StagedFile, clear_stale

EACH_PLACEMENT = pytest.mark.parametrize("placement", PLACEMENTS, ids=lambda each: each.__name__)


@EACH_PLACEMENT
def test_no_placement_replaces_what_is_there(tmp_path: Path, placement: Callable[[Path, Path], None]) -> None:
    staged, target = tmp_path / "staged", tmp_path / "target"
    staged.write_bytes(b"new")
    target.write_bytes(b"old")
    with pytest.raises(FileExistsError):
        placement(staged, target)
    assert (staged.read_bytes(), target.read_bytes()) == (b"new", b"old")


@EACH_PLACEMENT
def test_no_placement_follows_or_replaces_a_dangling_link(
    tmp_path: Path, placement: Callable[[Path, Path], None]
) -> None:
    staged, target = tmp_path / "staged", tmp_path / "target"
    staged.write_bytes(b"new")
    target.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        placement(staged, target)
    assert not (tmp_path / "elsewhere").exists()


@EACH_PLACEMENT
def test_each_placement_gives_the_whole_file_its_name(tmp_path: Path, placement: Callable[[Path, Path], None]) -> None:
    staged, target = tmp_path / "staged", tmp_path / "target"
    staged.write_bytes(b"new")
    placement(staged, target)
    assert target.read_bytes() == b"new"


def test_a_placement_that_fails_for_a_real_reason_is_not_tried_another_way(tmp_path: Path) -> None:
    def out_of_order(staged: Path, target: Path) -> None:
        del staged, target
        raise OSError(5, "Input/output error")

    store = LocalStore(tmp_path, placements=(out_of_order, by_hard_link))
    with pytest.raises(StoreError) as caught:
        store.put(io.BytesIO(b"data"))
    assert caught.value.detail == {"cause": "EIO"}
    assert list(store.list()) == []


def test_a_blob_that_comes_while_another_is_being_named_is_compared_and_stays(tmp_path: Path) -> None:
    other = LocalStore(tmp_path)

    def too_late(staged: Path, target: Path) -> None:
        other.put(io.BytesIO(b"raced"))
        by_hard_link(staged, target)

    assert LocalStore(tmp_path, placements=(too_late,)).put(io.BytesIO(b"raced")).created is False
    assert list(other.list()) == [Digest.of(b"raced")]


def test_a_folder_or_link_in_the_place_of_a_blob_is_damage(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    digest = store.put(io.BytesIO(b"data")).digest
    path = store.host_path(digest)
    assert path is not None
    path.unlink()
    path.symlink_to("/dev/zero")
    for call in (store.open, store.verify, store.size):
        with pytest.raises(IntegrityError):
            call(digest)
    path.unlink()
    path.mkdir()
    with pytest.raises(IntegrityError):
        store.put(io.BytesIO(b"data"))


def test_names_that_are_no_blobs_are_passed_over(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    digest = store.put(io.BytesIO(b"data")).digest
    folder = tmp_path / "v1" / "sha256"
    (folder / "lost+found").mkdir()
    (folder / digest.hex[:2] / "note.txt").write_text("hello")
    (folder / "00").mkdir(exist_ok=True)
    (folder / "00" / ("f" * 64)).write_bytes(b"in the wrong folder")
    assert list(store.list()) == [digest]


def test_a_store_made_again_on_the_same_folder_has_the_same_blobs(tmp_path: Path) -> None:
    digest = LocalStore(tmp_path / "deep" / "down" / "blobs").put(io.BytesIO(b"data")).digest
    again = LocalStore(tmp_path / "deep" / "down" / "blobs")
    again.verify(digest)
    assert again.put(io.BytesIO(b"data")).created is False


def test_a_change_of_sharing_reaches_a_blob_when_it_comes_again(tmp_path: Path) -> None:
    digest = LocalStore(tmp_path).put(io.BytesIO(b"data")).digest
    shared = LocalStore(tmp_path, share="everyone")
    shared.put(io.BytesIO(b"data"))
    path = shared.host_path(digest)
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755


def test_the_folder_a_store_is_put_into_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    LocalStore(tmp_path).put(io.BytesIO(b"data"))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o711


def test_an_open_blob_gives_a_descriptor_of_its_own(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    digest = store.put(io.BytesIO(b"abcdef")).digest
    with store.open(digest) as first, store.open(digest) as second:
        os.lseek(first.fileno(), 4, os.SEEK_SET)
        assert os.read(second.fileno(), 2) == b"ab"


def test_clearing_takes_unlocked_files_only(tmp_path: Path) -> None:
    (tmp_path / "dead").write_bytes(b"left over")
    (tmp_path / "folder").mkdir()
    live = StagedFile(tmp_path)
    with (tmp_path / "locked").open("wb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        assert clear_stale(tmp_path) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["folder", "locked", live.path.name])
    live.close()
    assert not live.path.exists()


def test_a_blob_deleted_each_time_it_is_kept_ends_with_an_error(tmp_path: Path) -> None:
    def never(staged: Path, target: Path) -> None:
        del staged, target
        raise FileExistsError

    with pytest.raises(StoreError):
        LocalStore(tmp_path, placements=(never,)).put(io.BytesIO(b"data"))
    with pytest.raises(BlobNotFound):
        LocalStore(tmp_path).size(Digest.of(b"data"))


def test_the_placements_are_tried_from_the_best_to_the_plainest() -> None:
    assert (by_hard_link, by_exclusive_rename, by_locked_rename) == PLACEMENTS
