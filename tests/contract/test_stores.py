"""Every store of blobs keeps the same promises."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from eyeline.model.digest import Digest
from eyeline.store import BlobStore, LocalStore, MemoryStore
from eyeline.store.placing import by_exclusive_rename, by_locked_rename
from eyeline.testing.store_contract import BlobStoreContract


class FragileMemoryStore(MemoryStore):
    def damage(self, digest: Digest) -> None:
        self._blobs[digest] = b"x" + self._blobs[digest][1:]


class TestMemoryStore(BlobStoreContract):
    def make_store(self) -> BlobStore:
        return FragileMemoryStore()

    def damage(self, store: BlobStore, digest: Digest) -> None:
        assert isinstance(store, FragileMemoryStore)
        store.damage(digest)


class TestLocalStore(BlobStoreContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.root = tmp_path / "blobs"

    def make_store(self) -> BlobStore:
        return LocalStore(self.root)

    def damage(self, store: BlobStore, digest: Digest) -> None:
        path = store.host_path(digest)
        assert path is not None
        path.chmod(0o600)
        path.write_bytes(b"x" + path.read_bytes()[1:])


def no_hard_links(staged: Path, target: Path) -> None:
    del staged, target
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


class TestLocalStoreWithoutHardLinks(TestLocalStore):
    def make_store(self) -> BlobStore:
        return LocalStore(self.root, placements=(no_hard_links, by_exclusive_rename))


class TestLocalStoreOnAFilesystemThatCanOnlyRename(TestLocalStore):
    def make_store(self) -> BlobStore:
        return LocalStore(self.root, placements=(no_hard_links, by_locked_rename))
