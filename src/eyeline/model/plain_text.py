"""Text that a model read or wrote, as plain lines: nothing in it can steer a terminal, hide or turn what is around."""

from __future__ import annotations

import unicodedata

_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
# Bidirectional controls, zero-width spaces and tag characters: they change or hide text without being seen themselves.
# Joiners and variation selectors stay: scripts and emoji need them.
UNSEEN = frozenset({0x00AD, 0x061C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF}).union(
    range(0x202A, 0x202F), range(0x2066, 0x2070), range(0xFFF9, 0xFFFC), range(0xE0000, 0xE0080)
)
_REFUSED = ("Cc", "Cs", "Cn", "Co")


def plain_lines(text: str, *, max_chars: int) -> str:
    """`text` with `\\n` as its only line end and control, and at most `max_chars` code points; blank at neither end.

    Tabs become a space; control, bidirectional, zero-width, tag, private and unassigned characters are left out.
    """
    unified = text[: 2 * max_chars].replace("\r\n", "\n").replace("\r", "\n").translate(_LINE_ENDS)
    kept = "".join(each for each in unified.replace("\t", " ") if each == "\n" or _is_plain(each))
    return kept.strip()[:max_chars].rstrip()


def plain_line(text: str, *, max_chars: int) -> str:
    """As `plain_lines`, on one line: line ends become spaces."""
    return plain_lines(text, max_chars=max_chars).replace("\n", " ")


def _is_plain(character: str) -> bool:
    return ord(character) not in UNSEEN and unicodedata.category(character) not in _REFUSED
