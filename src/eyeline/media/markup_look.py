"""Whether a picture of a page would show an element's text, as far as the element itself says so.

Attributes and inline styles are looked at, with what they hand down; style sheets are not: what they hide is often
shown by a click. Where a colour or a length cannot be read, the text counts as shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

Colour = tuple[int, int, int]

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
MAX_STYLE_CHARS = 10_000
SEEN_STEP = 24
FAINT = 0.05
TINY_PX = 1.0
FAR_PX = 500.0

_NAMED: dict[str, Colour] = {
    "black": BLACK,
    "white": WHITE,
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "ghostwhite": (248, 248, 255),
    "floralwhite": (255, 250, 240),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "lime": (0, 255, 0),
    "blue": (0, 0, 255),
    "navy": (0, 0, 128),
    "yellow": (255, 255, 0),
}
_HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]{1,8}%?))?\s*\)")
_NUMBER = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))\s*([a-z%]*)")
_CLIPPED = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|100)%|circle\(\s*0")
_MOVED_AWAY = re.compile(r"translate[xy3d]*\([^)]*-\d{4,}|scale[xy3d]*\(\s*0(?:\.0*)?\s*[,)]")
_PX = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16, "": 1.0}
_KEEPS = frozenset(("inherit", "initial", "unset", "revert", "currentcolor", ""))


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks inside an element. A colour that is none could not be read, and is no reason to hide."""

    is_hidden: bool = False
    is_tiny: bool = False
    is_clear: bool = False
    colour: Colour | None = BLACK
    ground: Colour | None = WHITE

    @property
    def shows(self) -> bool:
        """Whether text is seen."""
        if self.is_hidden or self.is_tiny or self.is_clear:
            return False
        if self.colour is None or self.ground is None:
            return True
        return max(abs(one - other) for one, other in zip(self.colour, self.ground, strict=True)) >= SEEN_STEP


def look_of(name: str, attributes: Mapping[str, str], outer: Look) -> Look:
    """The look inside an element, from its lower-case name, its attributes and the look around it."""
    look = outer
    if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
        look = replace(look, is_hidden=True)
    if name == "dialog" and "open" not in attributes:
        look = replace(look, is_hidden=True)
    ink = attributes.get("color" if name == "font" else "text" if name == "body" else "", "")
    look = _with_colour(look, ink.strip().lower()) if ink else look
    ground = attributes.get("bgcolor", "").strip().lower()
    look = _with_ground(look, ground) if ground else look
    style = _declarations(attributes.get("style", ""))
    if _is_taken_away(style):
        look = replace(look, is_hidden=True)
    for prop, change in _CHANGES:
        if prop in style:
            look = change(look, style[prop])
    return look


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for declaration in re.sub(r"/\*.*?\*/", "", style[:MAX_STYLE_CHARS].lower(), flags=re.DOTALL).split(";"):
        prop, colon, value = declaration.partition(":")
        if colon:
            found[prop.strip()] = value.replace("!important", "").strip()
    return found


def _is_taken_away(style: Mapping[str, str]) -> bool:
    """Not displayed, see-through, of no size, clipped to nothing or moved off the page."""
    get = style.get
    if get("display") == "none" or get("visibility") in ("hidden", "collapse") or get("content-visibility") == "hidden":
        return True
    opacity = _length(get("opacity", ""))
    if opacity is not None and opacity[0] / (100 if opacity[1] == "%" else 1) <= FAINT:
        return True
    cuts = any(get(prop) in ("hidden", "clip") for prop in ("overflow", "overflow-x", "overflow-y"))
    if cuts and any(_px(get(prop, "")) == 0 for prop in ("width", "height", "max-width", "max-height")):
        return True
    if _CLIPPED.search(f"{get('clip', '')} {get('clip-path', '')}") or _MOVED_AWAY.search(get("transform", "")):
        return True
    away = ("text-indent", "margin-left", "margin-top")
    away += ("left", "right", "top", "bottom") if get("position") in ("absolute", "fixed", "relative") else ()
    return any((_px(get(prop, "")) or 0) <= -FAR_PX for prop in away)


def _length(value: str) -> tuple[float, str] | None:
    found = _NUMBER.fullmatch(value)
    return None if found is None else (float(found[1]), found[2])


def _px(value: str) -> float | None:
    """A length in pixels of a page of usual size, or none where it cannot be told."""
    length = _length(value)
    if length is None:
        return None
    return 0.0 if length[0] == 0 else length[0] * _PX[length[1]] if length[1] in _PX else None


def _with_size(look: Look, value: str) -> Look:
    size = _px(value.partition("/")[0])
    return look if size is None and value in _KEEPS else replace(look, is_tiny=size is not None and size <= TINY_PX)


def _with_colour(look: Look, value: str) -> Look:
    if value in _KEEPS:
        return look
    return replace(look, colour=_colour(value), is_clear=_is_clear(value))


def _with_ground(look: Look, value: str) -> Look:
    if value in _KEEPS or value == "none" or _is_clear(value):
        return look
    return replace(look, ground=_colour(value))


def _is_clear(value: str) -> bool:
    if value == "transparent":
        return True
    rgb, six = _RGB.fullmatch(value), _HEX.fullmatch(value)
    if rgb is not None and rgb[4]:
        share = _length(rgb[4])
        return share is not None and share[0] / (100 if share[1] else 1) <= FAINT
    return six is not None and (six[1][3:] == "0" or six[1][6:] == "00") and len(six[1]) in (4, 8)


def _colour(value: str) -> Colour | None:
    if value in _NAMED:
        return _NAMED[value]
    six = _HEX.fullmatch(value)
    if six is not None:
        digits = "".join(2 * digit for digit in six[1][:3]) if len(six[1]) < 6 else six[1]
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    rgb = _RGB.fullmatch(value)
    return None if rgb is None else (min(int(rgb[1]), 255), min(int(rgb[2]), 255), min(int(rgb[3]), 255))


_CHANGES: tuple[tuple[str, Callable[[Look, str], Look]], ...] = (
    ("font-size", _with_size),
    ("color", _with_colour),
    ("-webkit-text-fill-color", _with_colour),
    ("background", _with_ground),
    ("background-color", _with_ground),
)
