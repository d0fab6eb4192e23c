"""Encryption of sample PDFs: the standard security handler, revision 3 (RC4 with a key of 128 bits).

Nobody should protect a file with it; here it makes files that need a password, without a cipher library.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_PERMISSIONS = -3904


@dataclass(frozen=True, slots=True)
class Lock:
    """The key of one file, its id, and its encryption dictionary."""

    key: bytes
    file_id: bytes
    dictionary: str

    def seal(self, number: int, data: bytes) -> bytes:
        """Encrypt a string or stream that stands in object `number`."""
        salt = number.to_bytes(3, "little") + b"\x00\x00"
        return _rc4(_md5(self.key + salt), data)


def make_lock(user_password: str, owner_password: str) -> Lock:
    """The lock for these passwords; an empty user password means that anyone may open the file."""
    file_id = _md5(b"sample")
    user, owner = _padded(user_password), _padded(owner_password)
    owner_entry = _rc4_twenty(_hashed(owner), user)
    permissions = (_PERMISSIONS & 0xFFFFFFFF).to_bytes(4, "little")
    key = _hashed(user + owner_entry + permissions + file_id)
    user_entry = _rc4_twenty(key, _md5(_PAD + file_id)) + bytes(16)
    dictionary = f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P {_PERMISSIONS}"
    return Lock(key, file_id, f"{dictionary} /O <{owner_entry.hex()}> /U <{user_entry.hex()}> >>")


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + _PAD)[:32]


def _hashed(data: bytes) -> bytes:
    for _ in range(51):
        data = _md5(data)
    return data


def _rc4_twenty(key: bytes, data: bytes) -> bytes:
    for turn in range(20):
        data = _rc4(bytes(byte ^ turn for byte in key), data)
    return data


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    at = 0
    for index in range(256):
        at = (at + state[index] + key[index % len(key)]) & 255
        state[index], state[at] = state[at], state[index]
    out = bytearray()
    index = at = 0
    for byte in data:
        index = (index + 1) & 255
        at = (at + state[index]) & 255
        state[index], state[at] = state[at], state[index]
        out.append(byte ^ state[(state[index] + state[at]) & 255])
    return bytes(out)
