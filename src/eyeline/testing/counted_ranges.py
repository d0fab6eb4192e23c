"""A store whose originals are read in ranges, each of them counted: what a look into a large file really costs."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO, Self, cast
from unittest.mock import patch

from eyeline.model.digest import Digest
from eyeline.store.local import LocalStore


class CountedRanges:
    """A blob that is read in ranges; `counted` gets the length of each."""

    def __init__(self, blob: BinaryIO, counted: list[int]) -> None:
        self._blob, self._counted = blob, counted
        self.size = os.fstat(blob.fileno()).st_size

    def read_at(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset` on."""
        self._counted.append(length)
        return os.pread(self._blob.fileno(), length, offset)

    def close(self) -> None:
        """Close the blob."""
        self._blob.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def counted_ranges(original: Digest) -> Generator[list[int]]:
    """The length of each range that is read of one original, in whatever local store it lies, while this lasts."""
    counted, kept = list[int](), LocalStore.open

    def opened(store: LocalStore, digest: Digest, /) -> BinaryIO:
        blob = kept(store, digest)
        return cast("BinaryIO", CountedRanges(blob, counted)) if digest == original else blob

    with patch.object(LocalStore, "open", opened):
        yield counted
