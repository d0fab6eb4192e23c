"""HTML as readable blocks: what the page shows, in the order of its tree, each block with its place in the source.

Scripts, styles, comments and what a picture of the page would not show are left out and counted. Nothing outside the
source is ever fetched: an address stays an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, repeat

from eyeline.media.markup_blocks import NOWHERE, BlockWriter, Place
from eyeline.media.markup_inline import read_url
from eyeline.media.markup_layout import Layout, Undo
from eyeline.media.markup_look import Look, look_of
from eyeline.media.markup_pictures import Pictures
from eyeline.media.markup_scan import RAW, TEXT, Scan, attributes_of, scan, text_of
from eyeline.media.markup_tables import TableFacts, spans, table_facts
from eyeline.media.markup_tree import ENTER, NO_TOKEN, RUN, Event, events_of

# Elements whose content no page shows, whatever its style.
_UNSHOWN = frozenset(
    "script style template noembed noframes canvas datalist object audio video iframe metadata defs symbol desc"
    " annotation annotation-xml title".split()
)
_BLOCKS = (
    "address article aside body caption center details dialog div dl dt fieldset figcaption figure footer form frameset"
    " header hgroup html legend main nav optgroup p search section select summary tbody tfoot thead"
).split()
_OUTSIDE = {"iframe": "src", "embed": "src", "frame": "src", "video": "src", "audio": "src", "object": "data"}
_HAS_LOOK = re.compile(r"style|hidden|color|<body|<dialog", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([A-Za-z0-9+#]{1,20})(?=\s|$)")
_NOTHING: dict[str, str] = {}

Begin = Callable[[dict[str, str], Place], "Undo | None"]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What reading a page came to.

    `end` is where the source was left. `unseen` counts characters that the page does not show, by what they stand in:
    `elements`, `comments`, `scripts`, `styles`. `outside` counts pictures and media that only their addresses name.
    """

    end: int
    unseen: dict[str, int]
    outside: int


@dataclass(slots=True)
class _Frame:
    """One open element: how text looks in it, whether its content and its text are shown, what ends what it began."""

    name: str
    look: Look
    is_shown: bool
    shows_text: bool
    undo: Undo | None


_OUTERMOST = _Frame("", Look(), is_shown=True, shows_text=True, undo=None)


def read_html(text: str, *, writer: BlockWriter, pictures: Pictures) -> PageFacts:
    """Write the blocks of a page, until its end or until the writer is full."""
    found = scan(text)
    return _Page(text, found, writer=writer, pictures=pictures).read(list(events_of(text, found)))


class _Page:
    def __init__(self, text: str, found: Scan, *, writer: BlockWriter, pictures: Pictures) -> None:
        self._text, self._scan, self._tokens = text, found, found.tokens
        self._writer, self._pictures = writer, pictures
        self._layout = Layout(writer)
        self._frames: list[_Frame] = []
        self._met = bytearray(len(found.tokens))
        self._hidden = self._outside = 0
        self._tables = chain[TableFacts]()
        self._begin = self._table_of_elements()

    def read(self, events: list[Event]) -> PageFacts:
        self._tables = chain(table_facts(events, self._text, self._tokens), repeat(TableFacts(is_layout=True)))
        for kind, name, number in events:
            if kind == RUN:
                self._run(number)
            elif kind == ENTER:
                self._enter(name, number)
            else:
                self._leave()
            if self._writer.is_full:
                break
        else:
            self._layout.flush()
            self._hidden += sum(self._chars_of(number) for number in range(len(self._tokens)) if not self._met[number])
        end = self._writer.stopped_at[0] if self._writer.is_full else self._scan.end
        return PageFacts(end, {"elements": self._hidden, **self._scan.unseen}, self._outside)

    def _chars_of(self, number: int) -> int:
        token = self._tokens[number]
        return len(self._text[token.start : token.end].strip()) if token.kind in (TEXT, RAW) else 0

    def _run(self, number: int) -> None:
        if number == NO_TOKEN:
            self._layout.text(" ", NOWHERE)
            return
        self._met[number] = True
        if self._frames[-1].shows_text:
            token = self._tokens[number]
            self._layout.text(text_of(self._text, token), (token.start, token.end))
        else:
            self._hidden += self._chars_of(number)

    def _enter(self, name: str, number: int) -> None:
        outer = self._frames[-1] if self._frames else _OUTERMOST
        attributes, place = _NOTHING, NOWHERE
        frame = _Frame(name, outer.look, outer.is_shown, outer.shows_text, undo=None)
        if number != NO_TOKEN:
            self._met[number] = True
            token = self._tokens[number]
            place = (token.start, token.end)
            if token.end - token.start > len(name) + 2 or name == "dialog":
                has_look = _HAS_LOOK.search(self._text, token.start, token.end) is not None
                attributes = attributes_of(self._text, token) if has_look or name in self._begin else _NOTHING
                frame.look = look_of(name, attributes, outer.look) if has_look else outer.look
        if name in _UNSHOWN and not (name == "title" and outer.name == "head"):
            frame.is_shown = frame.shows_text = False
        elif frame.look is not outer.look:
            frame.shows_text = frame.is_shown and frame.look.shows
        self._frames.append(frame)
        if name in self._begin and outer.is_shown and not frame.look.is_hidden:
            frame.undo = self._begin[name](attributes, place)

    def _leave(self) -> None:
        frame = self._frames.pop()
        if frame.undo is not None:
            frame.undo()

    def _table_of_elements(self) -> dict[str, Begin]:
        layout = self._layout
        begin: dict[str, Begin] = {name: lambda _, __: layout.block() for name in _BLOCKS}
        begin |= {f"h{level}": lambda _, __, level=level: layout.heading(level) for level in range(1, 7)}
        begin |= dict.fromkeys(("pre", "listing", "xmp", "plaintext"), self._code)
        begin |= {name: self._outside_media(name, attribute) for name, attribute in _OUTSIDE.items()}
        begin |= {name: lambda _, __: layout.listing(None) for name in ("ul", "menu", "dir")}
        begin |= {name: lambda got, _: layout.cell(spans(got)) for name in ("td", "th")}
        begin |= {name: self._wrapped("~~", "~~") for name in ("s", "strike", "del")}
        begin |= {name: lambda _, __: layout.text(" ", NOWHERE) for name in ("option", "text")}
        single: dict[str, Begin] = {
            "a": self._link,
            "blockquote": lambda _, __: layout.contained("> ", "> "),
            "br": lambda _, __: layout.line_break(),
            "code": self._wrapped("`", "`"),
            "dd": lambda _, __: layout.contained(": ", "  "),
            "hr": lambda _, place: layout.rule(place),
            "image": self._image,
            "img": self._image,
            "input": self._input,
            "li": lambda _, __: layout.item(),
            "ol": lambda got, _: layout.listing(_start(got)),
            "q": self._wrapped("“", "”"),
            "sup": self._wrapped("^", ""),
            "table": lambda _, __: layout.table(next(self._tables)),
            "title": lambda _, __: layout.block(),
            "tr": lambda _, __: layout.row(),
        }
        return begin | single

    def _wrapped(self, before: str, after: str) -> Begin:
        def begin(_: dict[str, str], place: Place) -> Undo:
            mark = self._layout.inline.mark()

            def end() -> None:
                if self._layout.inline.wraps(mark):
                    self._layout.inline.wrap(mark, before, after, place=place)

            return end

        return begin

    def _link(self, attributes: dict[str, str], place: Place) -> Undo | None:
        url = read_url(attributes.get("href", ""))
        if not url:
            return None
        mark = self._layout.inline.mark()

        def end() -> None:
            inline = self._layout.inline
            if inline.wraps(mark) and inline.since(mark) != url:
                inline.wrap(mark, "[", f"]({url})", place=place)
            elif mark[0] != inline.generation:
                self._layout.text(f" {url} ", place)

        return end

    def _image(self, attributes: dict[str, str], place: Place) -> None:
        if any(attributes.get(side, "").strip() in ("0", "1", "0px", "1px") for side in ("width", "height")):
            return
        source, alt = attributes.get("src", "").strip(), attributes.get("alt", "").replace("\n", " ").strip()
        if source[:5].lower() == "data:":
            url = self._pictures.take_uri(source, place)
        else:
            url = self._pictures.take_address(source, place)
            self._outside += bool(source) and url is None
            url = url or read_url(source)
        if alt or url:
            self._layout.text(f"![{alt}]({url})" if url else f"![{alt}]", place)

    def _outside_media(self, name: str, attribute: str) -> Begin:
        def begin(attributes: dict[str, str], place: Place) -> None:
            url = read_url(attributes.get(attribute, ""))
            if url and attributes.get("width") != "0" and attributes.get("height") != "0":
                self._outside += 1
                self._layout.text(f" [{name}]({url}) ", place)

        return begin

    def _input(self, attributes: dict[str, str], place: Place) -> None:
        kind = attributes.get("type", "text").lower()
        if kind in ("checkbox", "radio"):
            self._layout.text("[x] " if "checked" in attributes else "[ ] ", place)
        elif kind not in ("hidden", "password"):
            shown = attributes.get("value") or attributes.get("placeholder") or attributes.get("alt") or ""
            self._layout.text(f" {shown} ", place)

    def _code(self, attributes: dict[str, str], _: Place) -> Undo:
        language = _LANGUAGE.search(attributes.get("class", ""))
        return self._layout.code("" if language is None else language[1].lower())


def _start(attributes: dict[str, str]) -> int:
    start = attributes.get("start", "").strip()
    return int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1
