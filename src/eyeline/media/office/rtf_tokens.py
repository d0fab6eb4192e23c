"""RTF as tokens: groups, control words with their numbers, single bytes in hexadecimal, and text."""

from __future__ import annotations

import re
from collections.abc import Iterator

Token = tuple[str, str, int | None, bytes]
"""Kind (`open`, `close`, `word`, `hex`, `text`), the control word, its number, and the bytes of a text."""

MAX_WORD_CHARS = 32

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])|(?P<text>[^\\{}\r\n\x00]+)|[\r\n\x00]+|\\"
)
_SYMBOLS = {b"~": b"\xa0", b"_": b"-", b"-": b"", b"\\": b"\\", b"{": b"{", b"}": b"}"}
_ENDS = (b"\n", b"\r")


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of a source, to its end; raw bytes after `\\bin` are passed over."""
    at = 0
    while at < len(data):
        match = _TOKEN.match(data, at)
        if match is None:
            at += 1
            continue
        at = match.end()
        kind = match.lastgroup
        if kind in ("word", "number"):
            word = match["word"].decode("ascii")
            number = None if match["number"] is None else int(match["number"])
            if word == "bin":
                at += max(0, number or 0)
            yield "word", word, number, b""
        elif kind == "hex":
            yield "hex", "", None, bytes.fromhex(match["hex"].decode("ascii"))
        elif kind == "symbol":
            yield from _symbol(match["symbol"])
        elif kind == "text":
            yield "text", "", None, match["text"]
        elif kind is not None:
            yield kind, "", None, b""


def _symbol(symbol: bytes) -> Iterator[Token]:
    if symbol == b"*":
        yield "word", "*", None, b""
    elif symbol in _ENDS:
        yield "word", "par", None, b""
    elif symbol in _SYMBOLS:
        yield "text", "", None, _SYMBOLS[symbol]
