"""Making a file inside a root: nothing is replaced, nothing half-made is ever seen, and nothing leads out.

What is written has no name until it is whole (Linux `O_TMPFILE`), or one with a dot in front where the filesystem
has no such files. All is done on open descriptors of folders that were found to be no links.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from eyeline.errors import PathRefused, PathTaken, StoreError
from eyeline.model.document import GateRefusal
from eyeline.source.descent import FOLDER_FLAGS, Descent, Stopped
from eyeline.source.reference import reference_of
from eyeline.toolkit.renaming import CANNOT, rename_exclusively

if TYPE_CHECKING:
    from collections.abc import Generator

NAMES_HINT = "give a path below the root, of names without a dot in front"

_UNNAMED = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = CANNOT | {errno.EISDIR, errno.ENOENT}
_NAMED_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
# What the umask of the process leaves of these; nothing that is written here can be run.
_FILE_MODE, _FOLDER_MODE = 0o666, 0o777
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_CHANGED = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENOENT})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file can be made: an open folder, and the names from there on that are not there, the file's own last."""

    folder: int
    missing: tuple[bytes, ...]
    reference: str


def new_place(way: Descent, asked: bytes) -> Place:
    """Where an asked path leads that is not there yet; `PathTaken` where it is, `Stopped` where nothing may be made."""
    with way:
        missing = tuple(way.approach(asked))
        if way.hidden or any(part.startswith(b".") for part in missing):
            raise Stopped(GateRefusal.OUTSIDE_ROOT, "names with a dot in front are not touched")
        reference = reference_of(b"/".join((*way.spelled, *missing)))
        if not missing:
            raise _taken(reference or ".")
        if asked.endswith(b"/"):
            raise Stopped(GateRefusal.NOT_REGULAR, "it has no name for the file")
        if any(reference_of(part).encode() != part for part in missing):
            raise Stopped(GateRefusal.UNREADABLE, "a new name holds no control characters and no backslash")
        return Place(os.dup(way.folder), missing, reference)


class NewFile:
    """A file that is being made. Leaving the block lets it go, without a trace unless it was published.

    `reference` is where it will be, spelled as on disk. `unnamed`: without a name until then, if the filesystem can.
    Failures are `StoreError` where the disk is at fault, `PathRefused` where writing is not allowed there.
    """

    def __init__(self, place: Place, *, unnamed: bool = True) -> None:
        self.reference = place.reference
        self._missing = place.missing
        self._held = ExitStack()
        self._held.callback(os.close, place.folder)
        self._folder = place.folder
        self._name: bytes | None = None
        try:
            with self._errors():
                self._file = self._begin(unnamed=unnamed)
        except BaseException:
            self._held.close()
            raise
        self._held.callback(self._drop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._held.close()

    def write(self, piece: bytes) -> None:
        """Append all of `piece`."""
        with self._errors():
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(self._file, rest) :]

    def read_range(self, *, offset: int, length: int) -> bytes:
        """What was written from `offset` on, at most `length` bytes."""
        with self._errors():
            return os.pread(self._file, length, offset)

    def publish(self) -> None:
        """Give the file its name, whole and on the medium; `PathTaken` where something came there meanwhile.

        Folders that are missing are made first, and taken away again when it fails.
        """
        made: list[tuple[int, bytes]] = []
        with self._errors(), ExitStack() as folders:
            os.fsync(self._file)
            folder = self._folder
            try:
                for part in self._missing[:-1]:
                    if _made(part, folder):
                        made.append((folder, part))
                    folder = os.open(part, FOLDER_FLAGS, dir_fd=folder)
                    folders.callback(os.close, folder)
                self._place(folder, self._missing[-1])
            except BaseException:
                for parent, part in reversed(made):
                    with suppress(OSError):
                        os.rmdir(part, dir_fd=parent)
                raise

    def _begin(self, *, unnamed: bool) -> int:
        if unnamed and _UNNAMED:
            with suppress(_NotHere):
                return self._unnamed()
        self._name = b".%s.part" % secrets.token_hex(16).encode()
        return os.open(self._name, _NAMED_FLAGS, _FILE_MODE, dir_fd=self._folder)

    def _unnamed(self) -> int:
        """A file without a name, where the filesystem has them and a name can be given later."""
        try:
            descriptor = os.open(b".", os.O_RDWR | _UNNAMED, _FILE_MODE, dir_fd=self._folder)
        except OSError as error:
            if error.errno in _NO_UNNAMED:
                raise _NotHere from error
            raise
        if not os.path.lexists(_by_descriptor(descriptor)):
            os.close(descriptor)
            raise _NotHere
        return descriptor

    def _place(self, folder: int, leaf: bytes) -> None:
        if self._name is None:
            # a link through /proc follows to the file itself, which then has one name: this
            os.link(_by_descriptor(self._file), leaf, dst_dir_fd=folder)
            return
        try:
            os.link(self._name, leaf, src_dir_fd=self._folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in CANNOT:
                raise
            rename_exclusively(self._name, leaf, source_folder=self._folder, target_folder=folder)

    def _drop(self) -> None:
        os.close(self._file)
        if self._name is not None:
            with suppress(OSError):
                os.unlink(self._name, dir_fd=self._folder)

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            yield
        except FileExistsError as error:
            raise _taken(self.reference) from error
        except OSError as error:
            number = error.errno or 0
            said = f"no file can be made at {self.reference!r}: {os.strerror(number)}"
            if number == errno.ENAMETOOLONG:
                raise PathRefused(said, hint="give a shorter name") from error
            if number in _FORBIDDEN:
                raise PathRefused(said, hint="choose another folder") from error
            if number in _CHANGED:
                raise PathRefused(f"no file can be made at {self.reference!r}: its folder changed meanwhile") from error
            raise StoreError(said, cause=errno.errorcode.get(number, "unknown")) from error


class _NotHere(Exception):
    """This filesystem has no files without a name, or gives them none later."""


def _made(part: bytes, folder: int) -> bool:
    """Whether a folder was made; one that came meanwhile is taken as it is."""
    try:
        os.mkdir(part, _FOLDER_MODE, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def _by_descriptor(descriptor: int) -> bytes:
    return b"/proc/self/fd/%d" % descriptor


def _taken(reference: str) -> PathTaken:
    return PathTaken(
        f"there is something at {reference!r} already", hint="choose another name; nothing is ever replaced"
    )
