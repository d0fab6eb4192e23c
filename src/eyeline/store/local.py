"""`LocalStore`: blobs as read-only files under `v1/sha256/`, as docs/format.md describes them."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Literal

from eyeline.errors import BlobNotFound, IntegrityError, StoreError
from eyeline.model.digest import Digest
from eyeline.store.base import Stored, check_range
from eyeline.store.failures import store_error, store_errors
from eyeline.store.placing import PLACEMENTS, place, sync_folder
from eyeline.store.staging import StagedFile, clear_stale
from eyeline.store.surveying import BLOB_NAME, FOLDER_NAME, survey
from eyeline.toolkit.copying import copy_checked, reading

if TYPE_CHECKING:
    import re
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from eyeline.store.base import StoreFlaw
    from eyeline.store.placing import Placement
    from eyeline.toolkit.copying import Readable

Share = Literal["owner", "group", "everyone"]

_MODES: dict[Share, tuple[int, int]] = {
    "owner": (0o400, 0o700),
    "group": (0o440, 0o750),
    "everyone": (0o444, 0o755),
}
_STAGING_MODE = 0o700
_PLACING_TRIES = 16


class LocalStore:
    """A `BlobStore` on a filesystem of this machine.

    `root` is the folder that holds `v1/`; it is made where it is missing, and left as it is where it is not. `share`
    says who may read besides the owner: it sets the modes of files (0400, 0440, 0444) and of the folders from `v1`
    down (0700, 0750, 0755), also of a blob that is put again.
    Opening clears what writers left that are dead. `placements` are tried in order; they are for filesystems
    that lack hard links.
    """

    def __init__(self, root: Path, *, share: Share = "owner", placements: Sequence[Placement] = PLACEMENTS) -> None:
        self._file_mode, self._folder_mode = _MODES[share]
        self._placements = placements
        with store_errors("be opened"):
            self._root = root.expanduser().absolute()
            self._blobs = self._root / "v1" / "sha256"
            self._staging = self._root / "v1" / "staging"
            missing = [folder for folder in (self._root, *self._root.parents) if not folder.exists()]
            for folder in (*reversed(missing), self._blobs.parent, self._blobs):
                _make_folder(folder, mode=self._folder_mode)
            _make_folder(self._staging, mode=_STAGING_MODE)
            clear_stale(self._staging)
        self._made: set[str] = set()

    def put(
        self,
        stream: Readable,
        *,
        max_bytes: int | None = None,
        expected: Digest | None = None,
        expected_bytes: int | None = None,
    ) -> Stored:
        """Keep the rest of a stream; see `BlobStore.put`."""
        with self._staged() as staged:

            def write(piece: bytes) -> None:
                with store_errors("keep a blob"):
                    staged.write(piece)

            digest, byte_count = copy_checked(
                stream, write, max_bytes=max_bytes, expected=expected, expected_bytes=expected_bytes
            )
            with store_errors("keep a blob"):
                created = self._keep(staged, digest)
        return Stored(digest, byte_count, created)

    def open(self, digest: Digest, /) -> BinaryIO:
        """The blob as a file of its own, with a descriptor of its own."""
        return _reading(self._open_blob(digest))

    def read_range(self, digest: Digest, /, *, offset: int, length: int) -> bytes:
        """A range that lies inside the blob."""
        with self.open(digest) as blob:
            check_range(offset=offset, length=length, byte_count=os.fstat(blob.fileno()).st_size)
            blob.seek(offset)
            data = blob.read(length)
        if len(data) != length:
            raise IntegrityError(f"blob {str(digest)!r} was cut short while it was read", digest=str(digest))
        return data

    def size(self, digest: Digest, /) -> int:
        """The blob's bytes, counted."""
        with self.open(digest) as blob:
            return os.fstat(blob.fileno()).st_size

    def list(self) -> Iterator[Digest]:
        """Every blob, sorted by digest; names that no blob can have are passed over."""
        for folder in _names(self._blobs, FOLDER_NAME):
            for name in _names(self._blobs / folder, BLOB_NAME):
                if name.startswith(folder):
                    yield Digest(name)

    def delete(self, digest: Digest, /) -> bool:
        """Let a blob go, so that it stays gone after a crash."""
        path = self._path(digest)
        with store_errors("let a blob go"):
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return False
            sync_folder(path.parent)
        return True

    def verify(self, digest: Digest, /) -> None:
        """Hash the blob again."""
        with self.open(digest) as blob:
            self._compare(blob, digest)

    def kept_ms(self, digest: Digest, /) -> int:
        """When the blob's file was written."""
        with self.open(digest) as blob:
            return os.fstat(blob.fileno()).st_mtime_ns // 1_000_000

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """Wrong modes, files that are no blobs, what dead writers left."""
        return survey(self._root, file_mode=self._file_mode, folder_mode=self._folder_mode, mend=mend)

    def host_path(self, digest: Digest, /) -> Path | None:
        """The absolute path of the blob's file. Who writes to it damages the blob."""
        os.close(self._open_blob(digest))
        return self._path(digest)

    def _path(self, digest: Digest) -> Path:
        return self._blobs / digest.hex[:2] / digest.hex

    @contextmanager
    def _staged(self) -> Generator[StagedFile]:
        with store_errors("keep a blob"):
            staged = StagedFile(self._staging)
        try:
            yield staged
        finally:
            with store_errors("keep a blob"):
                staged.close()

    def _keep(self, staged: StagedFile, digest: Digest) -> bool:
        """Give the staged file its name, or check the blob that has it; either way the name is on the medium."""
        target = self._path(digest)
        self._make_shard(target.parent)
        for _ in range(_PLACING_TRIES):
            if self._is_kept(digest):
                sync_folder(target.parent)
                return False
            staged.seal(mode=self._file_mode)
            if place(staged.path, target, placements=self._placements):
                sync_folder(target.parent)
                return True
        raise StoreError("a blob was deleted each time it was kept", digest=str(digest))

    def _make_shard(self, folder: Path) -> None:
        """Make one of the 256 folders, and be sure once per process that its own name is on the medium."""
        if folder.name not in self._made:
            _make_folder(folder, mode=self._folder_mode)
            sync_folder(self._blobs)
            self._made.add(folder.name)

    def _is_kept(self, digest: Digest) -> bool:
        """Whether the blob is here, read in full, and readable by those it is shared with."""
        try:
            descriptor = self._open_blob(digest)
        except BlobNotFound:
            return False
        with _reading(descriptor) as blob:
            self._compare(blob, digest)
            status = os.fstat(descriptor)
            if stat.S_IMODE(status.st_mode) != self._file_mode and status.st_uid == os.geteuid():
                os.fchmod(descriptor, self._file_mode)
        return True

    def _compare(self, blob: BinaryIO, digest: Digest) -> None:
        try:
            copy_checked(blob, len, expected=digest)
        except IntegrityError as error:
            raise _damaged(digest) from error

    def _open_blob(self, digest: Digest) -> int:
        try:
            descriptor = os.open(self._path(digest), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError as error:
            raise BlobNotFound(f"there is no blob {str(digest)!r}", digest=str(digest)) from error
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO}:
                raise _damaged(digest) from error
            raise store_error(error, doing="read a blob") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise _damaged(digest)
        return descriptor


def _reading(descriptor: int) -> BinaryIO:
    return reading(descriptor, failure=lambda error: store_error(error, doing="read a blob"))


def _damaged(digest: Digest) -> IntegrityError:
    return IntegrityError(
        f"blob {str(digest)!r} is damaged", hint="it is never written over; a check names it", digest=str(digest)
    )


def _make_folder(folder: Path, *, mode: int) -> None:
    """Make a folder, or set the mode of ours; its name is on the medium when this returns."""
    try:
        folder.mkdir(mode=mode)
    except FileExistsError:
        status = folder.stat()
        if stat.S_IMODE(status.st_mode) != mode and status.st_uid == os.geteuid():
            folder.chmod(mode)
    else:
        folder.chmod(mode)
        sync_folder(folder.parent)


def _names(folder: Path, form: re.Pattern[str]) -> list[str]:
    with store_errors("list its blobs"):
        try:
            return sorted(path.name for path in folder.iterdir() if form.fullmatch(path.name))
        except FileNotFoundError:
            return []
