"""Copies of attachments in a world that does not share the store: made when asked for, never by assembling."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eyeline.errors import IntegrityError, StoreError
from eyeline.model.attachment import AttachmentRef, FileRef
from eyeline.model.digest import Digest
from eyeline.request.access import Attachments, Placed


class WorldFolder(Protocol):
    """A folder that a world's tools can read, and that can be written from here."""

    def place(self, names: tuple[str, ...], data: bytes) -> str:
        """Write a new file below the folder, read-only, or keep the one with these bytes; its path in the world."""
        ...


@dataclass(frozen=True, slots=True)
class HostFolder:
    """A folder of the host that the world sees at `seen_as`; at the same path when that is `None`."""

    folder: Path
    seen_as: str | None = None

    def place(self, names: tuple[str, ...], data: bytes) -> str:
        """Write it in full or not at all. Raises `StoreError`; `IntegrityError` where other bytes stand already."""
        target = self.folder.joinpath(*names)
        try:
            target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            if not target.exists():
                _write_new(target, data)
            is_same = target.read_bytes() == data
        except OSError as exc:
            raise StoreError("a copy of an attachment cannot be written into the folder of the world") from exc
        if not is_same:
            raise IntegrityError("other bytes stand where a copy of an attachment belongs", name=names[-1])
        return str(target) if self.seen_as is None else "/".join((self.seen_as.rstrip("/"), *names))


def materialise(refs: Iterable[AttachmentRef], *, store: Attachments, folder: WorldFolder) -> Placed:
    """Copy normalised objects and files into a folder of a world, each under its digest, and say where they are.

    Hand the answer to `prepare` as `placed`. Raises what reading an attachment raises, and what the folder raises.
    """
    return {ref: folder.place(_names(ref), store.read(ref)) for ref in dict.fromkeys(refs)}


def _names(ref: AttachmentRef) -> tuple[str, ...]:
    digest: Digest = ref.attachment_id
    if isinstance(ref, FileRef):
        return digest.hex, ref.name
    return (f"{digest.hex}.{ref.media_type.extension}",)


def _write_new(target: Path, data: bytes) -> None:
    staged = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(target)
    except BaseException:
        with suppress(OSError):
            staged.unlink()
        raise
