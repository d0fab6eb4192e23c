from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from eyeline.errors import IntegrityError
from eyeline.model.digest import Digest
from eyeline.source.verified import VerifiedBlobs
from eyeline.store import LocalStore, MemoryStore

DATA = bytes(range(256)) * 4000


class Counted(io.FileIO):
    """A blob's file that counts the bytes read from it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        Counted.taken += len(data)
        return data


class Counting:
    """A store whose blobs count what is read of them."""

    def __init__(self, store: LocalStore) -> None:
        self._store = store

    def open(self, digest: Digest, /) -> BinaryIO:
        path = self._store.host_path(digest)
        assert path is not None
        return cast("BinaryIO", Counted(path))

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        return self._store.read_range(digest, offset=offset, length=length)


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "blobs")


def damage(store: LocalStore, digest: Digest) -> None:
    path = store.host_path(digest)
    assert path is not None
    path.chmod(0o600)
    path.write_bytes(DATA[:-1] + b"?")


@pytest.mark.requirement("SA-12")
def test_what_was_changed_is_not_handed_out_even_if_it_was_whole_before(store: LocalStore) -> None:
    blobs, digest = VerifiedBlobs(store), store.put(io.BytesIO(DATA)).digest
    with blobs.open(digest) as blob:
        assert blob.read() == DATA
    assert blobs.read_range(digest, offset=1, length=3) == DATA[1:4]
    damage(store, digest)
    with pytest.raises(IntegrityError):
        blobs.open(digest)
    with pytest.raises(IntegrityError):
        blobs.read_range(digest, offset=1, length=3)


def test_a_file_that_stays_as_it_was_is_read_once_and_comes_at_its_first_byte(store: LocalStore) -> None:
    blobs, digest = VerifiedBlobs(Counting(store)), store.put(io.BytesIO(DATA)).digest
    Counted.taken = 0
    for _ in range(3):
        with blobs.open(digest) as blob:
            assert blob.tell() == 0
    assert Counted.taken == len(DATA)


def test_what_is_larger_than_the_bound_is_left_to_a_check(store: LocalStore) -> None:
    digest = store.put(io.BytesIO(DATA)).digest
    damage(store, digest)
    with VerifiedBlobs(store, max_bytes=len(DATA) - 1).open(digest) as blob:
        assert blob.read(4) == DATA[:4]
    with pytest.raises(IntegrityError):
        VerifiedBlobs(store, max_bytes=len(DATA)).open(digest)


def test_blobs_without_a_file_are_hashed_each_time() -> None:
    store = MemoryStore()
    digest = store.put(io.BytesIO(DATA)).digest
    blobs = VerifiedBlobs(store)
    for _ in range(2):
        with blobs.open(digest) as blob:
            assert blob.read() == DATA
