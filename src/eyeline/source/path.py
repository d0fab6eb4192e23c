"""`FileBoundary`: files inside one root, and nothing else; what is checked is the descriptor that is read."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from eyeline.errors import ConfigError, PathRefused
from eyeline.model.document import GateRefusal
from eyeline.source.descent import Descent, Stopped
from eyeline.source.reference import reference_of
from eyeline.source.writing import NAMES_HINT, NewFile, new_place
from eyeline.toolkit.copying import reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refused:
    """A path that is not taken: its reference, the gate's reason, and a sentence that names no host path."""

    reference: str
    reason: GateRefusal
    message: str


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A regular file, open at its first byte; reading that fails raises `PathRefused`. Leaving the block closes it.

    `reference` is the asked path, spelled as on disk (`repaired` says that this differs from what was asked);
    `resolved` is the reference of the place it was found at, links followed. `hidden`: a name on the way, asked or
    followed to, starts with a dot. Size and time are those at opening.
    """

    file: BinaryIO
    byte_count: int
    reference: str
    resolved: str
    repaired: bool
    hidden: bool
    device: int
    inode: int
    modified_ns: int

    def unchanged(self) -> bool:
        """Whether size and modification time still are those at opening; ask after reading."""
        status = os.fstat(self.file.fileno())
        return (status.st_size, status.st_mtime_ns) == (self.byte_count, self.modified_ns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()


class Found(StrEnum):
    """What a path inside the boundary leads to, links followed."""

    FILE = "file"
    FOLDER = "folder"


class FileBoundary:
    """Opens regular files under `root`. Links are followed while they stay inside; the root itself may be a link.

    Paths are relative, in the system's spelling (a `str` with surrogate escapes, or bytes). Absolute paths, `..`, NUL,
    links that lead out, devices, FIFOs and sockets are refused; no open waits or has side effects.
    """

    def __init__(self, root: Path) -> None:
        given = os.fsencode(root.expanduser().absolute())
        self._root = os.path.realpath(given)
        self._aliases = (self._root, given)

    @classmethod
    def below(cls, base_dir: str | Path) -> Self:
        """The boundary of a base folder that somebody named; raises `ConfigError` where no folder is."""
        folder = Path(base_dir).expanduser().absolute()
        if not folder.is_dir():
            raise ConfigError("the base folder is no folder that can be read", hint="name a folder that is there")
        return cls(folder)

    @property
    def root(self) -> bytes:
        """The root's own host path, links followed; never to be shown."""
        return self._root

    @property
    def aliases(self) -> tuple[bytes, bytes]:
        """The host paths the root goes by: with links followed, and as it was given; never to be shown."""
        return self._aliases

    def open_inside(self, relative: str | bytes, *, repair: bool = False, hidden: bool = True) -> OpenedFile:
        """Open a file; `PathRefused` with one text for whatever is refused or missing.

        Unless `hidden`, that is also any file with a name on the way to it that begins with a dot.

        With `repair`, a name that is not there may stand for the one sibling whose reference it is, or that looks the
        same (Unicode forms, no-break spaces); several are `AmbiguousName` with the `candidates`.
        """
        found = self.look(relative, repair=repair)
        if isinstance(found, OpenedFile):
            if hidden or not found.hidden:
                return found
            found.file.close()
        raise PathRefused(f"no regular file {found.reference!r} can be read inside the root")

    def look(self, relative: str | bytes, *, repair: bool = False) -> OpenedFile | Refused:
        """Open a file, or say as a value why not."""
        return self._refusing(relative, lambda asked: self._open(asked, repair=repair))

    def create_inside(self, relative: str | bytes) -> NewFile:
        """Begin a file where nothing is yet; folders on the way that are missing come with it.

        `PathRefused` for a place outside, a name with a dot in front or one that cannot be written as text; `PathTaken`
        where something is; `AmbiguousName` for a folder that several look like.
        """
        place = self._refusing(relative, lambda asked: new_place(self._descent(repair=True), asked))
        if isinstance(place, Refused):
            raise PathRefused(f"no file can be made at {place.reference!r}: {place.message}", hint=NAMES_HINT)
        return NewFile(place)

    def find(self, relative: str | bytes) -> Found | Refused:
        """What a path leads to, without opening it."""
        return self._refusing(relative, self._find)

    def entries(self, relative: str | bytes) -> list[tuple[bytes, int]] | Refused:
        """Name and file type (`stat.S_IFMT`, links not followed) of all that is in a folder, sorted by name."""
        return self._refusing(relative, self._entries)

    def _descent(self, *, repair: bool = False) -> Descent:
        return Descent(self._root, aliases=self._aliases, repair=repair)

    def _open(self, asked: bytes, *, repair: bool) -> OpenedFile:
        with self._descent(repair=repair) as way:
            way.go(asked)
            descriptor = way.open_leaf()
            spelled, resolved, hidden = b"/".join(way.spelled), b"/".join(way.real), way.hidden
        status = os.fstat(descriptor)
        return OpenedFile(
            file=reading(descriptor, failure=_unreadable),
            byte_count=status.st_size,
            reference=reference_of(spelled),
            resolved=reference_of(resolved),
            repaired=spelled != b"/".join(part for part in asked.split(b"/") if part not in {b"", b"."}),
            hidden=hidden,
            device=status.st_dev,
            inode=status.st_ino,
            modified_ns=status.st_mtime_ns,
        )

    def _find(self, asked: bytes) -> Found:
        with self._descent() as way:
            way.go(asked)
            if way.leaf is None:
                return Found.FOLDER
            if not stat.S_ISREG(way.leaf_mode):
                raise Stopped(GateRefusal.NOT_REGULAR, "it is not a regular file")
            return Found.FILE

    def _entries(self, asked: bytes) -> list[tuple[bytes, int]]:
        with self._descent() as way:
            way.go(asked)
            if way.leaf is not None:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            return way.entries()

    def _refusing(self, relative: str | bytes, action: Callable[[bytes], T]) -> T | Refused:
        """Run an action on a checked path and make every "no" a value."""
        try:
            asked = relative if isinstance(relative, bytes) else relative.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            shown = relative if isinstance(relative, str) else ""
            return Refused(repr(shown), GateRefusal.UNREADABLE, "no name can hold these characters")
        reference = reference_of(asked)
        if b"\0" in asked:
            return Refused(reference, GateRefusal.UNREADABLE, "a name cannot hold a NUL")
        if asked.startswith(b"/") or b".." in asked.split(b"/"):
            return Refused(reference, GateRefusal.OUTSIDE_ROOT, "only paths below the root are taken")
        try:
            return action(asked)
        except Stopped as stopped:
            return Refused(reference, stopped.reason, stopped.message)
        except OSError as error:
            return _refused(reference, error)


def _refused(reference: str, error: OSError) -> Refused:
    if error.errno == errno.ENXIO:
        return Refused(reference, GateRefusal.NOT_REGULAR, "it is not a regular file")
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return Refused(reference, GateRefusal.UNREADABLE, "nothing is there")
    return Refused(reference, GateRefusal.UNREADABLE, f"it cannot be read: {os.strerror(error.errno or 0)}")


def _unreadable(error: OSError) -> PathRefused:
    return PathRefused(
        f"the file cannot be read further: {os.strerror(error.errno or 0)}",
        cause=errno.errorcode.get(error.errno or 0, "unknown"),
    )
