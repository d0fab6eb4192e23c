"""Uploaded files: each belongs to one account, may run out, and is gone when deleted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyeline.model.digest import Digest
from eyeline.testing.provider_double.refusing import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.testing.provider_double.refusing import Place
    from eyeline.testing.provider_double.rules import Rules


@dataclass(frozen=True, slots=True)
class Shelved:
    """One uploaded file. Times are whole seconds since 1970; `expires_at` is None for one that stays."""

    id: str
    account: str
    bytes: bytes
    media_type: str
    name: str
    created_at: int
    expires_at: int | None
    purpose: str = ""


class Shelf:
    """The files of one provider. `now` gives the time in seconds."""

    def __init__(self, prefix: str, rules: Rules, *, now: Callable[[], float]) -> None:
        self.rules = rules
        self._prefix = prefix
        self._now = now
        self._files: dict[str, Shelved] = {}
        self._made = 0
        self._lock = threading.Lock()

    def put(
        self, data: bytes, *, account: str, media_type: str, name: str, seconds: int | None, purpose: str = ""
    ) -> Shelved:
        """Keep a file. Raises `Refusal`: `empty_file`, `file_too_large`, `bad_expiry` or `quota`."""
        rules = self.rules
        if not data:
            raise Refusal("empty_file", "the file is empty")
        if len(data) > rules.file_bytes:
            raise Refusal("file_too_large", f"{len(data)} bytes, at most {rules.file_bytes}", status=413)
        if seconds is not None and rules.file_seconds is not None:
            least, most = rules.file_seconds
            if not least <= seconds <= most:
                raise Refusal("bad_expiry", f"{seconds} seconds, from {least} to {most}")
        with self._lock:
            kept = sum(len(each.bytes) for each in self._files.values() if each.account == account)
            if kept + len(data) > rules.file_total_bytes:
                raise Refusal("quota", f"the storage holds {kept} bytes, at most {rules.file_total_bytes}")
            self._made += 1
            now = int(self._now())
            expires_at = None if seconds is None else now + seconds
            file_id = f"{self._prefix}{self._made:04d}{Digest.of(account.encode()).hex[:6]}"
            file = Shelved(file_id, account, data, media_type, name, now, expires_at, purpose)
            self._files[file_id] = file
            return file

    def take(self, file_id: str, *, account: str, place: Place = ()) -> Shelved:
        """A file of this account. Raises `Refusal`: `file_not_found` (another's too) or `file_expired`."""
        with self._lock:
            file = self._files.get(file_id)
        if file is None or file.account != account:
            raise Refusal("file_not_found", f"no file {file_id!r}", place, 404, facts={"file_id": file_id})
        if file.expires_at is not None and file.expires_at <= self._now():
            raise Refusal("file_expired", f"the file {file_id!r} has expired", place, 404, facts={"file_id": file_id})
        return file

    def drop(self, file_id: str, *, account: str) -> None:
        """Delete a file. Raises `Refusal` as `take`."""
        self.take(file_id, account=account)
        with self._lock:
            self._files.pop(file_id, None)

    def of(self, account: str) -> list[Shelved]:
        """The files of an account, oldest first."""
        with self._lock:
            return [each for each in self._files.values() if each.account == account]
