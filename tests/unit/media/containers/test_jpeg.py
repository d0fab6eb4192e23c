"""The walk over a JPEG finds the end of a scan wherever it is and however it is filled up."""

from __future__ import annotations

import io

import pytest

from eyeline.media.containers.jpeg import scan_jpeg
from eyeline.media.containers.view import BLOCK, ByteView
from eyeline.media.sample_pictures import make_picture

WHOLE = make_picture("image/jpeg", width=16, height=16)
_SCAN = WHOLE.index(b"\xff\xda")
HEAD = WHOLE[: _SCAN + 2 + int.from_bytes(WHOLE[_SCAN + 2 : _SCAN + 4], "big")]


@pytest.mark.parametrize("fill", [b"", b"\xff", b"\xff\xff\xff"])
@pytest.mark.parametrize("length", [10, BLOCK - 3, BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1])
def test_an_end_marker_is_found_behind_fill_bytes_and_across_blocks(fill: bytes, length: int) -> None:
    scan = b"\x11\xff\x00\xff\xd3" + b"\x22" * (length - 5)
    facts = scan_jpeg(ByteView(io.BytesIO(HEAD + scan + fill + b"\xff\xd9")), full=True)
    assert (facts.ended, facts.notes, "trailing" in facts.held) == (True, [], False)


@pytest.mark.parametrize("scan", [b"\x11" * 50 + b"\xff\x00", b"\x11" * 50 + b"\xff\xd0", b"\xff" * 50 + b"\x00"])
def test_stuffed_bytes_and_restarts_end_no_scan(scan: bytes) -> None:
    facts = scan_jpeg(ByteView(io.BytesIO(HEAD + scan * 10)), full=True)
    assert (facts.ended, "no_end_marker" in facts.notes) == (False, True)
