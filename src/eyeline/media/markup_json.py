"""JSON whose values keep their places: what stands where in the source, one level at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from eyeline.errors import CorruptMedia
from eyeline.media.markup_blocks import Place

# Numbers stay as they are written: none is needed, and Python refuses to read the longest.
_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
_BLANKS = re.compile(r"[ \t\n\r]*")


def members(text: str, at: int) -> Iterator[tuple[str, Any, Place]]:
    """Names, values and places of the values in the object that begins at a code point, or after blanks there.

    Nothing where no object begins. Raises `CorruptMedia` where the JSON cannot be read.
    """
    at = _after_blanks(text, at)
    if not text.startswith("{", at):
        return
    at = _after_blanks(text, at + 1)
    while not text.startswith("}", at):
        name, (_, end) = _value(text, at)
        at = _after_blanks(text, end)
        if not isinstance(name, str) or not text.startswith(":", at):
            raise _unreadable(at)
        value, place = _value(text, at + 1)
        yield name, value, place
        at = _after_separator(text, place[1], closing="}")


def elements(text: str, at: int) -> Iterator[tuple[Any, Place]]:
    """Values and their places in the array that begins at a code point; nothing where none begins.

    Raises `CorruptMedia` where the JSON cannot be read.
    """
    at = _after_blanks(text, at)
    if not text.startswith("[", at):
        return
    at = _after_blanks(text, at + 1)
    while not text.startswith("]", at):
        value, place = _value(text, at)
        yield value, place
        at = _after_separator(text, place[1], closing="]")


def _value(text: str, at: int) -> tuple[Any, Place]:
    start = _after_blanks(text, at)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as exc:
        raise _unreadable(start) from exc
    return value, (start, end)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _after_separator(text: str, at: int, *, closing: str) -> int:
    at = _after_blanks(text, at)
    if text.startswith(closing, at):
        return at
    if not text.startswith(",", at):
        raise _unreadable(at)
    return _after_blanks(text, at + 1)


def _unreadable(at: int) -> CorruptMedia:
    return CorruptMedia(f"the JSON cannot be read from character {at} on", char=at)
