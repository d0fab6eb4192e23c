"""Going down from a root, one folder at a time on open descriptors, so that no link and no rename leads out of it.

Links are read and followed here, never by the kernel: a link that stays inside is followed, one that leaves is refused.
`..` is taken only from links, and only against folders that were found to be no links themselves.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from typing import TYPE_CHECKING, Self

from eyeline.errors import AmbiguousName, InvalidRequest
from eyeline.model.document import GateRefusal
from eyeline.source.reference import path_of, reference_of

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_MAX_LINKS = 40
_MAX_LISTED = 20


class Stopped(Exception):
    """Why a descent ended before its goal; never leaves this package."""

    def __init__(self, reason: GateRefusal, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Descent:
    """One way down. After `go`, `folder` is a descriptor of the folder that holds `leaf`, or of the goal itself.

    `spelled` is the asked path with its names as they are on disk; `real` is where the way ended, links followed.
    `hidden` is whether a name on the way, asked or followed to, starts with a dot.
    """

    def __init__(self, root: bytes, *, aliases: Iterable[bytes], repair: bool) -> None:
        self._root = root
        self._aliases = [_parts(alias) for alias in aliases]
        self._repair = repair
        self._links = 0
        self.spelled: list[bytes] = []
        self.real: list[bytes] = []
        self.leaf: bytes | None = None
        self.leaf_mode = 0
        self.hidden = False
        self.folder = os.open(root, FOLDER_FLAGS & ~os.O_NOFOLLOW)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self.folder)

    def go(self, asked: bytes) -> None:
        """Go all the way; `Stopped` where it leads out, in a circle or nowhere, `OSError` where the system says no."""
        if self.approach(asked):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def approach(self, asked: bytes) -> list[bytes]:
        """Go as far as there is something; the asked parts that are not there. Raises as `go` does."""
        waiting = [(part, True) for part in reversed(_parts(asked))]
        while waiting:
            part, is_asked = waiting.pop()
            if part == b"..":
                waiting.extend(self._up())
                continue
            found = self._look_at(part, is_asked=is_asked)
            if found is None:
                return [part, *(each for each, _ in reversed(waiting))]
            part, mode = found
            self.hidden = self.hidden or part.startswith(b".")
            if is_asked:
                self.spelled.append(part)
            if stat.S_ISLNK(mode):
                waiting.extend(self._link(part))
            elif stat.S_ISDIR(mode):
                self._enter(os.open(part, FOLDER_FLAGS, dir_fd=self.folder))
                self.real.append(part)
            elif waiting:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            else:
                self.leaf, self.leaf_mode = part, mode
                self.real.append(part)
        return []

    def open_leaf(self) -> int:
        """A descriptor of the regular file the way ended at; nothing else is opened, and no open waits."""
        if self.leaf is None or not stat.S_ISREG(self.leaf_mode):
            raise Stopped(GateRefusal.NOT_REGULAR, "it is not a regular file")
        descriptor = os.open(self.leaf, _FILE_FLAGS, dir_fd=self.folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise Stopped(GateRefusal.NOT_REGULAR, "it is not a regular file")
        os.set_blocking(descriptor, True)
        return descriptor

    def entries(self) -> list[tuple[bytes, int]]:
        """Name and file type (`stat.S_IFMT`, links not followed) of all that is in the folder, sorted by name."""
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self.folder)
        try:
            with os.scandir(descriptor) as found:
                return sorted((os.fsencode(entry.name), _type_of(entry)) for entry in found)
        finally:
            os.close(descriptor)

    def _enter(self, folder: int) -> None:
        os.close(self.folder)
        self.folder = folder

    def _look_at(self, part: bytes, *, is_asked: bool) -> tuple[bytes, int] | None:
        """The name as it is on disk and its mode; none for an asked part that is not there."""
        try:
            return part, self._mode_of(part)
        except FileNotFoundError:
            if not is_asked:
                # a link that leads nowhere
                raise
        sibling = self._sibling(part) if self._repair else None
        return None if sibling is None else (sibling, self._mode_of(sibling))

    def _mode_of(self, name: bytes) -> int:
        return os.stat(name, dir_fd=self.folder, follow_symlinks=False).st_mode

    def _up(self) -> list[tuple[bytes, bool]]:
        if not self.real:
            raise Stopped(GateRefusal.OUTSIDE_ROOT, "a link leads out of the root")
        return self._again(self.real[:-1])

    def _link(self, part: bytes) -> list[tuple[bytes, bool]]:
        self._links += 1
        if self._links > _MAX_LINKS:
            raise Stopped(GateRefusal.UNREADABLE, "links lead in a circle")
        target = os.readlink(part, dir_fd=self.folder)
        parts = _parts(target)
        if not target.startswith(b"/"):
            return [(each, False) for each in reversed(parts)]
        for alias in self._aliases:
            if parts[: len(alias)] == alias:
                return self._again(parts[len(alias) :])
        raise Stopped(GateRefusal.OUTSIDE_ROOT, "a link leads out of the root")

    def _again(self, parts: list[bytes]) -> list[tuple[bytes, bool]]:
        """Start over at the root, with these parts to go first."""
        self._enter(os.open(self._root, FOLDER_FLAGS & ~os.O_NOFOLLOW))
        self.real.clear()
        return [(each, False) for each in reversed(parts)]

    def _sibling(self, part: bytes) -> bytes | None:
        """The one name in this folder that is spelled so, or that looks the same.

        Names look the same that are equal after NFKC, with every space a plain one.
        """
        names = [name for name, _ in self.entries()]
        spelled = _spelled(part)
        if spelled in names:
            return spelled
        wanted = _folded(part)
        alike = [name for name in names if _folded(name) == wanted]
        if len(alike) > 1:
            listed = [reference_of(name) for name in alike[:_MAX_LISTED]]
            raise AmbiguousName(
                f"{reference_of(part)!r} is not there, and {len(alike)} names look like it",
                hint="write one of them exactly",
                candidates=listed,
            )
        return alike[0] if alike else None


def _parts(path: bytes) -> list[bytes]:
    return [part for part in path.split(b"/") if part not in {b"", b"."}]


def _spelled(part: bytes) -> bytes | None:
    """The name whose reference this is, as answers spell names that cannot stand in a text."""
    try:
        return path_of(part.decode("utf-8"))
    except (InvalidRequest, UnicodeDecodeError):
        return None


def _folded(name: bytes) -> str:
    text = unicodedata.normalize("NFKC", name.decode("utf-8", "surrogateescape"))
    return "".join(" " if unicodedata.category(each) == "Zs" else each for each in text)


def _type_of(entry: os.DirEntry[str]) -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFREG if entry.is_file(follow_symlinks=False) else stat.S_IFIFO
