"""Putting files into the tree so that a reader never sees half of anything.

Everything is made beside the tree's root in a staging folder and renamed into place. An original is placed by reflink,
else hard link, else copy: never a second copy where one is avoidable. A hard link shares its inode with the store.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from eyeline.errors import StoreError

_FICLONE = 0x40049409
_RACED = (errno.EEXIST, errno.ENOTEMPTY)


class Link(StrEnum):
    """How originals and assets are placed."""

    AUTO = "auto"
    REFLINK = "reflink"
    HARD = "hard"
    COPY = "copy"
    SYMLINK = "symlink"


@contextmanager
def staged_folder(staging: Path) -> Generator[Path]:
    """A private folder in the staging area; what is still in it at the end goes."""
    folder = staging / secrets.token_hex(8)
    folder.mkdir(mode=0o755, parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish_folder(staged: Path, target: Path) -> bool:
    """Rename a finished folder into place; False when another publisher was first. Its content is immutable."""
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        staged.rename(target)
    except OSError as exc:
        if exc.errno in _RACED:
            return False
        raise
    return True


def remove(path: Path, *, staging: Path) -> bool:
    """Remove a file, a link or a folder; a reader sees a folder whole or not at all. False where nothing was."""
    if not path.is_dir() or path.is_symlink():
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        return True
    staging.mkdir(mode=0o755, parents=True, exist_ok=True)
    going = staging / secrets.token_hex(8)
    path.rename(going)
    shutil.rmtree(going)
    return True


def write_text(path: Path, text: str, *, staging: Path) -> None:
    """Write a whole text file by rename, unless it holds this text already."""
    data = text.encode("utf-8")
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    staging.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    staged = staging / secrets.token_hex(8)
    staged.write_bytes(data)
    staged.chmod(0o444)
    staged.replace(path)


def point(path: Path, target: str, *, staging: Path) -> None:
    """Make `path` lead to `target` (relative to its own folder): a symbolic link, or a pointer file where none work."""
    with suppress(OSError):
        if str(path.readlink()) == target:
            return
    staging.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    staged = staging / secrets.token_hex(8)
    try:
        staged.symlink_to(target)
    except OSError:
        staged.write_text(target + "\n", encoding="utf-8")
    staged.replace(path)


def place(blob: BinaryIO, target: Path, *, host_path: Path | None, link: Link) -> Link:
    """Place one blob at a path that does not exist yet; says how it was done.

    `AUTO` takes the first way that the file system offers. A way that was asked for by name and is not offered raises
    `StoreError`.
    """
    ways = (Link.REFLINK, Link.HARD, Link.COPY) if link is Link.AUTO else (link,)
    for way in ways:
        try:
            _WAYS[way](blob, host_path, target)
        except OSError as exc:
            if way is ways[-1]:
                reason = os.strerror(exc.errno) if exc.errno else "not possible"
                raise StoreError(
                    f"cannot place a file by {way}: {reason}", hint="set tree.link to auto or copy"
                ) from exc
            target.unlink(missing_ok=True)
        else:
            return way
    raise StoreError("no way to place a file")


def _reflink(blob: BinaryIO, host_path: Path | None, target: Path) -> None:
    if host_path is None:
        raise OSError(errno.ENOTSUP, "no host path")
    with target.open("xb") as out:
        fcntl.ioctl(out.fileno(), _FICLONE, blob.fileno())
        os.fchmod(out.fileno(), 0o444)


def _hard(_blob: BinaryIO, host_path: Path | None, target: Path) -> None:
    if host_path is None:
        raise OSError(errno.ENOTSUP, "no host path")
    os.link(host_path, target)


def _symlink(_blob: BinaryIO, host_path: Path | None, target: Path) -> None:
    if host_path is None:
        raise OSError(errno.ENOTSUP, "no host path")
    target.symlink_to(host_path)


def _copy(blob: BinaryIO, _host_path: Path | None, target: Path) -> None:
    blob.seek(0)
    with target.open("xb") as out:
        shutil.copyfileobj(blob, out, 1 << 20)
        os.fchmod(out.fileno(), 0o444)


_WAYS = {Link.REFLINK: _reflink, Link.HARD: _hard, Link.COPY: _copy, Link.SYMLINK: _symlink}
