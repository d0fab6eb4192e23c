"""`Objects`: where the bytes of attachments are kept, by the paths of `layout`; on a disk, or in memory for tests."""

from __future__ import annotations

import fcntl
import io
import stat
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from eyeline.errors import AttachmentNotFound
from eyeline.model.digest import Digest
from eyeline.model.media_type import MediaType
from eyeline.request.layout import STAGING, VERSION, digest_of
from eyeline.request.surveying import FoundObject, found_objects, survey_objects
from eyeline.store.base import StoreFlaw
from eyeline.store.failures import store_errors
from eyeline.store.keeping import KeptFiles, make_folder
from eyeline.store.placing import PLACEMENTS, Placement, open_folder, sync_folder
from eyeline.store.staging import StagedFile, clear_stale
from eyeline.toolkit.copying import Readable, copy_checked

FILE_MODE, FOLDER_MODE = 0o400, 0o700


class InMemory(io.BytesIO):
    """Bytes that the bounded child reads in ranges."""

    @property
    def size(self) -> int:
        """How many there are."""
        return self.getbuffer().nbytes

    def read_at(self, offset: int, length: int) -> bytes:
        """Bytes from an offset on."""
        return bytes(self.getbuffer()[offset : offset + length])


@dataclass(frozen=True, slots=True)
class HeldBytes:
    """Bytes that the engines take: their digest and size, what they are, and how to read them."""

    digest: Digest
    byte_count: int
    media_type: MediaType
    open: Callable[[], BinaryIO]


class Received(Protocol):
    """Bytes that came in and have no name yet. They are gone with the block they were received in."""

    @property
    def digest(self) -> Digest:
        """Their digest."""
        ...

    @property
    def byte_count(self) -> int:
        """How many they are."""
        ...

    def open(self) -> BinaryIO:
        """A file over them, at its first byte."""
        ...

    def settle(self) -> None:
        """Wait until they are on the medium."""
        ...

    def publish(self, path: PurePosixPath) -> bool:
        """Give them a name, atomically and for good; whether they were new. `IntegrityError` where others have it."""
        ...


class Objects(Protocol):
    """Keeps the bytes of attachments. Every method may be called from any thread; failures are `StoreError`."""

    def receive(self, stream: Readable, *, max_bytes: int | None = None) -> AbstractContextManager[Received]:
        """Take the rest of a stream in, bounded and hashed; nothing is kept until it is published."""
        ...

    def open(self, path: PurePosixPath, digest: Digest) -> BinaryIO:
        """What is kept at a path; `AttachmentNotFound`. The caller checks the digest."""
        ...

    def verify(self, path: PurePosixPath, digest: Digest) -> None:
        """Read it in full; `IntegrityError` unless it has its digest, `AttachmentNotFound`."""
        ...

    def byte_count(self, path: PurePosixPath) -> int | None:
        """How many bytes are kept at a path, whole or not; none where nothing is."""
        ...

    def exclusive(self) -> AbstractContextManager[object]:
        """Hold off everybody else who publishes or deletes, in this process and others."""
        ...

    def delete(self, path: PurePosixPath) -> bool:
        """Let an object go; false where there is none."""
        ...

    def list(self) -> Iterator[FoundObject]:
        """Every object, by its path."""
        ...

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """What is wrong beside the bytes of objects: modes, strangers, leftovers of dead writers."""
        ...

    def host_path(self, path: PurePosixPath) -> str | None:
        """The absolute path on this machine, or none where there are no files; not looked for."""
        ...


@dataclass(slots=True)
class _ReceivedFile:
    digest: Digest
    byte_count: int
    staged: StagedFile
    root: Path
    files: KeptFiles
    is_settled: bool = False

    def open(self) -> BinaryIO:
        with store_errors("read what came in"):
            return self.staged.path.open("rb")

    def settle(self) -> None:
        self.files.seal(self.staged)
        self.is_settled = True

    def publish(self, path: PurePosixPath) -> bool:
        target = self.root / path
        with store_errors("keep an attachment"):
            for folder in reversed([each for each in target.parents if self.root in each.parents][1:]):
                make_folder(folder, mode=FOLDER_MODE)
        return self.files.keep(self.staged, target, digest=self.digest, sealed=self.is_settled)


class LocalObjects:
    """`Objects` in a folder of this machine, whose files and folders are the owner's alone (0400 in 0700)."""

    def __init__(self, folder: Path, *, placements: Sequence[Placement] = PLACEMENTS) -> None:
        self._root = folder.expanduser().absolute()
        self._placements = placements
        self._files: KeptFiles | None = None

    def _kept(self) -> KeptFiles:
        """The files, with their folders made: on the first write, so that reading changes nothing."""
        if self._files is None:
            with store_errors("be opened"):
                version = self._root / VERSION
                self._root.parent.mkdir(parents=True, exist_ok=True)
                for folder in (self._root, version, version / STAGING):
                    make_folder(folder, mode=FOLDER_MODE)
                clear_stale(version / STAGING)
            self._files = self._reader()
        return self._files

    def _reader(self) -> KeptFiles:
        staging = self._root / VERSION / STAGING
        return KeptFiles(
            staging, FILE_MODE, FOLDER_MODE, self._placements, what="attachment", missing=AttachmentNotFound
        )

    @contextmanager
    def receive(self, stream: Readable, *, max_bytes: int | None = None) -> Generator[Received]:
        """Take the rest of a stream in."""
        files = self._kept()
        with files.staged() as staged:

            def write(piece: bytes) -> None:
                with store_errors("keep an attachment"):
                    staged.write(piece)

            digest, byte_count = copy_checked(stream, write, max_bytes=max_bytes)
            yield _ReceivedFile(digest, byte_count, staged, self._root, files)

    def open(self, path: PurePosixPath, digest: Digest) -> BinaryIO:
        """What is kept at a path."""
        return (self._files or self._reader()).open(self._root / path, digest)

    def verify(self, path: PurePosixPath, digest: Digest) -> None:
        """Read it in full."""
        (self._files or self._reader()).verify(self._root / path, digest)

    def byte_count(self, path: PurePosixPath) -> int | None:
        """How many bytes are kept at a path."""
        with store_errors("look up an attachment"):
            try:
                status = (self._root / path).lstat()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Hold a lock on the folder; it dies with its holder."""
        self._kept()
        with ExitStack() as stack:
            with store_errors("be locked"):
                folder = stack.enter_context(open_folder(self._root / VERSION))
                fcntl.flock(folder, fcntl.LOCK_EX)
            yield

    def delete(self, path: PurePosixPath) -> bool:
        """Let an object go, so that it stays gone after a crash, and the folder of a file with its last name."""
        place = self._root / path
        with store_errors("let an attachment go"):
            try:
                place.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return False
            sync_folder(place.parent)
            if place.parent.name == digest_of(path).hex:
                with suppress(OSError):
                    place.parent.rmdir()
        return True

    def list(self) -> Iterator[FoundObject]:
        """Every object; names that no object can have are passed over."""
        return found_objects(self._root)

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """Wrong modes, files that are no objects, what dead writers left."""
        return survey_objects(self._root, file_mode=FILE_MODE, folder_mode=FOLDER_MODE, mend=mend)

    def host_path(self, path: PurePosixPath) -> str | None:
        """The absolute path."""
        return str(self._root / path)
