"""The tree of an HTML source as a flat list of events, built by Lexbor from a skeleton of the source.

The skeleton holds every tag by name and the number of its token, and for every run of text the number of its token:
nothing else of the source reaches the tree builder. What makes building slow or large is left out of it: tags nested
deeper than 512 (as browsers do), formatting tags that change no reading, blanks beyond the first few in a row. And an
empty element parts the runs of text now and then, because the builder copies a text whenever it appends to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from eyeline.media.markup_scan import CLOSED, END, FOREIGN, OTHER, START, Scan, Token

ENTER, LEAVE, RUN = 0, 1, 2
NO_TOKEN = -1
MAX_DEPTH = 512
MAX_FORMATTING = 6
MAX_BLANKS = 8
MAX_RUNS = 16

Event = tuple[int, str, int]
"""Kind, lower-case element name, and number of the token; `NO_TOKEN` for what the source does not hold itself."""

# What the start of an element ends, so that many without end tags are no nesting.
_ENDED_BY = {
    "p": ("p",),
    "li": ("li", "p"),
    **dict.fromkeys(("dt", "dd"), ("dt", "dd", "p")),
    **dict.fromkeys(("rb", "rp", "rt", "rtc"), ("rb", "rp", "rt", "rtc")),
    "option": ("option",),
    "optgroup": ("option", "optgroup"),
    **dict.fromkeys(("td", "th"), ("td", "th", "p")),
    "tr": ("td", "th", "tr", "p", "caption", "colgroup"),
    **dict.fromkeys(
        ("tbody", "thead", "tfoot"), ("td", "th", "tr", "p", "tbody", "thead", "tfoot", "caption", "colgroup")
    ),
}
# The tree builder opens these again in every block until they are closed.
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_READ_FORMATTING = frozenset(("a", "code", "s", "strike"))
_CHANGES_LOOK = re.compile(r"style|hidden|color", re.IGNORECASE)
_PARTING = f"<{OTHER}></{OTHER}>"
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
        self._blanks = self._runs = 0
        self._formatting = 0

    def of(self, tokens: list[Token]) -> str:
        parts: list[str] = []
        for number, token in enumerate(tokens):
            if token.kind == CLOSED:
                parts.append(f'<{token.name} n="{number}"/>')
            elif token.kind == START:
                if self._opens(token):
                    parts.append(f'<{token.name} n="{number}">')
            elif token.kind == END:
                if self._closes(token.name):
                    parts.append(f"</{token.name}>")
            else:
                parts.append(self._run(number, token))
        return "".join(parts)

    def _run(self, number: int, token: Token) -> str:
        if token.end - token.start < 64 and self._text[token.start : token.end].isspace():
            self._blanks += 1
            return " " if self._blanks <= MAX_BLANKS else ""
        self._blanks = 0
        self._runs += 1
        is_parted = self._runs % MAX_RUNS == 0 and token.start and self._text[token.start - 1] == ">"
        return f"{_PARTING if is_parted else ''}{number};"

    def _opens(self, token: Token) -> bool:
        """Whether a start tag is kept; one that nests is counted as open."""
        name = token.name
        ended = _ENDED_BY.get(name, ())
        while self._open and self._open[-1] in ended:
            self._pop()
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
        """Whether a formatting tag matters: what it says, how it looks, or that it ends a drawing or a formula."""
        changes = token.name in _READ_FORMATTING or _CHANGES_LOOK.search(self._text, token.start, token.end)
        return bool(changes or self._foreign) and self._formatting < MAX_FORMATTING

    def _closes(self, name: str) -> bool:
        """Whether an end tag is kept: not where it answers a start tag that was left out."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return False
        if self._counts[name]:
            while self._pop() != name:
                pass
        return True

    def _pop(self) -> str:
        last = self._open.pop()
        self._counts[last] -= 1
        self._formatting -= last in _FORMATTING
        self._foreign -= last in FOREIGN
        return last
