"""`upload`: a file of the base folder goes to a sink that the application gave."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

from eyeline.errors import InvalidRequest, LimitExceeded, PathRefused
from eyeline.media.sniffing import mismatch, sniff_file
from eyeline.model.carrying import Uploaded
from eyeline.model.display import shown
from eyeline.model.media_type import MediaType
from eyeline.source.path import FileBoundary, OpenedFile
from eyeline.source.stream import Spooled, spool
from eyeline.toolkit.cancel import CancelToken
from eyeline.toolkit.copying import Cancellable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Sink(Protocol):
    """Where files can be sent, given by the application; called in the thread of the call."""

    @property
    def name(self) -> str:
        """What a caller calls it."""
        ...

    def put(self, stream: BinaryIO, *, name: str, media_type: MediaType, byte_count: int) -> str:
        """Take a file and answer what it is called there; a model reads that.

        `stream` is seekable and has exactly `byte_count` bytes; reading it raises `Cancelled` once the caller wishes to
        stop. `name` is the file's own, without folders. What is raised here and is no error of `eyeline.errors` is an
        incident, and its text stays in the log.
        """
        ...


@dataclass(frozen=True, slots=True)
class UploadParts:
    """What uploading works with."""

    boundary: FileBoundary
    sinks: Sequence[Sink]
    max_bytes: int


@dataclass(frozen=True, slots=True)
class UploadCaller:
    """How an upload is stopped, and whom to tell how far it is (`done`, `total` in bytes, what)."""

    cancel: CancelToken
    progress: Callable[[float, float, str], None]


def upload(path: str, sink: str | None, *, parts: UploadParts, caller: UploadCaller) -> Uploaded:
    """Send a file; what is sent is what it was at one moment. Without a name, the only sink there is.

    Raises `InvalidRequest` for a sink that is not there, `PathRefused` and `AmbiguousName` for the path,
    `LimitExceeded`, `Cancelled`, and what the sink raises.
    """
    taking = _named(sink, parts.sinks)
    with parts.boundary.open_inside(path, repair=True, hidden=False) as opened:
        snapshot = _snapshot(opened, parts.max_bytes, caller)
    with snapshot:
        media_type = sniff_file(snapshot.file, name=opened.reference)
        sending = io.BufferedReader(_Sending(snapshot, opened.reference, caller), 1 << 20)
        reference = taking.put(
            sending,
            name=opened.reference.rpartition("/")[2],
            media_type=media_type,
            byte_count=snapshot.byte_count,
        )
    differs = mismatch(None, opened.reference, media_type)
    notes = (f"type_mismatch: {differs}",) if differs else ()
    return Uploaded(
        opened.reference,
        sink=taking.name,
        reference=reference,
        byte_count=snapshot.byte_count,
        media_type=media_type,
        digest=snapshot.digest,
        notes=(*(("name_repaired",) if opened.repaired else ()), *notes),
    )


def _snapshot(opened: OpenedFile, max_bytes: int, caller: UploadCaller) -> Spooled:
    """A private copy, so that type, digest and what the sink gets are those of the same bytes."""
    if opened.byte_count > max_bytes:
        raise LimitExceeded(
            f"{opened.reference!r} has {opened.byte_count} bytes, {max_bytes} are allowed",
            hint="whoever runs Eyeline can raise `max_read_bytes` in [view]",
            limit="view.max_read_bytes",
            allowed=max_bytes,
            asked=opened.byte_count,
        )
    snapshot = spool(Cancellable(opened.file, caller.cancel), max_bytes=max_bytes)
    if not opened.unchanged():
        snapshot.file.close()
        raise PathRefused(f"{opened.reference!r} changed while it was read", hint="call again once it is finished")
    return snapshot


class _Sending(io.RawIOBase):
    """The snapshot as the sink reads it: no writing, heard by the caller, ended by the caller's wish."""

    def __init__(self, snapshot: Spooled, name: str, caller: UploadCaller) -> None:
        self._snapshot = snapshot
        self._name = name
        self._caller = caller

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._snapshot.file.seek(offset, whence)

    def tell(self) -> int:
        return self._snapshot.file.tell()

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        self._caller.cancel.raise_if_cancelled()
        view = memoryview(buffer)
        piece = self._snapshot.file.read(len(view))
        view[: len(piece)] = piece
        self._caller.progress(self.tell(), self._snapshot.byte_count, self._name)
        return len(piece)


def _named(name: str | None, sinks: Sequence[Sink]) -> Sink:
    if name is None and len(sinks) == 1:
        return sinks[0]
    for sink in sinks:
        if sink.name == name:
            return sink
    names = [each.name for each in sinks]
    raise InvalidRequest(
        "there are several sinks" if name is None else f"there is no sink {shown(name)!r}",
        hint=f"sinks here: {', '.join(names) or 'none'}",
        sinks=names,
        field="sink",
    )
