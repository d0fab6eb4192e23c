from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from eyeline.errors import IntegrityError, LimitExceeded, StoreError
from eyeline.model.digest import Digest
from eyeline.source.stream import spool
from eyeline.testing.store_contract import Numbers, Stream


def test_a_stream_that_comes_once_becomes_a_file_that_can_be_read_again(tmp_path: Path) -> None:
    with spool(Stream(b"up", b"load"), folder=tmp_path) as spooled:
        assert (spooled.digest, spooled.byte_count) == (Digest.of(b"upload"), 6)
        assert [spooled.file.read(), spooled.file.seek(2), spooled.file.read()] == [b"upload", 2, b"load"]
        assert os.pread(spooled.file.fileno(), 6, 0) == b"upload"
        assert list(tmp_path.iterdir()) == []
    assert spooled.file.closed


def test_a_stream_is_held_to_its_bound_and_to_what_was_promised(tmp_path: Path) -> None:
    endless = Numbers(1 << 40)
    with pytest.raises(LimitExceeded) as caught:
        spool(endless, max_bytes=2_000_000, folder=tmp_path)
    assert caught.value.detail == {"limit": "max_bytes", "allowed": 2_000_000, "asked": 2_000_001}
    assert (1 << 40) - endless.left == 2_000_001
    with pytest.raises(IntegrityError):
        spool(io.BytesIO(b"data"), expected=Digest.of(b"other"), folder=tmp_path)
    with pytest.raises(IntegrityError):
        spool(io.BytesIO(b"data"), expected_bytes=5, folder=tmp_path)


def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        spool(io.BytesIO(b"data"), folder=tmp_path / "gone")
    assert caught.value.detail == {"cause": "ENOENT"}
    assert str(tmp_path) not in str(caught.value)
