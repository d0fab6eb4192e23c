"""`HeldSource`: a source on bytes that are held in memory."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import TYPE_CHECKING, BinaryIO

from eyeline.errors import InvalidRequest
from eyeline.model.digest import Digest
from eyeline.source.stream import spool

if TYPE_CHECKING:
    from eyeline.model.media_type import MediaType


class HeldSource:
    """A `Source` over bytes; small ones, for whoever held them already has them in memory."""

    def __init__(self, data: bytes, *, name: str, media_type: MediaType) -> None:
        self._data = data
        self._name = name
        self._media_type = media_type
        self._digest = Digest.of(data)

    @property
    def name(self) -> str:
        """The public reference."""
        return self._name

    @property
    def byte_count(self) -> int:
        """The size of the whole."""
        return len(self._data)

    @property
    def digest(self) -> Digest:
        """The digest of the whole."""
        return self._digest

    @property
    def media_type(self) -> MediaType:
        """What the bytes are."""
        return self._media_type

    @property
    def data(self) -> bytes:
        """The bytes themselves."""
        return self._data

    def open(self) -> BinaryIO:
        """A seekable file of its own at the first byte, with a descriptor, so that a child can be handed it."""
        file = _nameless_file()
        file.write(self._data)
        file.seek(0)
        return file

    def read_range(self, *, offset: int, length: int) -> bytes:
        """A range that lies inside; raises `InvalidRequest` for any other."""
        if offset < 0 or length < 0 or offset + length > len(self._data):
            raise InvalidRequest(
                f"bytes {offset} to {offset + length} of {len(self._data)}", hint="ask for a range that lies inside"
            )
        return self._data[offset : offset + length]

    def temporary_file(self, *, max_bytes: int) -> BinaryIO:
        """A private copy, held to the bound."""
        return spool(io.BytesIO(self._data), max_bytes=max_bytes, expected=self._digest).file


def _nameless_file() -> BinaryIO:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("eyeline-held", os.MFD_CLOEXEC), "w+b")
    return tempfile.TemporaryFile()
