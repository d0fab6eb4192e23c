"""`Digest`: the identity of a blob, `sha256:` and 64 lower-case hex digits."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from eyeline.errors import InvalidDigest

_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, order=True)
class Digest:
    """SHA-256 of a run of bytes. Enters by `parse`, `from_hex` or `of`, never as a bare string."""

    hex: str

    def __post_init__(self) -> None:
        if not _HEX.fullmatch(self.hex):
            raise InvalidDigest(f"{self.hex[:80]!r} is not 64 lower-case hex digits")

    @classmethod
    def parse(cls, text: str) -> Digest:
        """Read `sha256:<64 lower hex>`; anything else raises `InvalidDigest`."""
        algorithm, _, digits = text.partition(":")
        if algorithm != "sha256":
            raise InvalidDigest(f"{text[:80]!r} does not start with 'sha256:'", hint="write sha256:<64 lower hex>")
        return cls(digits)

    @classmethod
    def of(cls, data: bytes | bytearray | memoryview) -> Digest:
        """Hash bytes that are in memory."""
        return cls(hashlib.sha256(data).hexdigest())

    def __str__(self) -> str:
        return f"sha256:{self.hex}"
