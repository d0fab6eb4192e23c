"""`walk`: what files, folders and globs come to, one value for each entry, in a stable order, nothing left out."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.model.document import GateRefusal
from eyeline.source.path import FileBoundary, Found, OpenedFile, Refused
from eyeline.source.pattern import Pattern, has_magic
from eyeline.source.reference import reference_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Why(StrEnum):
    """Why an entry of a folder is passed over."""

    HIDDEN = "hidden"
    LINKED_FOLDER = "linked_folder"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An entry that is no candidate and no refusal.

    `hidden`: its name starts with a dot, and nobody asked for it by name. `linked_folder`: a link to a folder inside
    the root, whose files are met at their own place.
    """

    reference: str
    why: Why


@dataclass(frozen=True, slots=True)
class Candidate:
    """A regular file that is offered: `reference` is relative to the root it was found under."""

    boundary: FileBoundary
    path: bytes
    reference: str

    @property
    def place(self) -> str:
        """The host path, for the catalogue and never to be shown."""
        return os.fsdecode(self.boundary.root.rstrip(b"/") + b"/" + self.path)

    def open(self) -> OpenedFile | Refused:
        """Open it, checked on the descriptor; a value says why it cannot be."""
        opened = self.boundary.look(self.path)
        return Refused(self.reference, opened.reason, opened.message) if isinstance(opened, Refused) else opened


Entry = Candidate | PassedOver | Refused


def walk(paths: Iterable[str | Path]) -> Iterator[Entry]:
    """Every file that the paths stand for.

    A file is taken as it is named, a link followed, under the name it was given by. A folder is the root of all below
    it, walked in the order of its names; a link is followed while it stays inside. A path with `*`, `?` or `[` that is
    not there is a glob under the folder before its first pattern (`**` goes into folders); a folder it meets is taken
    whole. `~` is the home folder. What cannot be taken is `Refused`, and the walk goes on.
    """
    for path in paths:
        yield from _walk_one(Path(path))


def _walk_one(path: Path) -> Iterator[Entry]:
    if "\0" in str(path):
        yield Refused(_name(path), GateRefusal.UNREADABLE, "a name cannot hold a NUL")
        return
    path = _expanded(path).absolute()
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        yield from _walk_glob(path)
    except OSError as error:
        message = f"it cannot be read: {os.strerror(error.errno or 0)}"
        yield Refused(_name(path), GateRefusal.UNREADABLE, message)
    else:
        if stat.S_ISDIR(mode):
            yield from _walk_folder(FileBoundary(path))
        elif stat.S_ISREG(mode):
            real = path.resolve()
            yield Candidate(FileBoundary(real.parent), os.fsencode(real.name), _name(path))
        else:
            yield Refused(_name(path), GateRefusal.NOT_REGULAR, "it is not a regular file")


def _walk_glob(path: Path) -> Iterator[Entry]:
    first = next((number for number, part in enumerate(path.parts) if has_magic(part)), None)
    if first is None:
        yield Refused(_name(path), GateRefusal.UNREADABLE, "nothing is there")
        return
    parts = path.parts[first:]
    found = False
    for entry in _walk_folder(FileBoundary(Path(*path.parts[:first])), pattern=Pattern(parts)):
        found = True
        yield entry
    if not found:
        yield Refused(reference_of(os.fsencode("/".join(parts))), GateRefusal.UNREADABLE, "nothing matches")


def _walk_folder(boundary: FileBoundary, *, pattern: Pattern | None = None) -> Iterator[Entry]:
    """Depth first, each folder in the order of its names, without recursion however deep it is."""
    matcher = pattern or _EVERYTHING
    listed = boundary.entries(b"")
    if isinstance(listed, Refused):
        yield Refused(".", listed.reason, listed.message)
        return
    waiting = [(name, mode, matcher.start()) for name, mode in reversed(listed)]
    while waiting:
        path, mode, state = waiting.pop()
        name = os.fsdecode(path.rpartition(b"/")[2])
        below = matcher.step(state, name)
        if not below:
            continue
        if name.startswith(".") and not matcher.names(state, name):
            yield PassedOver(reference_of(path), Why.HIDDEN)
        elif stat.S_ISDIR(mode):
            inner = boundary.entries(path)
            if isinstance(inner, Refused):
                yield inner
                continue
            waiting.extend((path + b"/" + each, kind, below) for each, kind in reversed(inner))
        elif matcher.matched(below):
            yield _entry(boundary, path, mode)


def _entry(boundary: FileBoundary, path: bytes, mode: int) -> Entry:
    reference = reference_of(path)
    if stat.S_ISREG(mode):
        return Candidate(boundary, path, reference)
    if not stat.S_ISLNK(mode):
        return Refused(reference, GateRefusal.NOT_REGULAR, "it is not a regular file")
    found = boundary.find(path)
    if isinstance(found, Refused):
        return found
    return PassedOver(reference, Why.LINKED_FOLDER) if found is Found.FOLDER else Candidate(boundary, path, reference)


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        # `~somebody` of nobody known: an ordinary name
        return path


def _name(path: Path) -> str:
    return reference_of(os.fsencode(path.name))


_EVERYTHING = Pattern(())
