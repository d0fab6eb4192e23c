"""From paths and streams to what `ingest` is offered."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from eyeline.errors import InvalidRequest, PathRefused
from eyeline.model.document import SourceKind
from eyeline.operations.ingest import Offered
from eyeline.source.path import Refused
from eyeline.source.stream import spool
from eyeline.source.walk import Candidate, PassedOver, walk


def offered_paths(paths: Iterable[str | Path], *, ref: str | None) -> Iterator[Offered]:
    """Every entry that files, folders and globs come to, in a stable order.

    Raises `InvalidRequest` when a reference is given for anything but a single file.
    """
    entries = walk(paths)
    if ref is None:
        return (_offered(entry, None) for entry in entries)
    few = [entry for _, entry in zip(range(2), entries, strict=False)]
    if len(few) != 1:
        raise InvalidRequest("a reference names one file", hint="ingest that file alone", ref=ref)
    return iter([_offered(few[0], ref)])


@contextmanager
def offered_stream(stream: BinaryIO, name: str, *, max_bytes: int) -> Generator[Offered]:
    """A stream under a name, spooled so that it can be read again; `LimitExceeded` over the bound."""
    with spool(stream, max_bytes=max_bytes) as spooled:
        yield Offered(name, lambda: spooled.file, source_kind=SourceKind.UPLOAD)


def _offered(entry: Candidate | PassedOver | Refused, ref: str | None) -> Offered:
    if isinstance(entry, Refused):
        return Offered(entry.reference, None, refusal=entry.reason, message=entry.message)
    if isinstance(entry, PassedOver):
        return Offered(entry.reference, None, passed_over=entry.why.value)
    return Offered(ref or entry.reference, lambda: _opened(entry), place=entry.place)


def _opened(candidate: Candidate) -> BinaryIO:
    opened = candidate.open()
    if isinstance(opened, Refused):
        raise PathRefused(opened.message, refusal=opened.reason.value)
    return opened.file
