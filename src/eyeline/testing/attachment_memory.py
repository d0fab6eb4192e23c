"""`MemoryAttachmentStore`: attachments in this process, gone with it; the same promises, without paths."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO

from eyeline.catalog.attachments import reference_of
from eyeline.catalog.records import KeptObject, SavedAttachment
from eyeline.errors import AttachmentNotFound, IntegrityError
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.attachment import AttachmentEntry, AttachmentLimits, AttachmentRef, ImageRef
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits
from eyeline.request.attachments import AttachmentStore
from eyeline.request.objects import InMemory, Received
from eyeline.request.surveying import FoundObject
from eyeline.store.base import StoreFlaw
from eyeline.toolkit.copying import Readable, copy_checked


@dataclass(slots=True)
class _ReceivedBytes:
    digest: Digest
    byte_count: int
    data: bytes
    objects: MemoryObjects

    def open(self) -> BinaryIO:
        return InMemory(self.data)

    def settle(self) -> None:
        """Nothing: there is no medium."""

    def publish(self, path: PurePosixPath) -> bool:
        return self.objects.put(path, self.data, digest=self.digest)


class MemoryObjects:
    """`Objects` in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[PurePosixPath, tuple[bytes, int]] = {}
        self._lock = threading.RLock()

    @contextmanager
    def receive(self, stream: Readable, *, max_bytes: int | None = None) -> Generator[Received]:
        """Take the rest of a stream in."""
        held = bytearray()
        digest, byte_count = copy_checked(stream, held.extend, max_bytes=max_bytes)
        yield _ReceivedBytes(digest, byte_count, bytes(held), self)

    def put(self, path: PurePosixPath, data: bytes, *, digest: Digest) -> bool:
        """Keep bytes at a path; whether they are new."""
        with self._lock:
            if path in self.kept:
                self.verify(path, digest)
                return False
            self.kept[path] = (data, time.time_ns() // 1_000_000)
            return True

    def open(self, path: PurePosixPath, digest: Digest) -> BinaryIO:
        """What is kept at a path."""
        with self._lock:
            if path not in self.kept:
                raise AttachmentNotFound(f"there is no attachment {str(digest)!r}", digest=str(digest))
            return InMemory(self.kept[path][0])

    def verify(self, path: PurePosixPath, digest: Digest) -> None:
        """Read it in full."""
        with self.open(path, digest) as opened:
            if Digest.of(opened.read()) != digest:
                raise IntegrityError(f"attachment {str(digest)!r} is damaged", digest=str(digest))

    def byte_count(self, path: PurePosixPath) -> int | None:
        """How many bytes are kept at a path."""
        return len(self.kept[path][0]) if path in self.kept else None

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Hold off the other threads."""
        with self._lock:
            yield

    def delete(self, path: PurePosixPath) -> bool:
        """Let an object go."""
        with self._lock:
            return self.kept.pop(path, None) is not None

    def list(self) -> Iterator[FoundObject]:
        """Every object, by its path."""
        with self._lock:
            return iter([FoundObject(path, len(data), at) for path, (data, at) in sorted(self.kept.items())])

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """Nothing: there is no medium beside the bytes."""
        del mend
        return iter(())

    def host_path(self, path: PurePosixPath) -> str | None:
        """None: there are no files."""
        del path


@dataclass(slots=True)
class MemoryIndex:
    """The records of attachments in dictionaries; the caller holds the lock of the objects while it changes them."""

    saved: dict[Digest, tuple[SavedAttachment, int]] = field(default_factory=dict[Digest, tuple[SavedAttachment, int]])
    known_objects: dict[str, KeptObject] = field(default_factory=dict[str, KeptObject])
    holds: set[tuple[str, Digest]] = field(default_factory=set[tuple[str, Digest]])

    def save(self, saved: Sequence[SavedAttachment], *, now_ms: int, holder: str | None = None) -> None:
        """Record attachments."""
        if holder is not None:
            self.holds |= {(holder, reference_of(each.ref)) for each in saved}
        for each in saved:
            self.saved[reference_of(each.ref)] = (each, now_ms)
            for kept in (each.object, each.upload):
                self.known_objects.setdefault(kept.place, kept)

    def hold(self, holder: str, saved: Sequence[SavedAttachment], *, now_ms: int) -> None:
        """Somebody needs attachments."""
        self.save([each for each in saved if reference_of(each.ref) not in self.saved], now_ms=now_ms)
        self.holds |= {(holder, reference_of(each.ref)) for each in saved}

    def release(self, holder: str, refs: Sequence[AttachmentRef] | None) -> int:
        """Somebody needs them no more."""
        wanted = None if refs is None else {reference_of(ref) for ref in refs}
        gone = {(who, key) for who, key in self.holds if who == holder and (wanted is None or key in wanted)}
        self.holds -= gone
        return len(gone)

    def holders(self, ref: AttachmentRef) -> tuple[str, ...]:
        """Who needs an attachment."""
        return tuple(sorted(who for who, key in self.holds if key == reference_of(ref)))

    def entries(self) -> Iterator[AttachmentEntry]:
        """Every attachment, the latest last."""
        ordered = sorted(self.saved.items(), key=lambda item: (item[1][1], item[0]))
        return iter([AttachmentEntry(each.ref, at_ms, self.holders(each.ref)) for _, (each, at_ms) in ordered])

    def has(self, ref: AttachmentRef) -> bool:
        """Whether this reference is recorded."""
        return reference_of(ref) in self.saved

    def made_at(self, place: str) -> tuple[ImageRef, ...]:
        """The pictures whose object is at a place, made from an upload elsewhere."""
        made = {
            each.upload.place: each.ref
            for each, _ in self.saved.values()
            if each.object.place == place != each.upload.place and isinstance(each.ref, ImageRef)
        }
        return tuple(made[upload] for upload in sorted(made))

    def known(self, places: Iterable[str]) -> frozenset[str]:
        """Those of some places that an object is recorded for."""
        return frozenset(places) & self.known_objects.keys()

    def objects(self) -> Iterator[KeptObject]:
        """Every recorded object."""
        return iter([self.known_objects[place] for place in sorted(self.known_objects)])

    def keeps(self, digest: Digest) -> bool:
        """Whether an object with this digest is recorded."""
        return any(each.digest == digest for each in self.known_objects.values())

    def usage(self) -> tuple[int, int, int]:
        """Attachments, objects, and the bytes of the objects."""
        total = sum(each.byte_count for each in self.known_objects.values())
        return len(self.saved), len(self.known_objects), total

    def forget(self, ref: AttachmentRef) -> bool:
        """Remove the record of one that nobody holds."""
        return not self.holders(ref) and self.saved.pop(reference_of(ref), None) is not None

    def forget_unheld(self, *, before_ms: int) -> int:
        """Remove the records of those nobody holds, last saved before an instant."""
        held = {key for _, key in self.holds}
        old = [key for key, (_, at_ms) in self.saved.items() if at_ms < before_ms and key not in held]
        for key in old:
            del self.saved[key]
        return len(old)

    def unneeded(self) -> tuple[KeptObject, ...]:
        """Objects that no attachment needs."""
        needed = {place for each, _ in self.saved.values() for place in (each.object.place, each.upload.place)}
        return tuple(each for each in self.objects() if each.place not in needed)

    def forget_objects(self, places: Iterable[str]) -> None:
        """Remove the records of objects."""
        for place in places:
            self.known_objects.pop(place, None)


class MemoryAttachmentStore(AttachmentStore):
    """An `AttachmentStore` for tests and for callers that keep nothing."""

    def __init__(
        self,
        pool: BoundedPool,
        *,
        limits: AttachmentLimits | None = None,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.objects = MemoryObjects()
        super().__init__(
            self.objects,
            index=MemoryIndex(),
            pool=pool,
            limits=limits or AttachmentLimits(),
            decoding=Limits(),
            clock_ms=clock_ms,
        )
