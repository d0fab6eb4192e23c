"""What the parent opens for one job: the file params and outputs travel in, and the source as the child gets it."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from eyeline.errors import InvalidRequest
from eyeline.media.bounded.job import DescriptorSource, RangeSource, Readable

if TYPE_CHECKING:
    from types import TracebackType


class Exchange:
    """A file without a name, for one job."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        data = json.dumps(dict(params), separators=(",", ":")).encode()
        self.descriptor = _nameless_file()
        try:
            while data:
                data = data[os.write(self.descriptor, data) :]
        except BaseException:
            self.close()
            raise

    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self.descriptor).st_size

    def read(self, place: int, length: int) -> bytes:
        """Exactly these bytes, or fewer when the file ends before."""
        data = os.pread(self.descriptor, length, place)
        while len(data) < length and (more := os.pread(self.descriptor, length - len(data), place + len(data))):
            data += more
        return data

    def close(self) -> None:
        """Let the file go."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _nameless_file() -> int:
    if sys.platform == "linux":
        return os.memfd_create("eyeline-job", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A source on its way into a child: its size, how the parent reads it, and a descriptor where the child can."""

    size: int
    read_at: Callable[[int, int], bytes]
    descriptor: int | None = None

    def close(self) -> None:
        """Close the descriptor that was made for the child."""
        if self.descriptor is not None:
            os.close(self.descriptor)


def open_source(source: Readable) -> OpenedSource:
    """Make a source ready; `InvalidRequest` when it is neither a regular file nor read in ranges."""
    descriptor = _descriptor(source)
    if descriptor is None and isinstance(source, RangeSource):
        return OpenedSource(source.size, source.read_at)
    if descriptor is None:
        raise InvalidRequest("a source is an open regular file, or has `size` and `read_at`")
    size = os.fstat(descriptor).st_size
    return OpenedSource(size, lambda offset, length: os.pread(descriptor, length, offset), _reopen(descriptor))


def _descriptor(source: Readable) -> int | None:
    """The descriptor of a source that has one on a regular file."""
    if not isinstance(source, DescriptorSource):
        return None
    try:
        descriptor = source.fileno()
    except OSError:
        return None
    return descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def _reopen(descriptor: int) -> int | None:
    """The same file opened once more, read-only and with a position of its own; none where that cannot be had."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError):
        return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    return None
