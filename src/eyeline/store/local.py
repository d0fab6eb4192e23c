"""`LocalStore`: blobs as read-only files under `v1/sha256/`, as docs/format.md describes them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, Literal

from eyeline.errors import IntegrityError
from eyeline.model.digest import Digest
from eyeline.store.base import Stored, check_range
from eyeline.store.failures import store_errors
from eyeline.store.keeping import KeptFiles, make_folder
from eyeline.store.placing import PLACEMENTS, sync_folder
from eyeline.store.staging import clear_stale
from eyeline.store.surveying import BLOB_NAME, FOLDER_NAME, survey
from eyeline.toolkit.copying import copy_checked

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence
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
        with store_errors("be opened"):
            self._root = root.expanduser().absolute()
            self._blobs = self._root / "v1" / "sha256"
            self._staging = self._root / "v1" / "staging"
            missing = [folder for folder in (self._root, *self._root.parents) if not folder.exists()]
            for folder in (*reversed(missing), self._blobs.parent, self._blobs):
                make_folder(folder, mode=self._folder_mode)
            make_folder(self._staging, mode=_STAGING_MODE)
            clear_stale(self._staging)
        self._files = KeptFiles(self._staging, self._file_mode, self._folder_mode, placements)

    def put(
        self,
        stream: Readable,
        *,
        max_bytes: int | None = None,
        expected: Digest | None = None,
        expected_bytes: int | None = None,
    ) -> Stored:
        """Keep the rest of a stream; see `BlobStore.put`."""
        with self._files.staged() as staged:

            def write(piece: bytes) -> None:
                with store_errors("keep a blob"):
                    staged.write(piece)

            digest, byte_count = copy_checked(
                stream, write, max_bytes=max_bytes, expected=expected, expected_bytes=expected_bytes
            )
            created = self._files.keep(staged, self._path(digest), digest=digest)
        return Stored(digest, byte_count, created)

    def open(self, digest: Digest, /) -> BinaryIO:
        """The blob as a file of its own, with a descriptor of its own."""
        return self._files.open(self._path(digest), digest)

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
        self._files.verify(self._path(digest), digest)

    def kept_ms(self, digest: Digest, /) -> int:
        """When the blob's file was written."""
        with self.open(digest) as blob:
            return os.fstat(blob.fileno()).st_mtime_ns // 1_000_000

    def flaws(self, *, mend: bool) -> Iterator[StoreFlaw]:
        """Wrong modes, files that are no blobs, what dead writers left."""
        return survey(self._root, file_mode=self._file_mode, folder_mode=self._folder_mode, mend=mend)

    def host_path(self, digest: Digest, /) -> Path | None:
        """The absolute path of the blob's file. Who writes to it damages the blob."""
        self.open(digest).close()
        return self._path(digest)

    def _path(self, digest: Digest) -> Path:
        return self._blobs / digest.hex[:2] / digest.hex


def _names(folder: Path, form: re.Pattern[str]) -> list[str]:
    with store_errors("list its blobs"):
        try:
            return sorted(path.name for path in folder.iterdir() if form.fullmatch(path.name))
        except FileNotFoundError:
            return []
