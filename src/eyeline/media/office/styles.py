"""Styles of a word processor document: which of them are headings, hide their text, or number their paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eyeline.media.office.trees import Tree, child, children, is_on, value

MAX_ANCESTORS = 20
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


@dataclass(slots=True)
class Styles:
    """The styles by id."""

    _by_id: dict[str, Tree] = field(default_factory=dict[str, Tree])

    @classmethod
    def of(cls, tree: Tree | None) -> Styles:
        """Those of a part; none without one."""
        return cls({each.get("w:styleId", ""): each for each in children(tree, "w:style")})

    def level(self, style: str | None, own: str | None) -> int | None:
        """The level of a heading, from 1; none for text. `own` is what the paragraph itself says, from 0."""
        if own is not None:
            return _level(own)
        for each in self._line(style):
            name = value(each, "w:name") or ""
            named = _HEADING.fullmatch(name)
            if named is not None:
                return int(named[1])
            if name.lower() == "title":
                return 1
            outline = value(each, "w:pPr", "w:outlineLvl")
            if outline is not None:
                return _level(outline)
        return None

    def hides(self, style: str | None) -> bool:
        """Whether text of a style is not shown."""
        for each in self._line(style):
            look = child(each, "w:rPr")
            if child(look, "w:vanish") is not None:
                return is_on(look, "w:vanish")
        return False

    def look(self, style: str | None) -> Tree | None:
        """How a style sets its paragraphs, as far as it numbers them."""
        looks = (child(each, "w:pPr") for each in self._line(style))
        return next((look for look in looks if child(look, "w:numPr") is not None), None)

    def _line(self, style: str | None) -> list[Tree]:
        """A style and what it is based on; a circle ends where it closes."""
        line: list[Tree] = []
        while style is not None and len(line) < MAX_ANCESTORS:
            found = self._by_id.get(style)
            if found is None or found in line:
                break
            line.append(found)
            style = value(found, "w:basedOn")
        return line


def _level(outline: str) -> int | None:
    return int(outline) + 1 if outline in tuple("01234567") else None
