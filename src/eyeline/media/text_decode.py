"""Decoding text in flat memory, whatever its length.

The decoded text is what every offset counts: code points after these steps, which the transform `normalise` names.
The byte order mark is dropped. `\\r\\n` and a lone `\\r` become `\\n`, so that `line` and `char` agree with what is
shown. Bytes that do not decode become U+FFFD, as do C1 controls and noncharacters; other control characters become
pictures of themselves (U+2400 and following), one for one. Lines end at `\\n`; a last line without one counts.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyeline.media.bounded.reader import Reader

CHUNK_BYTES = 1 << 20
HEAD_BYTES = 64 << 10
FALLBACK = "windows-1252"
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "utf-32-le": "utf-32-le",
    "utf-32-be": "utf-32-be",
    "big5": "big5",
    "euc-jp": "euc_jp",
    "euc-kr": "euc_kr",
    "gb18030": "gb18030",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "shift_jis": "cp932",
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)},
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
}
"""Names of the encodings that are read, and the codec for each."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"(?:charset|encoding|coding)\s*[=:]\s*[\"']?([A-Za-z0-9._-]{3,20})", re.ASCII)
_DECLARED_WITHIN = 1024
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
# Backspace, feeds, escape and the old end of file stand in honest terminal logs.
_NOISE = re.compile("[\x00-\x07\x0e-\x19\x1c-\x1f\x7f-\x9f\ufffe\uffff]")
_PICTURES: dict[int, int] = {
    **{code: 0x2400 + code for code in (*range(0x09), *range(0x0B, 0x20))},
    0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), 0xFFFE, 0xFFFF), 0xFFFD),
}


@dataclass(slots=True)
class Survey:
    """What one pass over a text counts.

    `newline`: `lf`, `crlf`, `cr`, `mixed` or `none`. `invalid` are characters that did not decode, `noise` control
    characters that no terminal takes.
    """

    encoding: str
    chars: int = 0
    lines: int = 0
    newline: str = "none"
    invalid: int = 0
    noise: int = 0
    has_controls: bool = False
    non_ascii: int = 0
    has_mark: bool = False
    is_declared: bool = False
    is_guessed: bool = False


def survey(reader: Reader) -> Survey:
    """Find the encoding and count the whole text.

    In this order: a byte order mark; UTF-16 by its zero bytes; UTF-8, where at most every fifth character outside ASCII
    may be damaged; the encoding that the text declares; Windows-1252 as the guess that shows every byte.
    """
    head = _head(reader)
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if marked is not None:
        found = _count(reader, marked)
        found.has_mark = True
        return found
    wide = _wide_without_mark(head)
    if wide is not None:
        return _count(reader, wide)
    found = _count(reader, "utf-8")
    if found.invalid * 5 <= found.non_ascii:
        return found
    declared = _declared(head)
    found = _count(reader, declared or FALLBACK)
    found.is_declared, found.is_guessed = declared is not None, declared is None
    return found


def pieces(reader: Reader, encoding: str) -> Iterator[str]:
    """The decoded text from its start, in pieces. `encoding` is one of `ENCODINGS`."""
    for text, _, _ in _decoded(reader, encoding):
        yield _shown(text)


def _count(reader: Reader, encoding: str) -> Survey:
    found = Survey(encoding)
    kinds: str | tuple[str, ...] | None = None
    last = ""
    for text, genuine, seen in _decoded(reader, encoding):
        found.chars += len(text)
        found.lines += text.count("\n")
        if not text.isascii():
            found.non_ascii += len(text) - len(text.encode("ascii", "ignore"))
            found.invalid += text.count("\ufffd") - genuine
        if _shown(text) != text:
            found.has_controls = True
            found.noise += len(_NOISE.findall(text))
        last = text[-1:] or last
        kinds = seen
    found.lines += last not in ("", "\n")
    found.newline = _newline(kinds)
    return found


def _decoded(reader: Reader, encoding: str) -> Iterator[tuple[str, int, str | tuple[str, ...] | None]]:
    """Pieces with new lines made one, the replacement characters that stand in the source, and the new lines seen."""
    codec = ENCODINGS[encoding]
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(codec)("replace"), translate=True)
    own = "\ufffd".encode(codec, "ignore")
    reader.seek(0)
    is_first = True
    tail = b""
    while True:
        data = reader.read(CHUNK_BYTES)
        text = decoder.decode(data, final=not data)
        if is_first and text:
            text = text.removeprefix("\ufeff")
            is_first = False
        genuine = (tail + data).count(own) if own else 0
        tail = data[1 - len(own) :] if len(own) > 1 else b""
        yield text, genuine, decoder.newlines
        if not data:
            return


def _shown(text: str) -> str:
    # Plain ASCII translates at memory speed; elsewhere it is slow, so look first.
    if text.isascii() or _CONTROL.search(text):
        return text.translate(_PICTURES)
    return text


def _newline(kinds: str | tuple[str, ...] | None) -> str:
    if kinds is None:
        return "none"
    names = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}
    return names[kinds] if isinstance(kinds, str) else "mixed"


def _head(reader: Reader) -> bytes:
    reader.seek(0)
    return reader.read(HEAD_BYTES)


def _wide_without_mark(head: bytes) -> str | None:
    """UTF-16 without a mark: nearly every second byte of mostly Latin text is zero, and hardly one of the others."""
    half = len(head) // 2
    if half < 2:
        return None
    even, odd = head[0 : 2 * half : 2].count(0) / half, head[1 : 2 * half : 2].count(0) / half
    if odd > 0.4 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.05 else None


def _declared(head: bytes) -> str | None:
    """The encoding that a page, an XML file or a program says it has, if it is one that is read by bytes."""
    match = _DECLARED.search(head[:_DECLARED_WITHIN])
    if match is None:
        return None
    name = match.group(1).decode("ascii").lower().replace("_", "-")
    name = {"latin-1": "iso-8859-1", "latin1": "iso-8859-1", "shift-jis": "shift_jis", "sjis": "shift_jis"}.get(
        name, name
    )
    # One that says UTF-8 or UTF-16 and is neither has nothing true to say.
    return name if name in ENCODINGS and not name.startswith("utf") else None
