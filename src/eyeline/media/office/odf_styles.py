"""Styles of OpenDocument: what they hide, and how large the pages of a presentation are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eyeline.media.office.trees import Tree, child, children

MAX_ANCESTORS = 20
_LENGTH = re.compile(r"(\d{1,5}(?:\.\d{1,6})?)(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}
DEFAULT_SIZE_PT = (28 * 72 / 2.54, 21 * 72 / 2.54)


@dataclass(slots=True)
class OdfStyles:
    """The styles of a document by name."""

    _by_name: dict[str, Tree] = field(default_factory=dict[str, Tree])
    _lists: dict[str, Tree] = field(default_factory=dict[str, Tree])
    _layouts: dict[str, Tree] = field(default_factory=dict[str, Tree])
    _masters: dict[str, Tree] = field(default_factory=dict[str, Tree])

    @classmethod
    def of(cls, *trees: Tree | None) -> OdfStyles:
        """Those of several parts."""
        found = cls()
        for tree in trees:
            for listing in ("office:styles", "office:automatic-styles", "office:master-styles"):
                held = child(tree, listing)
                found._by_name |= {each.get("style:name", ""): each for each in children(held, "style:style")}
                found._lists |= {each.get("style:name", ""): each for each in children(held, "text:list-style")}
                found._layouts |= {each.get("style:name", ""): each for each in children(held, "style:page-layout")}
                found._masters |= {each.get("style:name", ""): each for each in children(held, "style:master-page")}
        return found

    def hides_text(self, style: str | None) -> bool:
        """Whether text of a style is not shown."""
        return self._says(style, "style:text-properties", "text:display") == "none"

    def is_title(self, style: str | None) -> bool:
        """Whether a style is the one of titles, or made from it."""
        found = self._by_name.get(style or "")
        return style == "Title" or (found is not None and found.get("style:parent-style-name") == "Title")

    def numbers(self, style: str | None, depth: int) -> bool:
        """Whether the items of a list have numbers at a depth, counted from 0."""
        levels = children(self._lists.get(style or ""), "text:list-level-style-number")
        return any(each.get("text:level") == str(depth + 1) and each.get("style:num-format") for each in levels)

    def hides_page(self, style: str | None) -> bool:
        """Whether a slide of a style is not shown."""
        return self._says(style, "style:drawing-page-properties", "presentation:visibility") == "hidden"

    def hides_table(self, style: str | None) -> bool:
        """Whether a sheet of a style is not shown."""
        return self._says(style, "style:table-properties", "table:display") == "false"

    def page_size_pt(self, master: str | None) -> tuple[float, float]:
        """Width and height of the pages of a master."""
        page = self._masters.get(master or "")
        layout = None if page is None else self._layouts.get(page.get("style:page-layout-name", ""))
        look = child(layout, "style:page-layout-properties")
        width, height = (_points(None if look is None else look.get(f"fo:page-{side}")) for side in ("width", "height"))
        return (width, height) if width and height else DEFAULT_SIZE_PT

    def _says(self, style: str | None, properties: str, attribute: str) -> str | None:
        for _ in range(MAX_ANCESTORS):
            found = self._by_name.get(style or "")
            if found is None:
                return None
            look = child(found, properties)
            said = None if look is None else look.get(attribute)
            if said is not None:
                return said
            style = found.get("style:parent-style-name")
        return None


def length_pt(text: str | None) -> float:
    """A length in points; 0 for what is none."""
    return _points(text)


def _points(text: str | None) -> float:
    match = _LENGTH.fullmatch((text or "").strip())
    return 0.0 if match is None else float(match[1]) * _POINTS[match[2]]
