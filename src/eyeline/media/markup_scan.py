"""Cutting HTML into tags and runs of text with their places, as the HTML standard cuts it, in linear time.

Places are half-open ranges of code points of the decoded source. The tree is built elsewhere, from the tags alone: so
a huge attribute, a script or a picture inside an attribute never reaches the builder, and every text keeps its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

START, END, TEXT = "start", "end", "text"
MAX_TOKENS = 1_000_000
RUN_CHARS, LONG_RUN_CHARS = 600, 1200
MAX_ATTRIBUTES = 256
OTHER = "x-other"
VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
FOREIGN = frozenset(("svg", "math"))

_RAW = frozenset("script style iframe noembed noframes xmp title textarea".split())
# A form feed is a picture of itself once the text is decoded.
_WS = "\t\n\r\f \u240c"
_ATTRIBUTE = (
    rf"[^{_WS}/>][^{_WS}/>=]*+"
    rf"(?:[{_WS}]*+=[{_WS}]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^{_WS}\"'>][^{_WS}>]*+|(?=>)))?+"
)
_TAG = re.compile(rf"<(/?)([A-Za-z][^{_WS}/>]*+)(?:[{_WS}/]++|{_ATTRIBUTE})*+>")
_ONE_ATTRIBUTE = re.compile(
    rf"([^{_WS}/>][^{_WS}/>=]*+)(?:[{_WS}]*+=[{_WS}]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^{_WS}\"'>][^{_WS}>]*+)|(?=>)))?+"
)
_OPENING = re.compile(r"<(?:[A-Za-z!?]|/[\s\S])")
_COMMENT_END = re.compile(r"--!?>")
_NAME = re.compile(r"[a-z][a-z0-9:_.-]{0,63}")
_SPACE = re.compile(rf"[{_WS}\u00a0]")
_SCRIPT_MARKS = re.compile(rf"<!--|-->|<(/?)script(?=[{_WS}/>])", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:#\d+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*(?:;|(?![=A-Za-z0-9;])))")
# Numbers of this length name no character, and Python refuses to read the longest of them.
_BIG_REFERENCE = re.compile(r"&#(?:[xX]0*+[0-9a-fA-F]{7,}|0*+[0-9]{8,});?")


class Token(NamedTuple):
    """A tag or a run of text: `kind`, lower-case name of a tag, and place."""

    kind: str
    name: str
    start: int
    end: int


@dataclass(slots=True)
class Scan:
    """What a source holds. `end` is where scanning stopped; characters of comments, scripts and styles are counted."""

    tokens: list[Token] = field(default_factory=list[Token])
    end: int = 0
    is_complete: bool = True
    unseen: dict[str, int] = field(default_factory=lambda: {"comments": 0, "scripts": 0, "styles": 0})


def scan(text: str, *, max_tokens: int = MAX_TOKENS) -> Scan:
    """Cut a source; a tag that never ends takes the rest of the source with it, as in a browser."""
    return _Scanner(text, max_tokens).run()


def decoded(text: str) -> str:
    """A run of text with its character references resolved."""
    return unescape(_BIG_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def attributes_of(text: str, token: Token) -> dict[str, str]:
    """Attributes of a tag by lower-case name, the first of a name, at most 256 of them."""
    found: dict[str, str] = {}
    at = token.start + 1 + len(token.name)
    for match in _ONE_ATTRIBUTE.finditer(text, at, token.end - 1):
        name = match[1].lower() if len(match[1]) < 64 else ""
        if name and name not in found:
            found[name] = _attribute_value(match[2] or match[3] or match[4] or "")
        if len(found) >= MAX_ATTRIBUTES:
            break
    return found


def _attribute_value(raw: str) -> str:
    # A name without its semicolon is left alone where it could be part of an address.
    return _REFERENCE.sub(lambda found: decoded(found[0]), raw) if "&" in raw else raw


class _Scanner:
    def __init__(self, text: str, max_tokens: int) -> None:
        self._text = text
        self._max = max_tokens
        self._foreign = 0
        self.found = Scan()

    def run(self) -> Scan:
        text, at = self._text, 0
        while len(self.found.tokens) < self._max:
            opening = _OPENING.search(text, at)
            if opening is None:
                self._add_text(at, len(text))
                self.found.end = len(text)
                return self.found
            self._add_text(at, opening.start())
            at = self._markup(opening.start())
        self.found.end = at
        self.found.is_complete = at >= len(text)
        return self.found

    def _add_text(self, start: int, end: int) -> None:
        while end - start > LONG_RUN_CHARS:
            space = _SPACE.search(self._text, start + RUN_CHARS, end)
            if space is None:
                break
            self.found.tokens.append(Token(TEXT, "", start, space.end()))
            start = space.end()
        if start < end:
            self.found.tokens.append(Token(TEXT, "", start, end))

    def _markup(self, at: int) -> int:
        """Take what begins here with `<`, and return where it ends."""
        second = self._text[at + 1]
        if second == "!":
            return self._declaration(at)
        if second == "?" or (second == "/" and not self._text[at + 2].isascii()):
            return self._comment(at, self._text.find(">", at) + 1)
        if second == "/" and not self._text[at + 2].isalpha():
            return at + 3 if self._text[at + 2] == ">" else self._comment(at, self._text.find(">", at) + 1)
        tag = _TAG.match(self._text, at)
        if tag is None:
            return len(self._text)
        name = tag[2].lower() if len(tag[2]) <= 64 else OTHER
        token = Token(END if tag[1] else START, name if _NAME.fullmatch(name) else OTHER, at, tag.end())
        self.found.tokens.append(token)
        return self._after_tag(token)

    def _declaration(self, at: int) -> int:
        text = self._text
        if text.startswith("<!--", at):
            if text.startswith((">", "->"), at + 4):
                return text.index(">", at) + 1
            end = _COMMENT_END.search(text, at + 4)
            return self._comment(at, end.end() if end else 0)
        if self._foreign and text.startswith("<![CDATA[", at):
            end = text.find("]]>", at)
            self._add_text(at + 9, len(text) if end < 0 else end)
            return len(text) if end < 0 else end + 3
        end = text.find(">", at) + 1 or len(text)
        return end if text[at + 2 : at + 9].lower() == "doctype" else self._comment(at, end)

    def _comment(self, start: int, end: int) -> int:
        end = end or len(self._text)
        self.found.unseen["comments"] += max(end - start - 7, 0)
        return end

    def _after_tag(self, token: Token) -> int:
        """What follows a tag: for the few elements that hold characters only, their content and end tag too."""
        name, is_closed = token.name, self._text.endswith("/>", token.start, token.end)
        if name in FOREIGN:
            self._foreign = max(0, self._foreign + (-1 if token.kind == END else 0 if is_closed else 1))
        if token.kind == END or (self._foreign and is_closed):
            return token.end
        if name == "plaintext":
            self._add_text(token.end, len(self._text))
            return len(self._text)
        return self._characters(token) if name in _RAW else token.end

    def _characters(self, token: Token) -> int:
        text, name = self._text, token.name
        if name == "script":
            end = _script_end(text, token.end)
        else:
            found = re.compile(rf"</{name}(?=[{_WS}/>])", re.IGNORECASE).search(text, token.end)
            end = found.start() if found else len(text)
        if name in ("script", "style"):
            self.found.unseen[name + "s"] += end - token.end
        elif name in ("title", "textarea", "xmp"):
            self._add_text(token.end, end)
        return end


def _script_end(text: str, at: int) -> int:
    """Where a script ends: an end tag inside `<!--` that answers a start tag inside it does not count."""
    is_escaped = is_double = False
    for mark in _SCRIPT_MARKS.finditer(text, at):
        if mark[0] == "<!--":
            is_escaped = True
        elif mark[0] == "-->":
            is_escaped = is_double = False
        elif mark[1] and not is_double:
            return mark.start()
        elif is_escaped:
            is_double = not mark[1]
    return len(text)
