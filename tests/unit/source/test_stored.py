from __future__ import annotations

import io
from pathlib import Path

import pytest

from eyeline.errors import BlobNotFound, IntegrityError, InvalidRequest, LimitExceeded
from eyeline.model.digest import Digest
from eyeline.model.document import BlobRef
from eyeline.model.media_type import MediaType
from eyeline.source.base import Source
from eyeline.source.stored import MAX_RANGE_BYTES, StoredSource
from eyeline.store import LocalStore, MemoryStore
from eyeline.store.base import BlobStore

DATA = bytes(range(256)) * 40


@pytest.fixture(params=["memory", "local"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return MemoryStore() if request.param == "memory" else LocalStore(tmp_path / "blobs")


def source_in(store: BlobStore, *, folder: Path | None = None) -> Source:
    stored = store.put(io.BytesIO(DATA))
    content = BlobRef(stored.digest, stored.byte_count, MediaType("image/png"))
    return StoredSource(store, content, name="in/box.png", folder=folder)


@pytest.mark.requirement("SA-04")
def test_a_source_says_what_it_is_and_is_read_in_bounded_pieces(store: BlobStore) -> None:
    source = source_in(store)
    assert (source.name, source.byte_count) == ("in/box.png", len(DATA))
    assert (source.digest, str(source.media_type)) == (Digest.of(DATA), "image/png")
    with source.open() as first, source.open() as second:
        first.seek(1000)
        assert (first.read(24), second.read(3)) == (DATA[1000:1024], DATA[:3])


@pytest.mark.requirement("SA-04")
def test_a_range_is_exact_inside_and_refused_outside_or_when_it_is_too_long(store: BlobStore) -> None:
    source = source_in(store)
    assert source.read_range(offset=250, length=12) == DATA[250:262]
    with pytest.raises(InvalidRequest):
        source.read_range(offset=len(DATA) - 1, length=2)
    with pytest.raises(LimitExceeded):
        source.read_range(offset=0, length=MAX_RANGE_BYTES + 1)


@pytest.mark.requirement("SA-04")
def test_a_temporary_file_is_a_private_seekable_copy_without_a_name(store: BlobStore, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    with source_in(store, folder=folder).temporary_file(max_bytes=len(DATA)) as copy:
        assert list(folder.iterdir()) == []
        assert copy.read() == DATA
        copy.seek(-3, io.SEEK_END)
        assert copy.read() == DATA[-3:]


@pytest.mark.requirement("SA-04")
def test_a_temporary_file_is_refused_before_a_byte_is_copied_when_it_would_be_too_large(store: BlobStore) -> None:
    with pytest.raises(LimitExceeded) as caught:
        source_in(store).temporary_file(max_bytes=len(DATA) - 1)
    assert caught.value.detail["asked"] == len(DATA)


@pytest.mark.requirement("SA-04")
def test_a_temporary_file_of_a_damaged_original_is_never_handed_out(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    source = source_in(store)
    path = store.host_path(source.digest)
    assert path is not None
    path.chmod(0o600)
    for damaged in (b"x" + DATA[1:], DATA[:-1], DATA + b"x"):
        path.write_bytes(damaged)
        with pytest.raises(IntegrityError):
            source.temporary_file(max_bytes=1 << 20)


def test_a_source_whose_blob_is_gone_says_so(store: BlobStore) -> None:
    source = source_in(store)
    store.delete(source.digest)
    for call in (source.open, lambda: source.temporary_file(max_bytes=1 << 20)):
        with pytest.raises(BlobNotFound):
            call()
