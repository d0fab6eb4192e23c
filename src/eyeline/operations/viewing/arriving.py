"""How the items of a batch arrive: which door a text means, and what is told before the first byte."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Self

from eyeline.errors import PathRefused
from eyeline.media.sniffing import extension_of
from eyeline.model.display import shown
from eyeline.model.viewing import ViewCode, ViewLimits, ViewStatus
from eyeline.source.base import Arriving, Urls
from eyeline.source.path import FileBoundary, OpenedFile
from eyeline.source.url.target import without_credentials
from eyeline.toolkit.cancel import CancelToken

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""At least two letters, so that a drive letter is none."""
_WITHOUT_SLASHES = ("http", "https", "data", "file", "blob", "javascript", "mailto", "about", "urn", "cid")


@dataclass(frozen=True, slots=True)
class Left:
    """An item of which nothing was read, or nothing is kept: what became of it and why."""

    status: ViewStatus
    code: str
    message: str
    hint: str | None = None
    retryable: bool = False


@dataclass(slots=True)
class ArrivingFile:
    """A local file on its way in, as large as it was at opening.

    `leaf` is the last part of its name as it was asked for, `target` of the name it was found under, links followed.
    """

    opened: OpenedFile
    name: str
    leaf: str
    target: str
    declared: str | None = None
    notes: tuple[str, ...] = field(default=())
    _came: int = field(default=0)

    @property
    def byte_count(self) -> int:
        """The size at opening."""
        return self.opened.byte_count

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at what was the end, for a file that grows may have no other."""
        piece = self.opened.file.read(min(size, self.opened.byte_count - self._came))
        self._came += len(piece)
        return piece

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.opened.file.close()


@dataclass(frozen=True, slots=True)
class Doors:
    """The two ways in, each there or not."""

    view: ViewLimits
    boundary: FileBoundary | None
    urls: Urls | None

    def open(self, asked: str, *, cancel: CancelToken) -> Arriving | Left:
        """Open what a text means, or say why it is not taken.

        Raises `PathRefused`, `AmbiguousName`, and what a URL comes to.
        """
        if is_url(asked):
            if self.urls is None:
                return Left(ViewStatus.SKIPPED, ViewCode.NO_URLS, "URLs are off here", hint=_NO_URLS)
            return self.urls.open(asked, cancel=cancel)
        if self.boundary is None:
            return Left(ViewStatus.SKIPPED, ViewCode.NO_BASE_DIR, "local files are off here", hint=_NO_BASE_DIR)
        return self._file(self.boundary, asked)

    def _file(self, boundary: FileBoundary, asked: str) -> Arriving | Left:
        path = _below(boundary, asked)
        if any(part.startswith(".") and part not in {".", ".."} for part in path.split("/")):
            return _HIDDEN
        if ".." not in path.split("/") and not self._is_listed(path):
            return _unlisted(path)
        opened = boundary.open_inside(path, repair=True)
        if opened.hidden:
            opened.file.close()
            return _HIDDEN
        if not self._is_listed(opened.resolved):
            opened.file.close()
            return _ELSEWHERE
        leaf, target = (name.rpartition("/")[2] for name in (opened.reference, opened.resolved))
        notes = ("name_repaired",) if opened.repaired else ()
        return ArrivingFile(opened, name=shown(opened.reference), leaf=leaf, target=target, notes=notes)

    def _is_listed(self, name: str) -> bool:
        return extension_of(name) in (*self.view.media_extensions, *self.view.text_extensions)


_NO_URLS = "they are on with --allow-urls, or allow_urls in Python"
_NO_BASE_DIR = "they are on with --base-dir FOLDER, or base_dir in Python"
_HIDDEN = Left(ViewStatus.SKIPPED, ViewCode.HIDDEN, "names that begin with a dot are never taken")
_LISTS = "the setting view.media_extensions or view.text_extensions lists what is taken"
_ELSEWHERE = Left(
    ViewStatus.SKIPPED, ViewCode.NOT_LISTED, "it leads to a file of another name, which is not taken here", hint=_LISTS
)


def _unlisted(path: str) -> Left:
    extension = extension_of(path)
    what = f"files named .{extension}" if extension else "files without an extension"
    return Left(ViewStatus.SKIPPED, ViewCode.NOT_LISTED, f"{what} are not taken here", hint=_LISTS)


def is_url(asked: str) -> bool:
    """Whether a text means a URL rather than a file; a colon alone makes none."""
    found = _SCHEME.match(asked.lstrip())
    if found is None:
        return False
    rest = asked.lstrip()[found.end() :]
    return rest.startswith("//") or found[0][:-1].lower() in _WITHOUT_SLASHES


def _below(boundary: FileBoundary, asked: str) -> str:
    """A path below the root; an absolute one is taken where it names a place below the root as the root is spelled."""
    if not asked.startswith("/"):
        return asked
    for alias in boundary.aliases:
        inside = os.fsdecode(alias).rstrip("/") + "/"
        if asked.startswith(inside):
            return asked[len(inside) :].lstrip("/")
    raise PathRefused(
        f"no regular file {shown(without_credentials(asked))!r} can be read inside the root",
        hint="name it relative to the base folder",
    )
