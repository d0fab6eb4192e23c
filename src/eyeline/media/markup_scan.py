"""Cutting HTML into tags and runs of text with their places, as the HTML standard cuts it, in linear time.

Places are half-open ranges of code points of the decoded source. The tree is built elsewhere, from the tags alone: so
a huge attribute, a script or a picture inside an attribute never reaches the builder, and every text keeps its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5
from typing import NamedTuple

START, CLOSED, END, TEXT, RAW = "start", "closed", "end", "text", "raw"
MAX_TOKENS = 1_000_000
RUN_CHARS, LONG_RUN_CHARS = 600, 1200
MAX_ATTRIBUTES = 256
MAX_SPACES = 64
OTHER = "x-other"
FOREIGN = frozenset(("svg", "math"))

_VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_CHARACTERS = frozenset("script style iframe noembed noframes xmp title textarea".split())
_SHOWN_CHARACTERS = {"title": TEXT, "textarea": TEXT, "xmp": RAW}
# In drawings and formulas these hold HTML again, and those end the drawing.
_HTML_INSIDE = {
    "svg": frozenset("foreignobject desc title".split()),
    "math": frozenset("mi mo mn ms mtext annotation-xml".split()),
}
_HTML_AGAIN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
_HTML_FONT = re.compile(r"<font\s[^>]*\b(?:color|face|size)\b", re.IGNORECASE)
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
    """A tag or a run of text: `kind`, lower-case name of a tag, and place.

    `CLOSED` is the start tag of an element without content; `RAW` is text without character references.
    """

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


def text_of(text: str, token: Token) -> str:
    """What a run of text says: its character references are resolved unless it is raw."""
    run = text[token.start : token.end]
    return run if token.kind == RAW else _resolved(run)


def _resolved(text: str) -> str:
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
    return _REFERENCE.sub(_reference_in_value, raw) if "&" in raw else raw


def _reference_in_value(found: re.Match[str]) -> str:
    # A name is a reference only as a whole: else it could be part of an address.
    is_reference = found[0].startswith("&#") or found[0][1:] in html5
    return _resolved(found[0]) if is_reference else found[0]


class _Scanner:
    def __init__(self, text: str, max_tokens: int) -> None:
        self._text = text
        self._max = max_tokens
        self._spaces: list[str] = []
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

    def _is_foreign(self) -> bool:
        return bool(self._spaces) and self._spaces[-1] in FOREIGN

    def _add_text(self, start: int, end: int, kind: str = TEXT) -> None:
        while end - start > LONG_RUN_CHARS:
            space = _SPACE.search(self._text, start + RUN_CHARS, end)
            if space is None:
                break
            self.found.tokens.append(Token(kind, "", start, space.end()))
            start = space.end()
        if start < end:
            self.found.tokens.append(Token(kind, "", start, end))

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
        is_foreign = self._is_foreign() and name not in _HTML_AGAIN
        ends_itself = self._text.endswith("/>", at, tag.end())
        is_closed = ends_itself if is_foreign or name in FOREIGN else name in _VOID
        kind = END if tag[1] else CLOSED if is_closed else START
        token = Token(kind, name if _NAME.fullmatch(name) else OTHER, at, tag.end())
        self.found.tokens.append(token)
        return self._after_tag(token)

    def _declaration(self, at: int) -> int:
        text = self._text
        if text.startswith("<!--", at):
            if text.startswith((">", "->"), at + 4):
                return text.index(">", at) + 1
            end = _COMMENT_END.search(text, at + 4)
            return self._comment(at, end.end() if end else 0)
        if self._is_foreign() and text.startswith("<![CDATA[", at):
            end = text.find("]]>", at)
            self._add_text(at + 9, len(text) if end < 0 else end, RAW)
            return len(text) if end < 0 else end + 3
        end = text.find(">", at) + 1 or len(text)
        return end if text[at + 2 : at + 9].lower() == "doctype" else self._comment(at, end)

    def _comment(self, start: int, end: int) -> int:
        end = end or len(self._text)
        self.found.unseen["comments"] += max(end - start - 7, 0)
        return end

    def _after_tag(self, token: Token) -> int:
        """What follows a tag: for the few elements that hold characters only, their content and end tag too."""
        name = token.name
        if token.kind == END:
            self._close_space(name)
            return token.end
        is_font = name == "font" and _HTML_FONT.match(self._text, token.start, token.end)
        if self._is_foreign() and (name in _HTML_AGAIN or is_font):
            self._spaces.clear()
        if token.kind == CLOSED or self._is_foreign() or name in FOREIGN:
            holds_html = self._is_foreign() and name in _HTML_INSIDE[self._spaces[-1]]
            if token.kind == START and (name in FOREIGN or holds_html) and len(self._spaces) < MAX_SPACES:
                self._spaces.append(name)
            return token.end
        if name == "plaintext":
            self._add_text(token.end, len(self._text), RAW)
            return len(self._text)
        return self._characters(token) if name in _CHARACTERS else token.end

    def _close_space(self, name: str) -> None:
        if self._is_foreign() and name in ("p", "br"):
            self._spaces.clear()
        elif name in self._spaces:
            del self._spaces[len(self._spaces) - 1 - self._spaces[::-1].index(name) :]

    def _characters(self, token: Token) -> int:
        text, name = self._text, token.name
        if name == "script":
            end = _script_end(text, token.end)
        else:
            found = re.compile(rf"</{name}(?=[{_WS}/>])", re.IGNORECASE).search(text, token.end)
            end = found.start() if found else len(text)
        if name in ("script", "style"):
            self.found.unseen[name + "s"] += end - token.end
        elif name in _SHOWN_CHARACTERS:
            self._add_text(token.end, end, _SHOWN_CHARACTERS[name])
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
