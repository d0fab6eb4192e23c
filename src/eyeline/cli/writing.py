"""Files that the caller asked for: created, never replaced, and gone again when they could not be written whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.errors import EyelineError, InvalidRequest, StoreError

if TYPE_CHECKING:
    from eyeline.app.eyeline import Eyeline
    from eyeline.model.envelope import Opened


def write_new(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a new file. Raises `InvalidRequest` where one is, `StoreError` when the disk refuses."""
    try:
        target = path.open("xb")
    except FileExistsError as exc:
        raise InvalidRequest(f"{str(path)!r} is there already", hint="choose another name, or remove it") from exc
    except OSError as exc:
        raise _refused(path, exc) from exc
    try:
        with target:
            for chunk in chunks:
                target.write(chunk)
    except BaseException as exc:
        path.unlink(missing_ok=True)
        if isinstance(exc, OSError) and not isinstance(exc, EyelineError):
            raise _refused(path, exc) from exc
        raise


def write_over(path: Path, data: bytes) -> None:
    """Write a file in the place of the one that may be there, whole or not at all. Raises `StoreError`."""
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_bytes(data)
        staged.replace(path)
    except OSError as exc:
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)
        raise _refused(path, exc) from exc


def free_folder(path: Path, *, reserved: str) -> Path:
    """The path itself, if a folder that does not hold `reserved` is there or can be made; `InvalidRequest` if not."""
    if path.exists() and not path.is_dir():
        raise InvalidRequest(f"{str(path)!r} is not a folder")
    if (path / reserved).exists():
        raise InvalidRequest(f"{str(path)!r} holds an answer already", hint="choose another folder")
    return path


def make_folder(path: Path) -> None:
    """Make a folder unless it is there. Raises `StoreError` when the disk refuses."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise _refused(path, exc) from exc


@contextlib.contextmanager
def delivery(eye: Eyeline, opened: Opened) -> Generator[None]:
    """What is written inside is the delivery of an answer; when it breaks off, the audit log says so."""
    try:
        yield
    except BaseException as cause:
        eye.complete_delivery(opened, code=code_of(cause))
        raise


def code_of(cause: BaseException) -> str:
    """How the audit log names what ended a delivery."""
    if isinstance(cause, EyelineError):
        return cause.code
    if isinstance(cause, BrokenPipeError):
        return "output_closed"
    if isinstance(cause, KeyboardInterrupt):
        return "cancelled"
    return "output_failed" if isinstance(cause, OSError) else "unexpected"


def _refused(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{str(path)!r} cannot be written: {os.strerror(error.errno or 0)}")
