"""Packed bodies: the same bytes whatever the pieces, and no end that is none."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import FetchFailed
from eyeline.source.url.decoding import MAX_FRUITLESS_BYTES, Unpacker, coding

BODY = bytes(range(256)) * 8 + bytes(50_000)


def _bare(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress(BODY)),
    "two members": ("x-gzip", gzip.compress(BODY[:900]) + gzip.compress(b"") + gzip.compress(BODY[900:])),
    "zlib": ("deflate", zlib.compress(BODY)),
    "bare": ("deflate", _bare(BODY)),
}


def cut(packed: bytes, size: int) -> Iterator[bytes]:
    return iter([packed[start : start + size] for start in range(0, len(packed), size)])


def unpacked(unpacker: Unpacker, size: int) -> bytes:
    pieces = list(iter(lambda: unpacker.read(size), b""))
    assert all(0 < len(piece) <= size for piece in pieces)
    return b"".join(pieces)


@pytest.mark.parametrize("kind", PACKED)
@given(piece=st.integers(1, 3000), size=st.integers(1, 60_000))
def test_the_size_of_pieces_and_reads_changes_nothing(kind: str, piece: int, size: int) -> None:
    name, packed = PACKED[kind]
    # a read of a few bytes each would take long without showing more
    assert unpacked(Unpacker(name, cut(packed, piece)), max(size, 50)) == BODY


@pytest.mark.parametrize("kind", PACKED)
@given(data=st.data())
def test_no_part_of_a_packed_body_looks_whole(kind: str, data: st.DataObject) -> None:
    name, packed = PACKED[kind]
    end = data.draw(st.integers(1, len(packed) - 1))
    try:
        whole = unpacked(Unpacker(name, cut(packed[:end], 700)), 10_000)
    except FetchFailed:
        return
    # where a member of a gzip ends, nothing says that another one follows
    assert kind == "two members"
    assert len(whole) in {900, 0}


@pytest.mark.parametrize("kind", ["gzip", "zlib", "bare"])
def test_bytes_after_the_end_are_no_part_of_a_body(kind: str) -> None:
    name, packed = PACKED[kind]
    with pytest.raises(FetchFailed):
        unpacked(Unpacker(name, cut(packed + b"and more", 700)), 10_000)


def test_packed_bytes_that_come_to_nothing_are_given_up() -> None:
    empty = gzip.compress(b"")
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += len(empty)
            yield empty

    with pytest.raises(FetchFailed):
        Unpacker("gzip", endless()).read(1000)
    assert taken <= MAX_FRUITLESS_BYTES + 2 * len(empty)


def test_nothing_packed_is_nothing() -> None:
    assert Unpacker("gzip", iter(())).read(10) == b""


@pytest.mark.parametrize(
    ("header", "name"),
    [("", None), ("identity", None), (" Identity , ", None), ("GZIP", "gzip"), ("identity, x-gzip", "x-gzip")],
)
def test_a_coding_is_read_from_its_header(header: str, name: str | None) -> None:
    assert coding(header) == name


@pytest.mark.parametrize("header", ["br", "zstd", "compress", "gzip, br", "deflate,deflate", "gzip;q=1", "\u202e"])
def test_any_other_coding_is_refused(header: str) -> None:
    with pytest.raises(FetchFailed):
        coding(header)
