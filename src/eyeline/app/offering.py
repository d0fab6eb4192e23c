"""From paths, URLs and streams to what `ingest` is offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from eyeline.errors import InvalidRequest, LimitExceeded, PathRefused, UrlRefused
from eyeline.model.display import shown
from eyeline.model.document import SourceKind
from eyeline.operations.attach import OfferedFile
from eyeline.operations.ingest import Incoming, Offered
from eyeline.source.path import Refused
from eyeline.source.stream import spool
from eyeline.source.url import UrlSource
from eyeline.source.url.target import Target, without_credentials
from eyeline.source.walk import Candidate, PassedOver, walk
from eyeline.toolkit.cancel import CancelToken

_URL = re.compile(r"\s*(?:https?:|[A-Za-z][A-Za-z0-9+.-]+:[/\\]{2})", re.IGNORECASE)
"""What no shell writes for a file. `./` before it makes it a path."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """How URLs are fetched: built when the first is met, each no larger than `max_bytes`."""

    urls: Callable[[], UrlSource]
    max_bytes: int

    def offered(self, url: str, *, ref: str | None) -> Offered:
        """What a URL leads to, under the URL as its canonical form has it. One that cannot be read fails as an item."""
        try:
            target = Target.parse(url)
        except UrlRefused as exc:
            return Offered(ref or without_credentials(url).partition("#")[0], _raising(exc), source_kind=SourceKind.URL)
        return Offered(
            ref or target.url,
            lambda cancel: self._fetched(url, cancel),
            source_kind=SourceKind.URL,
            title=(ref or target.leaf or target.host).rsplit("/", 1)[-1],
        )

    def _fetched(self, url: str, cancel: CancelToken) -> Incoming:
        with self.urls().open(url, cancel=cancel) as arriving:
            size = arriving.byte_count
            if size is not None and size > self.max_bytes:
                raise LimitExceeded(f"{size} bytes are over the limit of {self.max_bytes}")
            spooled = spool(arriving, max_bytes=self.max_bytes)
            return Incoming(spooled.file, name=arriving.leaf, declared=arriving.declared)


def _raising(refusal: UrlRefused) -> Callable[[CancelToken], Incoming]:
    def refused(_: CancelToken) -> Incoming:
        raise refusal

    return refused


def offered_paths(paths: Iterable[str | Path], *, ref: str | None, fetching: Fetching) -> Iterator[Offered]:
    """Every entry that files, folders, globs and URLs come to, in a stable order.

    A text that begins like a URL is one, a `Path` never. Raises `InvalidRequest` when a reference is given for anything
    but a single file or URL.
    """
    entries = _entries(paths, fetching)
    if ref is None:
        return (make(None) for make in entries)
    few = [make for _, make in zip(range(2), entries, strict=False)]
    if len(few) != 1:
        raise InvalidRequest("a reference names one file", hint="ingest that file alone", ref=ref)
    return iter([few[0](ref)])


def _entries(paths: Iterable[str | Path], fetching: Fetching) -> Iterator[Callable[[str | None], Offered]]:
    for path in paths:
        if isinstance(path, str) and _URL.match(path):
            yield lambda ref, url=path: fetching.offered(url, ref=ref)
        else:
            for entry in walk([path]):
                yield lambda ref, found=entry: _offered(found, ref)


@contextmanager
def offered_stream(stream: BinaryIO, name: str, *, max_bytes: int) -> Generator[Offered]:
    """A stream under a name, spooled so that it can be read again; `LimitExceeded` over the bound."""
    with spool(stream, max_bytes=max_bytes) as spooled:
        yield Offered(name, lambda _: Incoming(spooled.file), source_kind=SourceKind.UPLOAD)


def offered_files(paths: Iterable[str | Path]) -> Iterator[OfferedFile]:
    """Every file that files and globs come to. Raises `PathRefused` for one that is no regular file or not there.

    A folder is refused with `InvalidRequest`: what lies in it was not chosen one by one.
    """
    for path in paths:
        if Path(path).expanduser().is_dir():
            raise InvalidRequest(f"{shown(Path(path).name)!r} is a folder", hint="name the files in it")
        for entry in walk([path]):
            if isinstance(entry, Refused):
                raise PathRefused(f"{shown(entry.reference)}: {entry.message}", refusal=entry.reason.value)
            if isinstance(entry, Candidate):
                yield _file(entry)


def _file(candidate: Candidate) -> OfferedFile:
    return OfferedFile(candidate.reference, lambda: _opened(candidate))


def _offered(entry: Candidate | PassedOver | Refused, ref: str | None) -> Offered:
    if isinstance(entry, Refused):
        return Offered(without_credentials(entry.reference), None, refusal=entry.reason, message=entry.message)
    if isinstance(entry, PassedOver):
        return Offered(entry.reference, None, passed_over=entry.why.value)
    return Offered(ref or entry.reference, lambda _: Incoming(_opened(entry)), place=entry.place)


def _opened(candidate: Candidate) -> BinaryIO:
    opened = candidate.open()
    if isinstance(opened, Refused):
        raise PathRefused(opened.message, refusal=opened.reason.value)
    return opened.file
