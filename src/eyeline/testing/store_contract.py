"""What every `BlobStore` promises, as tests. A store's own test module subclasses `BlobStoreContract` and is done:

    class TestMyStore(BlobStoreContract):
        def make_store(self) -> BlobStore: ...
        def damage(self, store: BlobStore, digest: Digest) -> None: ...

Any runner that calls the methods named `test_*` on a fresh instance will do.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from eyeline.errors import EyelineError
from eyeline.model.digest import Digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.store.base import BlobStore

ABSENT = Digest.of(b"nobody keeps these bytes")


def code_of(call: Callable[[], object]) -> str:
    """The code of the `EyelineError` that a call raises; `none` when it raises nothing."""
    try:
        call()
    except EyelineError as error:
        return error.code
    return "none"


class Stream:
    """Bytes that come once, in the pieces a test wants; can fail at the end."""

    def __init__(self, *pieces: bytes, failure: Exception | None = None) -> None:
        self._pieces = list(pieces)
        self._failure = failure
        self.largest_asked = 0

    def read(self, size: int, /) -> bytes:
        """The next piece, cut to what is asked for."""
        self.largest_asked = max(self.largest_asked, size)
        if not self._pieces:
            if self._failure is not None:
                raise self._failure
            return b""
        piece = self._pieces.pop(0)
        if len(piece) > size:
            self._pieces.insert(0, piece[size:])
        return piece[:size]


class Numbers:
    """A long stream that is made while it is read, so that nobody has to hold it."""

    def __init__(self, byte_count: int) -> None:
        self.left = byte_count
        self.hashed = hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        piece = b"%016x" % self.left * (min(size, self.left) // 16 + 1)
        piece = piece[: min(size, self.left)]
        self.left -= len(piece)
        self.hashed.update(piece)
        return piece


class BlobStoreContract:
    """Subclass it, give it a store and a way to damage a blob in it."""

    def make_store(self) -> BlobStore:
        """A store to test, empty, or the same one opened again."""
        raise AssertionError("the subclass makes the store")

    def damage(self, store: BlobStore, digest: Digest) -> None:
        """Change a byte of a kept blob behind the store's back."""
        raise AssertionError("the subclass knows how")

    def test_a_blob_comes_back_byte_for_byte_under_its_digest(self) -> None:
        store, data = self.make_store(), bytes(range(256)) * 41
        stored = store.put(io.BytesIO(data))
        assert (stored.digest, stored.byte_count, stored.created) == (Digest.of(data), len(data), True)
        with store.open(stored.digest) as blob:
            assert blob.read() == data
        assert store.size(stored.digest) == len(data)

    def test_putting_the_same_bytes_again_is_one_blob(self) -> None:
        store = self.make_store()
        first, second = store.put(io.BytesIO(b"same")), store.put(Stream(b"sa", b"me"))
        assert (first.created, second.created) == (True, False)
        assert first.digest == second.digest
        assert list(store.list()) == [first.digest]

    def test_no_bytes_at_all_are_a_blob_too(self) -> None:
        store = self.make_store()
        stored = store.put(io.BytesIO())
        assert (stored.digest, stored.byte_count) == (Digest.of(b""), 0)
        assert store.read_range(stored.digest, offset=0, length=0) == b""
        store.verify(stored.digest)

    def test_a_put_takes_the_rest_of_a_stream_however_it_is_cut(self) -> None:
        store, stream = self.make_store(), io.BytesIO(b"skipped kept")
        stream.seek(8)
        assert store.put(stream).digest == Digest.of(b"kept")
        assert store.put(Stream(b"k", b"e", b"p", b"t")).created is False

    def test_a_long_stream_is_read_in_bounded_pieces(self) -> None:
        store, stream = self.make_store(), Stream(b"x" * 9_000_000)
        assert store.put(stream).byte_count == 9_000_000
        assert stream.largest_asked <= 4 << 20

    def test_a_stream_that_fails_leaves_nothing_and_its_own_error_passes(self) -> None:
        store, failure, passed = self.make_store(), ConnectionResetError("gone"), None
        try:
            store.put(Stream(b"half of it", failure=failure))
        except ConnectionResetError as error:
            passed = error
        assert passed is failure
        assert list(store.list()) == []

    def test_a_stream_with_nothing_yet_is_not_taken_for_its_end(self) -> None:
        class Waiting:
            def read(self, size: int, /) -> bytes | None:
                del size

        store = self.make_store()
        assert code_of(lambda: store.put(Waiting())) == "invalid_request"
        assert list(store.list()) == []

    def test_a_stream_that_is_not_what_was_promised_leaves_nothing(self) -> None:
        store = self.make_store()
        assert code_of(lambda: store.put(io.BytesIO(b"other"), expected=ABSENT)) == "integrity_error"
        assert code_of(lambda: store.put(io.BytesIO(b"short"), expected_bytes=6)) == "integrity_error"
        assert code_of(lambda: store.put(io.BytesIO(b"longer"), expected_bytes=5)) == "integrity_error"
        assert list(store.list()) == []
        assert store.put(io.BytesIO(b"kept"), expected=Digest.of(b"kept"), expected_bytes=4).created

    def test_a_bound_holds_while_the_stream_comes_in(self) -> None:
        store, endless = self.make_store(), Numbers(1 << 40)
        assert code_of(lambda: store.put(endless, max_bytes=3_000_000)) == "limit_exceeded"
        assert (1 << 40) - endless.left == 3_000_001
        assert code_of(lambda: store.put(Stream(), max_bytes=3, expected_bytes=4)) == "limit_exceeded"
        assert list(store.list()) == []
        assert store.put(io.BytesIO(b"four"), max_bytes=4).created
        assert store.put(io.BytesIO(), max_bytes=0).created

    def test_a_range_inside_is_exact_and_one_outside_is_refused(self) -> None:
        store = self.make_store()
        digest = store.put(io.BytesIO(b"0123456789")).digest
        assert store.read_range(digest, offset=3, length=4) == b"3456"
        assert store.read_range(digest, offset=10, length=0) == b""
        for offset, length in ((8, 3), (11, 0), (-1, 2), (0, -1), (1 << 70, 1)):
            outside = code_of(lambda at=offset, n=length: store.read_range(digest, offset=at, length=n))
            assert outside == "invalid_request"

    def test_each_open_has_a_position_of_its_own_and_cannot_write(self) -> None:
        store = self.make_store()
        digest = store.put(io.BytesIO(b"abcdef")).digest
        with store.open(digest) as first, store.open(digest) as second:
            first.seek(4)
            assert (second.read(2), first.read()) == (b"ab", b"ef")
            assert (first.seekable(), first.writable()) == (True, False)

    def test_what_is_not_there_is_not_found(self) -> None:
        store = self.make_store()
        for call in (store.open, store.size, store.verify, store.host_path):
            assert code_of(lambda ask=call: ask(ABSENT)) == "blob_not_found"
        assert code_of(lambda: store.read_range(ABSENT, offset=0, length=0)) == "blob_not_found"
        assert store.delete(ABSENT) is False

    def test_blobs_are_listed_in_the_order_of_their_digests(self) -> None:
        store = self.make_store()
        kept = {store.put(io.BytesIO(b"%d" % number)).digest for number in range(40)}
        assert list(store.list()) == sorted(kept)

    def test_a_deleted_blob_is_gone_stays_readable_where_it_is_open_and_can_come_back(self) -> None:
        store = self.make_store()
        digest = store.put(io.BytesIO(b"short life")).digest
        with store.open(digest) as blob:
            assert store.delete(digest) is True
            assert blob.read() == b"short life"
        assert (list(store.list()), store.delete(digest)) == ([], False)
        assert store.put(io.BytesIO(b"short life")).created

    def test_a_changed_byte_is_found(self) -> None:
        store = self.make_store()
        digest = store.put(io.BytesIO(b"sound" * 1000)).digest
        store.verify(digest)
        self.damage(store, digest)
        assert code_of(lambda: store.verify(digest)) == "integrity_error"

    def test_a_damaged_blob_is_said_when_its_bytes_come_again_and_not_written_over(self) -> None:
        store = self.make_store()
        digest = store.put(io.BytesIO(b"sound" * 1000)).digest
        self.damage(store, digest)
        assert code_of(lambda: store.put(io.BytesIO(b"sound" * 1000))) == "integrity_error"
        assert code_of(lambda: store.verify(digest)) == "integrity_error"

    def test_a_host_path_holds_the_blob_where_there_is_one(self) -> None:
        store = self.make_store()
        path = store.host_path(store.put(io.BytesIO(b"on a disk")).digest)
        assert path is None or (path.is_absolute() and path.read_bytes() == b"on a disk")

    def test_when_a_blob_was_kept_is_known_and_a_sound_store_has_no_flaws(self) -> None:
        store, before = self.make_store(), time.time_ns() // 1_000_000
        first = store.put(io.BytesIO(b"first")).digest
        # file systems keep time in steps of their clock
        assert before - 2_000 <= store.kept_ms(first) <= time.time_ns() // 1_000_000
        assert code_of(lambda: store.kept_ms(ABSENT)) == "blob_not_found"
        assert list(store.flaws(mend=False)) == []

    def test_many_threads_that_put_the_same_bytes_make_one_blob(self) -> None:
        store, data = self.make_store(), os.urandom(300_000)
        with ThreadPoolExecutor(8) as pool:
            stored = list(pool.map(store.put, map(io.BytesIO, [data] * 24)))
        assert sum(each.created for each in stored) == 1
        assert list(store.list()) == [Digest.of(data)]
        store.verify(Digest.of(data))

    def test_threads_that_put_and_delete_the_same_bytes_never_see_half_of_them(self) -> None:
        store, data = self.make_store(), os.urandom(100_000)

        def keep_and_look(number: int) -> str:
            digest = store.put(io.BytesIO(data)).digest
            if number % 3 == 0:
                store.delete(digest)
            return code_of(lambda: store.verify(digest))

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(keep_and_look, range(60))) <= {"none", "blob_not_found"}
