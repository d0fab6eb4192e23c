"""What is let go is gone, also what somebody is just making of it, and what is read is read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pytest

from eyeline.errors import Cancelled
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_pictures import make_picture
from eyeline.model.attachment import AttachmentLimits, ImageTarget
from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, PNG, Limits
from eyeline.render.cache import PictureCache
from eyeline.request.attachments import AttachmentStore
from eyeline.request.objects import InMemory
from eyeline.request.variants import VariantFacts
from eyeline.testing.attachment_memory import MemoryAttachmentStore, MemoryIndex, MemoryObjects
from eyeline.toolkit.cancel import CancelToken

TARGET = ImageTarget(32, 32, 50_000, (PNG, JPEG))
KEY = Digest.of(b"key")


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool() as pool:
        yield pool


class SlowIndex(MemoryIndex):
    """Somebody who found the record just before it goes keeps a picture just after the cache was cleared."""

    cache: PictureCache[VariantFacts]

    def forget_objects(self, places: Iterable[str]) -> None:
        for place in places:
            digest = self.known_objects[place].digest
            self.cache.keep(digest, KEY, data=b"late", facts=VariantFacts(digest, Digest.of(b"late"), PNG, Size(4, 3)))
            super().forget_objects([place])


def test_what_is_made_of_an_attachment_while_it_is_let_go_goes_too(pool: BoundedPool, tmp_path: Path) -> None:
    index = SlowIndex()
    cache = PictureCache(tmp_path, 1 << 20, keeps=index.keeps, facts=VariantFacts)
    index.cache = cache
    store = AttachmentStore(
        MemoryObjects(),
        index=index,
        pool=pool,
        limits=AttachmentLimits(),
        decoding=Limits(),
        clock_ms=lambda: 0,
        cache=cache,
    )
    ref = store.save_image(make_picture("image/png", width=64, height=48))
    assert store.delete(ref)
    assert cache.find(ref.attachment_id, KEY) is None
    assert [*cache.contents()] == []


def test_the_bytes_that_were_verified_are_the_ones_that_are_decoded(
    pool: BoundedPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryAttachmentStore(pool)
    ref = store.save_image(make_picture("image/png", width=64, height=48))
    sent = store.request_image(ref, TARGET)
    other = make_picture("image/png", width=64, height=48, mode="L")
    reads = iter([store.read(ref), *[other] * 9])

    def swapped(path: PurePosixPath, digest: Digest) -> BinaryIO:
        del path, digest
        return InMemory(next(reads))

    monkeypatch.setattr(store.objects, "open", swapped)
    assert store.request_image(ref, TARGET) == sent


def test_a_cancelled_batch_makes_nothing(pool: BoundedPool) -> None:
    store, cancel = MemoryAttachmentStore(pool), CancelToken()
    ref = store.save_image(make_picture("image/png", width=64, height=48))
    cancel.cancel("enough")
    whole = ImageTarget(64, 48, 50_000, (PNG, JPEG))
    with pytest.raises(Cancelled):
        store.request_images([(ref, whole), (ref, TARGET)], cancel=cancel)
