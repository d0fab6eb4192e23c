"""The reader a job gets, over a descriptor."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from eyeline.media.bounded.reader import descriptor_reader


def test_a_reader_behaves_like_a_file_and_leaves_the_descriptor_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "source"
    path.write_bytes(bytes(range(100)))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        reader = descriptor_reader(descriptor, size=100)
        buffer = bytearray(10)
        assert reader.readinto(buffer) == 10
        assert bytes(buffer) == bytes(range(10))
        assert reader.seek(-5, io.SEEK_END) == 95
        assert reader.read(50) == bytes(range(95, 100))
        assert reader.read(1) == b""
        assert reader.seek(2) == 2
        assert reader.seek(3, io.SEEK_CUR) == reader.tell() == 5
        assert len(reader.readall()) == 95
        assert reader.seek(1000) == 1000
        assert reader.read() == b""
        with pytest.raises(ValueError, match="before"):
            reader.seek(-1)
        assert reader.fileno() == descriptor
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == 0
        assert io.BufferedReader(descriptor_reader(descriptor, size=100)).peek(4)[:4] == bytes(range(4))
    finally:
        os.close(descriptor)
