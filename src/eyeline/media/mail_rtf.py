"""The text of an Outlook message where it is kept as compressed RTF (MS-OXRTFCP)."""

from __future__ import annotations

import struct

from eyeline.errors import CorruptMedia
from eyeline.media.markup_blocks import BlockWriter
from eyeline.media.markup_pictures import Pictures
from eyeline.media.office.rtf import read_rtf
from eyeline.media.office.script import Script

MAX_RTF_BYTES = 8 << 20

_COMPRESSED, _PLAIN = b"LZFu", b"MELA"
_WINDOW, _HEADER_BYTES = 4096, 16
_KNOWN = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def text_of_rtf(data: bytes, max_chars: int) -> str:
    """What a compressed RTF body says, as Markdown. Raises `CorruptMedia` and `MediaTooLarge`."""
    script = Script(BlockWriter(max_chars), Pictures(most=0, most_bytes=0))
    read_rtf(decompressed(data), script)
    return script.writer.outputs()[0].decode("utf-8", "replace")


def decompressed(data: bytes) -> bytes:
    """RTF out of its compression. Raises `CorruptMedia` where it is not, ends early, or is larger than is read."""
    if len(data) < _HEADER_BYTES:
        raise CorruptMedia("the compressed text is shorter than its header")
    size, kind = struct.unpack_from("<I4s", data, 4)
    if size > MAX_RTF_BYTES:
        raise CorruptMedia("the compressed text is larger than is read")
    if kind == _PLAIN:
        return data[_HEADER_BYTES : _HEADER_BYTES + size]
    if kind != _COMPRESSED:
        raise CorruptMedia("the compressed text is of no known kind")
    made = _unfolded(data, size)
    if len(made) < size:
        raise CorruptMedia("the compressed text ends early")
    return bytes(made)


def _unfolded(data: bytes, size: int) -> bytearray:
    """Literals and references into a window that begins with what every RTF has."""
    window = bytearray(_KNOWN.ljust(_WINDOW, b"\0"))
    made, write, at = bytearray(), len(_KNOWN), _HEADER_BYTES
    while at < len(data) and len(made) < size:
        flags, at = data[at], at + 1
        for bit in range(8):
            if flags & 1 << bit:
                if at + 2 > len(data):
                    return made
                word, at = data[at] << 8 | data[at + 1], at + 2
                read = word >> 4
                if read == write:
                    return made
                piece = [read + step for step in range((word & 0xF) + 2)]
            else:
                if at >= len(data):
                    return made
                window[write], at = data[at], at + 1
                piece = [write]
            for place in piece:
                value = window[place % _WINDOW]
                window[write] = value
                made.append(value)
                write = (write + 1) % _WINDOW
            if len(made) >= size:
                return made[:size]
    return made
