"""Outside text made safe to show in one line: nothing in it can move, hide or imitate what stands around it."""

from __future__ import annotations

import unicodedata

MAX_SHOWN_CHARS = 200
MAX_REFERENCE_CHARS = 4096
"""References are shown whole: a path may be as long."""

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

_BLANK = frozenset({0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}).union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)
)
"""Letters and marks that show nothing: fillers, joiners and variation selectors, in which a text can be hidden."""


def shown(text: str, *, max_chars: int = MAX_SHOWN_CHARS) -> str:
    """Whatever is not seen or moves what is as `\\u{…}`, backticks as apostrophes, cut at `max_chars`.

    That is every control, format, bidirectional, private and unassigned character, line and paragraph separators, and
    letters that show nothing.
    """
    safe = "".join(_safe(character) for character in text[: max_chars + 1])
    return safe if len(text) <= max_chars else f"{safe[:max_chars]}…"


def is_hidden(character: str) -> bool:
    """Whether a character is not seen itself, or moves, turns or controls what is around it."""
    return unicodedata.category(character) in _HIDDEN or ord(character) in _BLANK


def spelled(character: str) -> str:
    """A hidden character by its code point, `\\u{…}`; any other as it is."""
    return f"\\u{{{ord(character):x}}}" if is_hidden(character) else character


def _safe(character: str) -> str:
    return "'" if character == "`" else spelled(character)
