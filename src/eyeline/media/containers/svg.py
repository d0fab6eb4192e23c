"""Reads an SVG drawing as XML: what it says in words, what it reaches for outside, and how much drawing it asks for.

Nothing outside the file is read. Entities that the file declares are expanded within the bounds of the XML parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from eyeline.errors import MediaTooLarge, UnsupportedMedia
from eyeline.media.containers.facts import Container, damaged
from eyeline.media.containers.view import BLOCK, ByteView

SIZE_LIMIT = 64 << 20
MAX_ELEMENTS = 1_000_000
MAX_REFERENCES = 500_000
"""Copies and paints that are followed; a drawing may refer to a part that refers to others, and so on."""

MAX_TEXT_CHARS = 4_000_000
_SPOKEN = {"text": "text", "title": "title", "desc": "description"}
_POINTER = re.compile(r"url\(\s*['\"]?#([^)'\"\s]{1,256})")
_LINKS = ("href", "xlink:href")
_ACTIVE = frozenset(("script", "animate", "animateTransform", "animateMotion", "set"))


@dataclass(frozen=True, slots=True)
class Spoken:
    """One run of words: `text`, `title` or `description`."""

    kind: str
    text: str


@dataclass(slots=True)
class Drawing:
    """What a drawing holds. `outside`: addresses it names beyond itself; `references`: parts drawn through others."""

    words: list[Spoken] = field(default_factory=list[Spoken])
    outside: int = 0
    references: int = 0
    pictures: int = 0
    is_active: bool = False
    is_cut: bool = False


def scan_svg(view: ByteView) -> Container:
    """Facts of a drawing but its size, which the decoder tells. `pieces` make the decoder read memory, never a file.

    Raises `CorruptMedia`; `UnsupportedMedia` for more references than are followed; `MediaTooLarge`.
    """
    drawing = read_drawing(view)
    if drawing.references > MAX_REFERENCES:
        raise UnsupportedMedia(
            f"the drawing asks for more than {MAX_REFERENCES} parts to be drawn through others",
            hint="its words and its exact bytes can still be had",
            family="image",
            reason="too_complex",
        )
    facts = Container(has_alpha=True, ended=True, pieces=((0, view.size),), held={"text"})
    for code, holds in (
        ("outside_not_followed", drawing.outside > 0),
        ("motion_not_shown", drawing.is_active),
    ):
        if holds:
            facts.note(code)
    return facts


def read_drawing(view: ByteView) -> Drawing:
    """Read the whole drawing. Raises `CorruptMedia` where it is not well formed, `MediaTooLarge` past the bounds."""
    if view.size > SIZE_LIMIT:
        raise MediaTooLarge(
            f"a drawing of {view.size} bytes is above {SIZE_LIMIT}",
            outcome="over_memory",
            asked=view.size,
            allowed=SIZE_LIMIT,
        )
    walk = _Walk()
    try:
        for _, block in view.blocks(0, block=BLOCK):
            walk.parser.Parse(block, False)
        walk.parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as exc:
        is_cut = (
            getattr(exc, "code", 0) in (_NO_ELEMENTS, _UNCLOSED, _PARTIAL)
            and walk.parser.CurrentByteIndex >= view.size - 4096
        )
        raise damaged("not_well_formed", outcome="truncated" if is_cut else "malformed") from exc
    return walk.finished()


_NO_ELEMENTS = expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
_UNCLOSED = expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN]
_PARTIAL = expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR]


class _Walk:
    """One pass over the elements. A part is what has an id; the whole drawing is the part without a name."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self._drawing = Drawing()
        self._elements = self._chars = 0
        self._open: list[tuple[str, str | None]] = []
        self._parts: list[str] = [""]
        self._reaches: dict[str, list[str]] = {"": []}
        self._drawn: dict[str, int] = {"": 0}
        self._words: list[str] = []
        self._kind: str | None = None
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def finished(self) -> Drawing:
        """What was found, with the references counted along their ways."""
        self._drawing.references = _ways(self._reaches, self._drawn)
        return self._drawing

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            self._stop()
        local = name.rpartition(":")[2]
        part = attributes.get("id")
        self._open.append((local, part))
        if part is not None:
            self._reaches[self._parts[-1]].append(part)
            self._reaches.setdefault(part, [])
            self._drawn.setdefault(part, 0)
            self._parts.append(part)
        self._refer(local, attributes)
        self._drawing.is_active = self._drawing.is_active or local in _ACTIVE
        if self._kind is None and local in _SPOKEN:
            self._kind = local
        elif self._kind is not None and local in ("tspan", "textPath") and self._words:
            self._words.append(" ")

    def _refer(self, local: str, attributes: dict[str, str]) -> None:
        here = self._parts[-1]
        for name, value in attributes.items():
            if "url(" in value:
                found = _POINTER.findall(value)
                self._reaches[here] += found
                self._drawn[here] += len(found)
            if name not in _LINKS:
                continue
            if local == "image":
                self._drawing.pictures += 1
            if value.startswith("#"):
                if local != "a":
                    self._reaches[here].append(value[1:])
                    self._drawn[here] += 1
            elif local != "a" and not value.startswith("data:"):
                self._drawing.outside += 1

    def _end(self, name: str) -> None:
        local, part = self._open.pop()
        if part is not None:
            self._parts.pop()
        if self._kind == local and not any(each == local for each, _ in self._open):
            text = " ".join("".join(self._words).split())
            if text:
                self._drawing.words.append(Spoken(_SPOKEN[local], text))
            self._words, self._kind = [], None
        del name

    def _characters(self, text: str) -> None:
        if self._kind is not None:
            self._chars += len(text)
            if self._chars <= MAX_TEXT_CHARS:
                self._words.append(text)

    def _stop(self) -> NoReturn:
        raise UnsupportedMedia(
            f"the drawing has more than {MAX_ELEMENTS} elements", family="image", reason="too_complex"
        )


def _ways(reaches: dict[str, list[str]], drawn: dict[str, int]) -> int:
    """How many references are followed from the whole drawing on; a circle counts once, and counting stops in time."""
    counts: dict[str, int] = {}
    waiting: list[tuple[str, bool]] = [("", False)]
    entered: set[str] = set()
    while waiting:
        part, is_left = waiting.pop()
        if is_left:
            beyond = sum(counts.get(each, 0) for each in reaches.get(part, ()))
            counts[part] = min(drawn.get(part, 0) + beyond, MAX_REFERENCES * 4)
        elif part not in entered:
            entered.add(part)
            waiting.append((part, True))
            waiting += [(each, False) for each in reaches.get(part, ()) if each not in entered]
    return counts[""]
