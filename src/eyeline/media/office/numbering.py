"""Lists of a word processor document: which paragraph is an item, and what stands before it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eyeline.media.office.trees import Tree, child, children, value

Place = tuple[str, int]
"""A list, and the depth of an item in it, from 0."""

_LEVEL = re.compile(r"%([1-9])")
_BULLET = "-"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_SMALL = ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(slots=True)
class _Level:
    form: str
    text: str
    start: int


@dataclass(slots=True)
class Numbering:
    """The lists by number, with how far each has come."""

    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict[str, dict[int, _Level]])
    _counts: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _shared: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, tree: Tree | None) -> Numbering:
        """Those of a part; none without one."""
        kinds = {each.get("w:abstractNumId", ""): _levels(each) for each in children(tree, "w:abstractNum")}
        found = cls()
        for each in children(tree, "w:num"):
            number, kind = each.get("w:numId", ""), value(each, "w:abstractNumId") or ""
            levels = dict(kinds.get(kind, {}))
            overrides = list(children(each, "w:lvlOverride"))
            for override in overrides:
                levels |= _levels(override)
            found._levels[number] = levels
            found._shared[number] = number if overrides else f"kind {kind}"
        return found

    def place(self, look: Tree | None) -> Place | None:
        """Which list a paragraph belongs to; none where it belongs to none."""
        numbered = child(look, "w:numPr")
        number = value(numbered, "w:numId")
        if number is None or number == "0":
            return None
        depth = value(numbered, "w:ilvl") or "0"
        return number, min(int(depth), 8) if depth.isascii() and depth.isdigit() and len(depth) < 3 else 0

    def marker(self, place: Place) -> str:
        """What stands before the next item at a place; counts it."""
        number, depth = place
        levels = self._levels.get(number, {})
        level = levels.get(depth)
        if level is None or level.form in ("bullet", "none"):
            return _BULLET
        counts = self._counts.setdefault(self._shared[number], {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]

        def one(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            each = levels.get(at)
            return "" if each is None else _written(counts.get(at, each.start), each.form)

        return _LEVEL.sub(one, level.text).strip() or _BULLET


def _levels(tree: Tree) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for each in children(tree, "w:lvl"):
        depth, start = each.get("w:ilvl", "0"), value(each, "w:start") or "1"
        if depth in tuple("012345678") and start.isascii() and start.isdigit() and len(start) < 6:
            text = value(each, "w:lvlText") or ""
            found[int(depth)] = _Level(value(each, "w:numFmt") or "decimal", text[:40], int(start))
    return found


def _written(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(97 + (number - 1) % 26) * min(1 + (number - 1) // 26, 8)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        left, text = number, ""
        for worth, digits in (*_ROMAN, *_ROMAN_SMALL):
            text += digits * (left // worth)
            left %= worth
        return text if form == "lowerRoman" else text.upper()
    return str(number)
