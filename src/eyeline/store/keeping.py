"""Read-only files under names that say their digest: staged, sealed, placed without replacing, verified when met."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from eyeline.errors import BlobNotFound, IntegrityError, NotFound, StoreError
from eyeline.store.failures import store_error, store_errors
from eyeline.store.placing import PLACEMENTS, place, sync_folder
from eyeline.store.staging import StagedFile
from eyeline.toolkit.copying import copy_checked, reading

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from eyeline.model.digest import Digest
    from eyeline.store.placing import Placement

_PLACING_TRIES = 16


@dataclass(slots=True)
class KeptFiles:
    """How files of one layout are kept: where they are staged, their modes, and how they get their names.

    `what` names one of them in messages; `missing` is raised for one that is not there. `placements` are tried in
    order.
    """

    staging: Path
    file_mode: int = 0o400
    folder_mode: int = 0o700
    placements: Sequence[Placement] = PLACEMENTS
    what: str = "blob"
    missing: type[NotFound] = BlobNotFound
    _made: set[Path] = field(default_factory=set["Path"], init=False)

    @contextmanager
    def staged(self) -> Generator[StagedFile]:
        """A new file that is gone with the block, unless it was given a name."""
        with store_errors(f"keep {self._one}"):
            staged = StagedFile(self.staging)
        try:
            yield staged
        finally:
            with store_errors(f"keep {self._one}"):
                staged.close()

    def seal(self, staged: StagedFile) -> None:
        """Set the mode of a finished file and wait until it is on the medium."""
        with store_errors(f"keep {self._one}"):
            staged.seal(mode=self.file_mode)

    def keep(self, staged: StagedFile, target: Path, *, digest: Digest, sealed: bool = False) -> bool:
        """Give the staged file its name, or check the file that has it; either way the name is on the medium."""
        with store_errors(f"keep {self._one}"):
            self._make_folder(target.parent)
            for _ in range(_PLACING_TRIES):
                if self._is_kept(target, digest):
                    sync_folder(target.parent)
                    return False
                if not sealed:
                    staged.seal(mode=self.file_mode)
                if place(staged.path, target, placements=self.placements):
                    sync_folder(target.parent)
                    return True
        raise StoreError(f"{self._one} was deleted each time it was kept", digest=str(digest))

    def open(self, path: Path, digest: Digest) -> BinaryIO:
        """A kept file, at its first byte; its bytes are not checked yet."""
        return self._reading(self._descriptor(path, digest))

    def verify(self, path: Path, digest: Digest) -> None:
        """Read a kept file; `IntegrityError` unless it still has its digest."""
        with self.open(path, digest) as opened:
            self._compare(opened, digest)

    def damaged(self, digest: Digest) -> IntegrityError:
        """The error for one that is not what was kept."""
        return IntegrityError(
            f"{self.what} {str(digest)!r} is damaged",
            hint="it is never written over; a check names it",
            digest=str(digest),
        )

    @property
    def _one(self) -> str:
        return f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"

    def _make_folder(self, folder: Path) -> None:
        """Make a folder, and be sure once per process that its own name is on the medium."""
        if folder not in self._made or not folder.is_dir():
            make_folder(folder, mode=self.folder_mode)
            sync_folder(folder.parent)
            self._made.add(folder)

    def _is_kept(self, path: Path, digest: Digest) -> bool:
        """Whether the file is here, read in full, and readable by those it is shared with."""
        try:
            descriptor = self._descriptor(path, digest)
        except self.missing:
            return False
        with self._reading(descriptor) as opened:
            self._compare(opened, digest)
            status = os.fstat(descriptor)
            if stat.S_IMODE(status.st_mode) != self.file_mode and status.st_uid == os.geteuid():
                os.fchmod(descriptor, self.file_mode)
        return True

    def _compare(self, opened: BinaryIO, digest: Digest) -> None:
        try:
            copy_checked(opened, len, expected=digest)
        except IntegrityError as error:
            raise self.damaged(digest) from error

    def _descriptor(self, path: Path, digest: Digest) -> int:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError as error:
            raise self.missing(f"there is no {self.what} {str(digest)!r}", digest=str(digest)) from error
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENXIO}:
                raise self.damaged(digest) from error
            raise store_error(error, doing=f"read {self._one}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise self.damaged(digest)
        return descriptor

    def _reading(self, descriptor: int) -> BinaryIO:
        return reading(descriptor, failure=lambda error: store_error(error, doing=f"read {self._one}"))


def make_folder(folder: Path, *, mode: int) -> None:
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
