"""The tree of an HTML source as a flat list of events, built by Lexbor from a skeleton of the source.

The skeleton holds every tag by name and the number of its token, and for every run of text the number of its token:
nothing else of the source reaches the tree builder. What makes trees grow without bound is left out of it, so that
building stays linear: tags nested deeper than 512 (as browsers do) and formatting tags that change no reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from eyeline.media.markup_scan import END, FOREIGN, START, TEXT, VOID, Scan, Token

ENTER, LEAVE, RUN = 0, 1, 2
NO_TOKEN = -1
MAX_DEPTH = 512
MAX_FORMATTING = 6

Event = tuple[int, str, int]
"""Kind, lower-case element name, and number of the token; `NO_TOKEN` for what the source does not hold itself."""

# Their end is implied, so an unclosed one is no nesting.
_IMPLIED = frozenset("p li dt dd option optgroup tr td th thead tbody tfoot caption colgroup rp rt rb rtc".split())
# The tree builder opens these again in every block until they are closed.
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_READ_FORMATTING = frozenset(("a", "code", "s", "strike"))
_CHANGES_LOOK = re.compile(r"style|hidden|color", re.IGNORECASE)
_MARKER = re.compile(r"(\d+);| +")


def events_of(text: str, scan: Scan) -> Iterator[Event]:
    """Elements and runs of text in the order of the tree."""
    skeleton = _Skeleton(text).of(scan.tokens)
    parser = LexborHTMLParser(skeleton, options=LexborDocumentOptions.WO_EVENTS)
    root = parser.root
    if root is not None:
        yield from _walk(root)


def _walk(root: LexborNode) -> Iterator[Event]:
    node, names = root, list[str]()
    while True:
        inner: LexborNode | None = None
        if node.is_text_node:
            for marker in _MARKER.finditer(node.text_content or ""):
                yield RUN, "", int(marker[1]) if marker[1] else NO_TOKEN
        elif node.is_element_node:
            name = (node.tag or "").lower()
            yield ENTER, name, int(node.attrs.get("n") or NO_TOKEN)
            names.append(name)
            inner = node.first_child
            if inner is None:
                yield LEAVE, names.pop(), NO_TOKEN
        if inner is None:
            following = node.next
            while following is None:
                parent = node.parent
                if not names or parent is None:
                    return
                yield LEAVE, names.pop(), NO_TOKEN
                node, following = parent, parent.next if names else None
            inner = following
        node = inner


class _Skeleton:
    """Writes the skeleton, keeping count of what stands open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._foreign = 0
        self._formatting = 0

    def of(self, tokens: list[Token]) -> str:
        parts: list[str] = []
        for number, token in enumerate(tokens):
            if token.kind == TEXT:
                is_blank = token.end - token.start < 64 and not self._text[token.start : token.end].strip()
                parts.append(" " if is_blank else f"{number};")
            elif token.kind == START and self._opens(token):
                is_closed = self._is_closed(token)
                parts.append(f'<{token.name} n="{number}"{"/" if is_closed else ""}>')
            elif token.kind == END and self._closes(token.name):
                parts.append(f"</{token.name}>")
        return "".join(parts)

    def _is_closed(self, token: Token) -> bool:
        return self._foreign > 0 and self._text.endswith("/>", token.start, token.end)

    def _opens(self, token: Token) -> bool:
        """Whether a start tag is kept; one that nests is counted as open."""
        name = token.name
        if name in VOID or self._is_closed(token) or (name in _IMPLIED and not self._foreign):
            return True
        is_formatting = name in _FORMATTING
        if len(self._open) >= MAX_DEPTH or (is_formatting and not self._is_read(token)):
            self._dropped[name] += 1
            return False
        self._open.append(name)
        self._counts[name] += 1
        self._formatting += is_formatting
        self._foreign += name in FOREIGN
        return True

    def _is_read(self, token: Token) -> bool:
        changes = token.name in _READ_FORMATTING or _CHANGES_LOOK.search(self._text, token.start, token.end)
        return bool(changes) and self._formatting < MAX_FORMATTING

    def _closes(self, name: str) -> bool:
        """Whether an end tag is kept: not where it answers a start tag that was left out."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return False
        while self._counts[name]:
            last = self._open.pop()
            self._counts[last] -= 1
            self._formatting -= last in _FORMATTING
            self._foreign -= last in FOREIGN
            if last == name:
                break
        return True
