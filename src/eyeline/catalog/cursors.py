"""Cursors: where a list goes on, as an opaque URL-safe text that fits only the question it was made for. Pure."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from typing import cast

from eyeline.errors import InvalidRequest, LimitExceeded

MAX_CURSOR_CHARS = 8192
MAX_LIMIT = 1000
Key = str | int | float


def fingerprint(*question: object) -> str:
    """Twelve hex digits that stand for a question; the parts are told apart by their `repr`."""
    return hashlib.sha256(repr(question).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def write_cursor(question: str, keys: tuple[Key, ...]) -> str:
    """The cursor behind an item whose sort keys are `keys`, for a question known by its fingerprint."""
    text = json.dumps([question, *keys], ensure_ascii=True, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str, question: str, *, kinds: tuple[type, ...]) -> tuple[Key, ...]:
    """The sort keys in a cursor. Raises `InvalidRequest` when it is damaged or was made for another question."""
    keys = _plain(cursor) if len(cursor) <= MAX_CURSOR_CHARS else None
    if keys is None or keys[0] != question or [type(key) for key in keys[1:]] != list(kinds):
        raise InvalidRequest(
            f"{cursor[:40]!r} is not a cursor of this question", hint="repeat the question without a cursor"
        )
    return tuple(keys[1:])


def check_limit(limit: int) -> int:
    """A limit on the items of one answer, or `LimitExceeded` outside 1 to `MAX_LIMIT`."""
    if not 1 <= limit <= MAX_LIMIT:
        raise LimitExceeded(
            f"limit={limit} is outside 1 to {MAX_LIMIT}", limit="answer_items", allowed=MAX_LIMIT, asked=limit
        )
    return limit


def _plain(cursor: str) -> list[Key] | None:
    """The list of strings and numbers in a cursor, or none when it holds anything else."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        value: object = json.loads(data)
    except (binascii.Error, ValueError, RecursionError):
        return None
    if not isinstance(value, list):
        return None
    keys = cast("list[object]", value)
    return cast("list[Key]", keys) if keys and all(map(_is_key, keys)) else None


def _is_key(value: object) -> bool:
    """Whether a database can compare with it: text without surrogates, a number of 64 bits, a finite fraction."""
    if isinstance(value, str):
        return not any("\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return type(value) is int and -(1 << 63) <= value < 1 << 63
