"""Every store of attachments keeps the same promises."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from eyeline.catalog.catalog import Catalog
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.attachment import AttachmentLimits, AttachmentRef
from eyeline.model.limits import Limits
from eyeline.render.cache import PictureCache
from eyeline.request.attachments import AttachmentStore
from eyeline.request.layout import ref_path
from eyeline.request.objects import LocalObjects
from eyeline.request.variants import VariantFacts
from eyeline.store.placing import PLACEMENTS, Placement, by_exclusive_rename, by_locked_rename
from eyeline.testing.attachment_contract import AttachmentContract, Clock
from eyeline.testing.attachment_memory import MemoryAttachmentStore

pytestmark = pytest.mark.requirement("AT-01", "AT-02", "AT-10", "AT-18", "AT-19")


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool() as pool:
        yield pool


class TestMemoryAttachmentStore(AttachmentContract):
    @pytest.fixture(autouse=True)
    def parts(self, pool: BoundedPool) -> None:
        self.pool = pool

    def make_store(self, limits: AttachmentLimits, clock: Clock) -> AttachmentStore:
        return MemoryAttachmentStore(self.pool, limits=limits, clock_ms=clock)

    def damage(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        assert isinstance(store, MemoryAttachmentStore)
        data, at_ms = store.objects.kept[ref_path(ref)]
        store.objects.kept[ref_path(ref)] = (b"x" + data[1:], at_ms)

    def lose(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        assert isinstance(store, MemoryAttachmentStore)
        del store.objects.kept[ref_path(ref)]


class TestLocalAttachmentStore(AttachmentContract):
    placements: tuple[Placement, ...] = PLACEMENTS

    @pytest.fixture(autouse=True)
    def parts(self, pool: BoundedPool, tmp_path: Path) -> Iterator[None]:
        self.pool, self.home, self.open = pool, tmp_path, list[Catalog]()
        yield
        for catalog in self.open:
            catalog.close()

    def make_store(self, limits: AttachmentLimits, clock: Clock) -> AttachmentStore:
        home = self.home / str(len(self.open))
        home.mkdir()
        catalog = Catalog.open(home / "catalog.sqlite")
        self.open.append(catalog)
        index = catalog.attachments
        return AttachmentStore(
            LocalObjects(home / "attachments", placements=self.placements),
            index=index,
            pool=self.pool,
            limits=limits,
            decoding=Limits(),
            clock_ms=clock,
            cache=PictureCache(home / "cache", 1 << 20, keeps=index.keeps, facts=VariantFacts),
        )

    def damage(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        path = self.path_of(ref)
        path.chmod(0o600)
        path.write_bytes(b"x" + path.read_bytes()[1:])

    def lose(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        self.path_of(ref).unlink()

    def path_of(self, ref: AttachmentRef) -> Path:
        place: PurePosixPath = ref_path(ref)
        (found,) = [path for path in self.home.glob(f"*/attachments/{place}") if path.exists()]
        return found


def no_hard_links(staged: Path, target: Path) -> None:
    del staged, target
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.requirement("AT-04")
class TestLocalAttachmentStoreWithoutHardLinks(TestLocalAttachmentStore):
    placements = (no_hard_links, by_exclusive_rename)


@pytest.mark.requirement("AT-04")
class TestLocalAttachmentStoreOnAFilesystemThatCanOnlyRename(TestLocalAttachmentStore):
    placements = (no_hard_links, by_locked_rename)
