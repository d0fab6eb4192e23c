"""The disposable caches of pictures: size-bound, least recently used, safe to delete at any moment.

One folder per content, `v2/<2 hex>/<content hash>/`, and in it one file per picture: a JSON header line, then the
encoded bytes. The header holds the digest of the bytes; a damaged file counts as absent and is removed. Writers publish
by rename, so a reader sees whole files only. What another version of this layout left goes when the cache is opened:
nobody reads it any more, and it may show what was forgotten since.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Generic, Protocol, TypeVar

from eyeline.errors import EyelineError
from eyeline.model.digest import Digest
from eyeline.model.rendition import Rendition, RenditionFacts
from eyeline.wire import dumps, loads

_VERSION = "v2"
_SWEEP_SHARE = 16
_KEEP_SHARE = 0.8


class PictureFacts(Protocol):
    """What stands in the header of a cached picture."""

    @property
    def digest(self) -> Digest:
        """The digest of its bytes."""
        ...


F = TypeVar("F", bound=PictureFacts)


class PictureCache(Generic[F]):
    """Pictures by content and key in a folder of at most `max_bytes`, with facts of one kind.

    `keeps`: whether the content that a picture was made from is kept.
    """

    def __init__(self, folder: Path, max_bytes: int, *, keeps: Callable[[Digest], bool], facts: type[F]) -> None:
        self._facts = facts
        self._folder = folder / _VERSION
        self._max_bytes = max_bytes
        self.keeps = keeps
        self._written = 0
        self._lock = Lock()
        for other in folder.glob("v[0-9]*"):
            if other.name != _VERSION:
                shutil.rmtree(other, ignore_errors=True)

    def find(self, content: Digest, key: Digest) -> tuple[bytes, F] | None:
        """The picture made of a content for a key, or none; a hit counts as a use."""
        path = self._path(content, key)
        try:
            header, _, body = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        found = self._read(header, body)
        with suppress(OSError):
            path.unlink() if found is None else os.utime(path)
        return found

    def keep(self, content: Digest, key: Digest, *, data: bytes, facts: F) -> None:
        """Keep a picture. A full or read-only disk loses the entry and nothing else: the cache is disposable."""
        path = self._path(content, key)
        staged = path.with_name(f".{key.hex}.{secrets.token_hex(4)}")
        body = dumps(facts).encode() + b"\n" + data
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged.write_bytes(body)
            staged.replace(path)
        except OSError:
            with suppress(OSError):
                staged.unlink()
            return
        # looked at after writing: who forgets the original drops its renditions after the records are gone
        if not self.keeps(content):
            self.drop(content)
        self._count(len(body))

    def drop(self, content: Digest) -> None:
        """Drop the renditions of an original."""
        shutil.rmtree(self._of_content(content), ignore_errors=True)

    def contents(self) -> Iterator[Digest]:
        """The originals of which there are renditions, or were."""
        for path in sorted(self._folder.glob("??/*")):
            with suppress(EyelineError):
                yield Digest(path.name)

    def damaged(self, content: Digest) -> int:
        """How many renditions of an original are damaged."""
        found = 0
        for path in self._of_content(content).glob("[0-9a-f]*"):
            with suppress(OSError):
                header, _, body = path.read_bytes().partition(b"\n")
                found += path.suffix != ".lock" and self._read(header, body) is None
        return found

    @contextmanager
    def single_flight(self, content: Digest, key: Digest) -> Generator[None]:
        """Hold a key across threads and processes, so that one of them makes a rendition and the others find it."""
        path = self._path(content, key).with_suffix(".lock")
        handle = _locked(path)
        if handle is None:
            yield
            return
        with handle:
            try:
                yield
            finally:
                with suppress(OSError):
                    path.unlink()

    def _of_content(self, content: Digest) -> Path:
        return self._folder / content.hex[:2] / content.hex

    def _path(self, content: Digest, key: Digest) -> Path:
        return self._of_content(content) / key.hex

    def _files(self) -> list[Path]:
        return [path for path in self._folder.glob("??/*/*") if path.is_file()]

    def _count(self, byte_count: int) -> None:
        with self._lock:
            self._written += byte_count
            if self._written * _SWEEP_SHARE < self._max_bytes:
                return
            self._written = 0
        self._sweep()

    def _sweep(self) -> None:
        """Drop the least recently used until the folder is well inside its bound."""
        sized: list[tuple[float, int, Path]] = []
        for path in self._files():
            with suppress(OSError):
                status = path.stat()
                sized.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in sized)
        for _, size, path in sorted(sized):
            if total <= self._max_bytes * _KEEP_SHARE:
                return
            with suppress(OSError):
                path.unlink()
                total -= size

    def _read(self, header: bytes, body: bytes) -> tuple[bytes, F] | None:
        try:
            facts = loads(self._facts, header)
        except ValueError:
            return None
        return (body, facts) if Digest.of(body) == facts.digest else None


def _locked(path: Path) -> BinaryIO | None:
    """A locked file that has this name; none where there can be no lock, which costs making something twice.

    Whoever held it before removed the name: a file that was waited for until then is nobody's lock any more.
    """
    while True:
        handle = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = path.open("wb")
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle.fileno()), path.stat()):
                return handle
        except FileNotFoundError:
            pass
        except OSError:
            if handle is not None:
                handle.close()
            return None
        if handle is not None:
            handle.close()


class RenditionCache(PictureCache[RenditionFacts]):
    """Renditions by original and plan key."""

    def __init__(self, folder: Path, max_bytes: int, *, keeps: Callable[[Digest], bool]) -> None:
        super().__init__(folder, max_bytes, keeps=keeps, facts=RenditionFacts)

    def get(self, content: Digest, key: Digest) -> Rendition | None:
        """The rendition of an original made for a key, or none; a hit counts as a use."""
        found = self.find(content, key)
        return None if found is None else Rendition(*found)

    def put(self, content: Digest, key: Digest, *, rendition: Rendition) -> None:
        """Keep a rendition."""
        self.keep(content, key, data=rendition.bytes, facts=rendition.facts)
