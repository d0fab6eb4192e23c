"""XML as readable blocks: an outline of elements, attributes and text, each block with its place in the source.

Nothing outside the source is read, and no entity that the source declares is expanded: its declarations never reach
the parser. A reference to one stays as it is written in text, and is left out of attribute values. What was taken
before an error is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.entities import html5
from typing import NoReturn
from xml.parsers import expat

from eyeline.media.markup_blocks import NOWHERE, PIECE_CHARS, BlockWriter, Place
from eyeline.media.markup_inline import Inline, read_url
from eyeline.media.markup_pictures import Pictures, looks_like_picture

MAX_NODES = 500_000
MAX_RUNNING_CHARS = 20_000
MAX_INDENT = 16
MAX_VALUE_CHARS = 2000
ELEMENT, TEXT = "element", "text"

_DOCTYPE = "<!DOCTYPE x SYSTEM ''>"
"""What the parser sees in place of any document type: no declarations, and entities it need not know."""

# One that never ends takes the rest, so that nothing looks for its end twice.
_COMMENT = r"<!--(?:(?!-->)[\s\S])*+(?:-->|\Z)"
_INSTRUCTION = r"<\?(?:(?!\?>)[\s\S])*+(?:\?>|\Z)"
_LITERAL = "\"[^\"]*+\"|'[^']*+'"
_PROLOG = re.compile(rf"(?:\s++|{_INSTRUCTION}|{_COMMENT})*+")
_DECLARED = re.compile(
    rf"<!DOCTYPE(?:[^<>\"'\[\]]++|{_LITERAL})*+"
    rf"(?:\[(?:[^\"'\]<]++|{_LITERAL}|{_COMMENT}|{_INSTRUCTION}|<)*+\][^<>\[\]]*+)?+>"
)
_REFERENCE = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)[^\s;&<]{1,64};")
_END_OF_TAG = re.compile(rf"(?:[^\"'>]++|{_LITERAL})*+>")
_LINKS = ("href", "xlink:href", "url")
_VERBATIM = frozenset("programlisting screen literallayout code pre script style".split())
_SPACE = "xml:space"


@dataclass(frozen=True, slots=True)
class XmlFacts:
    """What reading came to.

    `end` is where the source was left, before its end where it is not well formed or too large. `references` were left
    as they are written; `cut` attribute values were too long to show whole.
    """

    end: int
    is_well_formed: bool
    unseen: dict[str, int]
    references: int
    cut: int


@dataclass(slots=True)
class _Node:
    """An element with what stands in it, or, without a name, a run of text. `chars` counts the text inside."""

    name: str
    start: int
    end: int
    tag_end: int = 0
    text: str = ""
    attributes: list[str] = field(default_factory=list[str])
    inner: list[_Node] = field(default_factory=list["_Node"])
    chars: int = 0
    has_elements: bool = False
    has_text: bool = False
    has_structure: bool = False
    is_verbatim: bool = False

    @property
    def is_running(self) -> bool:
        """Whether it reads as one run of text: no element inside it holds elements alone."""
        return not self.has_elements or (self.has_text and not self.has_structure and self.chars <= MAX_RUNNING_CHARS)


class _Stop(Exception):
    """Ends parsing from inside the parser."""


def read_xml(text: str, *, writer: BlockWriter, pictures: Pictures) -> XmlFacts:
    """Write the outline of a source, until its end, its first error, or until the writer is full."""
    tree = _Tree(text)
    tree.parse()
    outline = _Outline(writer, pictures)
    outline.write(tree.root)
    end = writer.stopped_at[0] if writer.is_full else tree.end
    return XmlFacts(end, tree.is_well_formed, {"comments": tree.comments}, tree.references, outline.cut)


class _Tree:
    """Builds the nodes of a source."""

    def __init__(self, text: str) -> None:
        self.root = _Node("", 0, 0)
        self.end, self.is_well_formed = 0, False
        self.comments = self.references = 0
        self._text = text
        self._open = [self.root]
        self._nodes = 0
        self._data, self._is_ascii = b"", True
        self._shift = 0
        self._bytes = self._chars = 0
        self._parser = expat.ParserCreate("utf-8")

    def parse(self) -> None:
        prolog = _PROLOG.match(self._text)
        start = prolog.end() if prolog else 0
        self.comments += sum(len(found) - 7 for found in re.findall(_COMMENT, self._text[:start]))
        if self._text.startswith("<!DOCTYPE", start):
            declared = _DECLARED.match(self._text, start)
            if declared is None:
                self.end = start
                return
            start = declared.end()
        self._shift = start - len(_DOCTYPE)
        self._data = (_DOCTYPE + self._text[start:]).encode("utf-8", "replace")
        self._is_ascii = self._text.isascii()
        self._listen()
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError:
            self.end = self._before_tag(self._at(self._parser.ErrorByteIndex))
        except _Stop:
            self.end, self.is_well_formed = self._here(), True
        else:
            self.end, self.is_well_formed = len(self._text), True
        while len(self._open) > 1:
            self._close(self.end)

    def _before_tag(self, at: int) -> int:
        """Where the tag begins that an error stands in."""
        start = self._text.rfind("<", max(0, at - MAX_VALUE_CHARS), at)
        return start if start >= 0 and self._text.find(">", start, at) < 0 else at

    def _listen(self) -> None:
        parser = self._parser
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._finish
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = self._comment
        parser.StartCdataSectionHandler = self._verbatim
        parser.SkippedEntityHandler = self._reference
        parser.EntityDeclHandler = self._refuse

    def _here(self) -> int:
        return self._at(self._parser.CurrentByteIndex)

    def _at(self, index: int) -> int:
        """A byte of what the parser reads, as a code point of the source; asked for in order, each is counted once."""
        if self._is_ascii:
            return max(index + self._shift, 0)
        if index < self._bytes:
            self._bytes = self._chars = 0
        self._chars += len(self._data[self._bytes : index].decode("utf-8", "replace"))
        self._bytes = index
        return max(self._chars + self._shift, 0)

    def _add(self, node: _Node) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _Stop
        self._open[-1].inner.append(node)

    def _start(self, name: str, attributes: list[str]) -> None:
        start = self._here()
        tag = _END_OF_TAG.match(self._text, start)
        end = tag.end() if tag else start
        node = _Node(name, start, end, end, attributes=attributes)
        if self._text.find("&", start, end) >= 0:
            self.references += len(_REFERENCE.findall(self._text[start:end]))
        node.is_verbatim = name.rpartition(":")[2] in _VERBATIM or "preserve" in _value(attributes, _SPACE)
        self._add(node)
        self._open.append(node)

    def _finish(self, _: str) -> None:
        at = self._here()
        is_empty_tag = at == self._open[-1].tag_end and self._text.startswith("/>", at - 2)
        self._close(at if is_empty_tag else self._text.find(">", at) + 1 or len(self._text))

    def _close(self, end: int) -> None:
        node = self._open.pop()
        node.end, outer = end, self._open[-1]
        outer.chars += node.chars
        outer.has_elements = True
        outer.has_structure = outer.has_structure or not node.is_running

    def _characters(self, text: str) -> None:
        start, outer = self._here(), self._open[-1]
        last = outer.inner[-1] if outer.inner else None
        if last is not None and not last.name and len(last.text) + len(text) <= PIECE_CHARS:
            last.text, last.end = last.text + text, start + len(text)
        else:
            for at in range(0, len(text), PIECE_CHARS):
                piece = text[at : at + PIECE_CHARS]
                self._add(_Node("", start + at, start + at + len(piece), text=piece))
        outer.chars += len(text)
        outer.has_text = outer.has_text or not text.isspace()

    def _reference(self, name: str, is_parameter: bool) -> None:
        del is_parameter
        known = html5.get(f"{name};")
        self.references += known is None
        self._characters(f"&{name};" if known is None else known)

    def _comment(self, text: str) -> None:
        self.comments += len(text)

    def _verbatim(self) -> None:
        self._open[-1].is_verbatim = True

    def _refuse(self, *_: object) -> NoReturn:
        raise _Stop


def _value(attributes: list[str], name: str) -> str:
    if name not in attributes:
        return ""
    return next((attributes[at + 1] for at in range(0, len(attributes), 2) if attributes[at] == name), "")


class _Outline:
    """Writes nodes as lines, each element further in than the one around it."""

    def __init__(self, writer: BlockWriter, pictures: Pictures) -> None:
        self.cut = 0
        self._writer = writer
        self._pictures = pictures

    def write(self, root: _Node) -> None:
        waiting = [(node, 0) for node in reversed(root.inner)]
        while waiting and not self._writer.is_full:
            node, depth = waiting.pop()
            indent = "  " * min(depth, MAX_INDENT)
            if not node.name:
                line = Inline()
                line.add(node.text, (node.start, node.end))
                self._line(TEXT, indent, line.take())
            elif node.is_running:
                self._line(ELEMENT, indent, [*self._head(node), *self._running(node, indent)])
            else:
                self._line(ELEMENT, indent, self._head(node))
                waiting += [(inner, depth + 1) for inner in reversed(node.inner)]

    def _line(self, kind: str, indent: str, pieces: list[tuple[str, Place]]) -> None:
        if not pieces:
            return
        self._writer.begin(kind, tight="outline")
        self._writer.write(indent, NOWHERE)
        for text, place in pieces:
            self._writer.write(text, place)
        self._writer.end()

    def _head(self, node: _Node) -> list[tuple[str, Place]]:
        """Name and attributes; an element that reads as one run has the place of all of it."""
        is_short = node.is_running and node.chars <= PIECE_CHARS
        tag = (node.start, node.end if is_short else node.tag_end)
        shown = [node.name]
        for at in range(0, len(node.attributes), 2):
            name, value = node.attributes[at], node.attributes[at + 1]
            if name != "xmlns" and not name.startswith("xmlns:"):
                shown.append(f'{name}="{self._shown(value, (node.start, node.end))}"')
        return [(" ".join(shown), tag)]

    def _shown(self, value: str, place: Place) -> str:
        if value[:11].lower() == "data:image/":
            return self._pictures.take_uri(value, place) or "data:"
        self.cut += len(value) > MAX_VALUE_CHARS
        short = value if len(value) <= MAX_VALUE_CHARS else value[:MAX_VALUE_CHARS] + "…"
        return short.replace("\n", " ")

    def _running(self, node: _Node, indent: str) -> list[tuple[str, Place]]:
        """What an element says, after a colon: one line, or its own lines further in where blanks count."""
        if not node.has_text:
            return []
        place = (node.start, node.end)
        if not node.has_elements and looks_like_picture(node.inner[0].text):
            path = self._pictures.take_base64("".join(each.text for each in node.inner), place)
            return [(f": ![{node.name}]({path})" if path else f": ![{node.name}]", place)]
        if node.is_verbatim and not node.has_elements:
            inside = f"\n{indent}  "
            lines = [(each.text.replace("\n", inside), (each.start, each.end)) for each in node.inner]
            return [(":" if node.inner[0].text.startswith("\n") else f":{inside}", NOWHERE), *lines]
        return [(": ", NOWHERE), *_run_of(node)]


def _run_of(node: _Node) -> list[tuple[str, Place]]:
    """The text inside a node on one line, with the addresses of its links."""
    line = Inline()
    waiting: list[_Node | tuple[tuple[int, int], str, Place]] = [*reversed(node.inner)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            if line.wraps(each[0]):
                line.wrap(each[0], "[", f"]({each[1]})", place=each[2])
        elif each.name:
            url = read_url(next(filter(None, (_value(each.attributes, name) for name in _LINKS)), ""))
            if url:
                waiting.append((line.mark(), url, (each.start, each.end)))
            waiting += reversed(each.inner)
        else:
            line.add(each.text, (each.start, each.end))
    return line.take()
