"""A stream that comes once (an upload, standard input), made a file that can be read again."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Self

from eyeline.errors import EyelineError, StoreError
from eyeline.model.digest import Digest
from eyeline.toolkit.copying import copy_checked

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from eyeline.toolkit.copying import Readable


@dataclass(frozen=True, slots=True)
class Spooled:
    """A stream in an unlinked temporary file: `file` is seekable and at its first byte. Leaving the block ends it."""

    file: BinaryIO
    digest: Digest
    byte_count: int

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()


def spool(
    stream: Readable,
    *,
    max_bytes: int | None = None,
    expected: Digest | None = None,
    expected_bytes: int | None = None,
    folder: Path | None = None,
) -> Spooled:
    """Copy the rest of a stream into a temporary file in `folder` (else where the system keeps them), hashed once.

    `LimitExceeded` over `max_bytes`, `IntegrityError` against what was promised, `StoreError` where the disk fails;
    nothing is left behind then.
    """
    file = _unnamed(folder)
    try:

        def write(piece: bytes) -> None:
            with _disk_errors():
                file.write(piece)

        digest, byte_count = copy_checked(
            stream, write, max_bytes=max_bytes, expected=expected, expected_bytes=expected_bytes
        )
        with _disk_errors():
            # also flushes, so that whoever gets the descriptor sees every byte
            file.seek(0)
    except BaseException:
        with suppress(OSError):
            # bytes that a full disk still owes are not wanted any more
            file.close()
        raise
    return Spooled(file, digest, byte_count)


def _unnamed(folder: Path | None) -> BinaryIO:
    with _disk_errors():
        return tempfile.TemporaryFile(dir=folder)


@contextmanager
def _disk_errors() -> Generator[None]:
    try:
        yield
    except EyelineError:
        raise
    except OSError as error:
        number = error.errno or 0
        what = "the disk is full" if number in {errno.ENOSPC, errno.EDQUOT} else os.strerror(number)
        raise StoreError(
            f"the temporary file cannot be written: {what}",
            hint="point TMPDIR at a folder with enough space",
            cause=errno.errorcode.get(number, "unknown"),
        ) from error
