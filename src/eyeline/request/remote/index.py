"""What was uploaded where: one small file for each upload in `remote/v1/<scope>/<variant>.json`.

The index is disposable: without it, pictures are uploaded anew. An entry that cannot be read counts as absent. It holds
ids, never a key and never a path.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from eyeline.errors import EyelineError
from eyeline.model.remote import RemoteFile
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from eyeline.model.digest import Digest

_VERSION = "v1"
_TURN_S = 0.02


class RemoteIndex(Protocol):
    """Remembers uploads by scope and variant. Safe to use from several threads and processes at once."""

    def find(self, scope: str, variant_id: Digest) -> RemoteFile | None:
        """The upload of a variant, whether it is still usable or not; a hit counts as a use."""
        ...

    def keep(self, file: RemoteFile) -> None:
        """Remember an upload in place of an older one of the same variant."""
        ...

    def forget(self, file: RemoteFile) -> None:
        """Remember this upload no more; one that has taken its place stays."""
        ...

    def listed(self, scope: str) -> list[RemoteFile]:
        """All uploads of a scope, the one that was used longest ago first."""
        ...

    def claim(self, scope: str, variant_id: Digest, *, cancel: CancelToken) -> AbstractContextManager[None]:
        """Hold a variant, so that one uploads it and the others find it. Raises `Cancelled` while it waits."""
        ...


class FolderIndex:
    """A `RemoteIndex` in a folder. What cannot be written is not remembered; nothing fails for that."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _VERSION

    def find(self, scope: str, variant_id: Digest) -> RemoteFile | None:
        """See `RemoteIndex.find`."""
        path = self._path(scope, variant_id)
        file = _read(path)
        if file is None or (file.scope, file.variant_id) != (scope, variant_id):
            return None
        with suppress(OSError):
            os.utime(path)
        return file

    def keep(self, file: RemoteFile) -> None:
        """See `RemoteIndex.keep`."""
        path = self._path(file.scope, file.variant_id)
        staged = path.with_name(f".{secrets.token_hex(8)}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged.touch(mode=0o600)
            staged.write_text(dumps(file), encoding="utf-8")
            staged.replace(path)
        except OSError:
            with suppress(OSError):
                staged.unlink()

    def forget(self, file: RemoteFile) -> None:
        """See `RemoteIndex.forget`."""
        path = self._path(file.scope, file.variant_id)
        kept = _read(path)
        if kept is None or kept.remote_id == file.remote_id:
            with suppress(OSError):
                path.unlink()

    def listed(self, scope: str) -> list[RemoteFile]:
        """See `RemoteIndex.listed`."""
        aged: list[tuple[int, str, RemoteFile]] = []
        for path in (self._folder / scope).glob("*.json"):
            file = _read(path)
            with suppress(OSError):
                if file is not None and file.scope == scope:
                    aged.append((path.stat().st_mtime_ns, path.name, file))
        return [file for _, _, file in sorted(aged, key=lambda each: each[:2])]

    @contextmanager
    def claim(self, scope: str, variant_id: Digest, *, cancel: CancelToken) -> Generator[None]:
        """See `RemoteIndex.claim`. Where there can be no lock, several may upload the same, which harms nothing."""
        path = self._folder / scope / f".{variant_id.hex[:2]}.lock"
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = path.open("wb")
        except OSError:
            yield
            return
        with handle:
            while not _locked(handle.fileno()):
                cancel.wait(_TURN_S)
                cancel.raise_if_cancelled()
            yield

    def _path(self, scope: str, variant_id: Digest) -> Path:
        return self._folder / scope / f"{variant_id.hex}.json"


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this filesystem
    return True


def _read(path: Path) -> RemoteFile | None:
    try:
        return loads(RemoteFile, path.read_bytes())
    except (OSError, EyelineError):
        return None
