"""Outside text made safe to show in one line: nothing in it can move, hide or imitate what stands around it."""

from __future__ import annotations

import unicodedata

MAX_SHOWN_CHARS = 200
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def shown(text: str, *, max_chars: int = MAX_SHOWN_CHARS) -> str:
    """Control, format, bidi and unassigned characters as `\\u{…}`, backticks as apostrophes, cut at `max_chars`."""
    safe = "".join(_safe(character) for character in text[: max_chars + 1])
    return safe if len(text) <= max_chars else f"{safe[:max_chars]}…"


def _safe(character: str) -> str:
    if character == "`":
        return "'"
    if unicodedata.category(character) in _HIDDEN:
        return f"\\u{{{ord(character):x}}}"
    return character
