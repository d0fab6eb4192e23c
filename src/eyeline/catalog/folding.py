"""How text is made comparable for search: folded character by character, then cut into words and symbols. Pure.

Folding takes away what people do not type: case, diacritics, ligatures, width, invisible characters. It works on each
character alone, so an index into the folded text can be led back to the text itself.

A word is a run of letters, digits and the marks that belong to them. Scripts written without spaces (Chinese,
Japanese, Thai, …) and Korean, whose particles cling to the noun, give one word per character: searching a run of them
as a phrase finds every substring, however short. Any other visible character is a symbol. Symbols are kept apart, each
as an ASCII name, so that they narrow a search without tearing the phrase of words around them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# Marks that readers leave out when they type: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels, and the
# variation selectors of emoji. Marks of other scripts are vowels of their own and stay.
_UNTYPED = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f]"
)
_UNSPACED = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
_AS_TYPED = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2212", "-"),
}
"""Signs that word processors put in place of what is on the keyboard; compared as the keyboard's."""


def _fold_character(character: str) -> str:
    category = unicodedata.category(character)
    if category in {"Cc", "Cs", "Zs", "Zl", "Zp"}:
        return " "
    if category == "Cf":
        return ""
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    typed = "".join(_AS_TYPED.get(each, each) for each in spread)
    return unicodedata.normalize("NFC", _UNTYPED.sub("", typed))


class _Folded(dict[int, str]):
    """A table for `str.translate` that works each character out once."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


class _Spaced(dict[int, str]):
    """A table that keeps letters, digits and marks, sets unspaced characters apart and blanks the rest."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character if is_of_word(character) else " "
        self[code] = spaced = f" {character} " if is_unspaced(character) else kept
        return spaced


_FOLDED, _SPACED = _Folded(), _Spaced()


@dataclass(frozen=True, slots=True)
class IndexForm:
    """Text as it is indexed: its words in order, and its distinct symbols by name, both separated by single spaces."""

    words: str
    symbols: str


def fold(text: str) -> str:
    """Text as it is compared; control characters and line ends become spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return text.translate(_FOLDED)


def literal(text: str) -> str:
    """Folded text with each run of white space as one space, for finding a term as it was written."""
    return " ".join(fold(text).split())


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script whose words are not separated by spaces."""
    return _UNSPACED.match(character) is not None


def is_of_word(character: str) -> bool:
    """Whether a character takes part in a word: a letter, a digit or a mark on them."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def index_form(folded: str) -> IndexForm:
    """Words and symbols of a folded text, as they are indexed and as they are asked for."""
    words = " ".join(folded.translate(_SPACED).split())
    symbols = sorted(each for each in set(folded) if each != " " and not is_of_word(each) and not is_unspaced(each))
    return IndexForm(words, " ".join(f"x{ord(each):x}" for each in symbols))


def positions(text: str) -> tuple[str, Sequence[int]]:
    """A text folded and, for each folded character, the index of the character of `text` it came from."""
    if all(len(_FOLDED[ord(each)]) == 1 for each in set(text)):
        return text.translate(_FOLDED), range(len(text))
    origins: list[int] = []
    for index, character in enumerate(text):
        origins.extend([index] * len(_FOLDED[ord(character)]))
    return text.translate(_FOLDED), origins
