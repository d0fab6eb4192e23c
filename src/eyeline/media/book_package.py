"""What a book says of itself: its facts, its chapters in reading order, their titles, its cover, what is locked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from eyeline.errors import CorruptMedia, EncryptedMedia
from eyeline.media.book_members import Element, Members, elements_of, member_name

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
MAX_CHAPTERS = 5_000
MAX_TITLES = 5_000
MAX_TITLE_CHARS = 200
LABELS = {"title": "Title", "creator": "Creator", "publisher": "Publisher", "date": "Date", "language": "Language"}

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_CLOSED = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)/>")
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Ways to scramble fonts, which no text depends on."""


@dataclass(frozen=True, slots=True)
class Title:
    """An entry of the contents: what it says, how deep it stands from 0, and the member it leads to."""

    words: str
    level: int
    member: str


@dataclass(slots=True)
class Book:
    """A book. `chapters` are members in reading order; `outside` counts addresses that lead out of it."""

    facts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    chapters: list[str] = field(default_factory=list[str])
    titles: list[Title] = field(default_factory=list[Title])
    cover: str | None = None
    outside: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class _Item:
    member: str | None
    media_type: str
    properties: str


def read_book(members: Members) -> Book:
    """Read the package of a book. Raises `CorruptMedia`, `EncryptedMedia` where its text is locked, `MediaTooLarge`."""
    place = _place_of_package(members)
    elements = elements_of(members.read(place))
    items = _items(place, elements)
    book = Book(outside=sum(item.member is None for item in items.values()))
    _facts(book, elements)
    spine = [each.attributes.get("idref", "") for each in elements if each.name == "itemref"]
    chapters = [items[name].member for name in spine if name in items]
    book.chapters = [*dict.fromkeys(member for member in chapters if member is not None)]
    if not book.chapters:
        raise CorruptMedia("the book names no chapter")
    book.left_out = max(0, len(book.chapters) - MAX_CHAPTERS)
    del book.chapters[MAX_CHAPTERS:]
    _check_locks(members, book)
    book.cover = _cover(elements, items)
    book.titles = _titles(members, elements, items)[:MAX_TITLES]
    return book


def as_html(xhtml: str) -> str:
    """A page as a reader of HTML takes it: what XHTML closes in its own tag is closed behind it."""
    return _CLOSED.sub(_opened, xhtml)


def _opened(found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name.lower() in _VOID else f"<{name}{found[2]}></{name}>"


def _place_of_package(members: Members) -> str:
    for each in elements_of(members.read(CONTAINER)):
        if each.name == "rootfile":
            place = member_name("", each.attributes.get("full-path", ""))
            if place is not None and place in members:
                return place
    raise CorruptMedia("the book does not say where its package is")


def _items(place: str, elements: list[Element]) -> dict[str, _Item]:
    return {
        each.attributes.get("id", ""): _Item(
            member_name(place, each.attributes.get("href", "")),
            each.attributes.get("media-type", ""),
            each.attributes.get("properties", ""),
        )
        for each in elements
        if each.name == "item"
    }


def _facts(book: Book, elements: list[Element]) -> None:
    for name, label in LABELS.items():
        words = [each.words for each in elements if each.name == name and each.words][:20]
        if words:
            book.facts.append((label, ", ".join(words)))


def _check_locks(members: Members, book: Book) -> None:
    """Scrambled fonts cost nothing; a chapter under any other lock cannot be read."""
    if ENCRYPTION not in members:
        return
    algorithm = ""
    for each in elements_of(members.read(ENCRYPTION)):
        if each.name == "EncryptionMethod":
            algorithm = each.attributes.get("Algorithm", "")
        is_lock = each.name == "CipherReference" and algorithm not in _OF_FONTS
        if is_lock and member_name("", each.attributes.get("URI", "")) in book.chapters:
            raise EncryptedMedia("the text of the book is locked to a reader (DRM)")


def _cover(elements: list[Element], items: dict[str, _Item]) -> str | None:
    named = [
        each.attributes.get("content", "")
        for each in elements
        if each.name == "meta" and each.attributes.get("name") == "cover"
    ]
    for name, item in items.items():
        is_cover = "cover-image" in item.properties.split() or name in named
        if is_cover and item.media_type.startswith("image/"):
            return item.member
    return None


def _titles(members: Members, elements: list[Element], items: dict[str, _Item]) -> list[Title]:
    """The contents by the navigation page, else by the older list; none where neither can be read."""
    pages = [item.member for item in items.values() if "nav" in item.properties.split()]
    toc = next((each.attributes.get("toc", "") for each in elements if each.name == "spine"), "")
    lists = [items[toc].member] if toc in items else []
    for member, read in (*((each, _of_page) for each in pages), *((each, _of_list) for each in lists)):
        if member is None or member not in members:
            continue
        try:
            titles = read(members.read(member), member)
        except CorruptMedia:
            continue
        if titles:
            return titles
    return []


def _of_page(data: bytes, member: str) -> list[Title]:
    found: list[Title] = []
    parser = LexborHTMLParser(as_html(data[: 4 << 20].decode("utf-8", "replace")))
    navs = [each for each in parser.css("nav") if "toc" in (each.attributes.get("epub:type") or "toc")]
    for link in navs[0].css("a") if navs else []:
        place = member_name(member, link.attributes.get("href") or "")
        level, parent = -1, link.parent
        while parent is not None and parent.tag != "nav":
            level += parent.tag == "ol"
            parent = parent.parent
        words = " ".join((link.text() or "").split())
        if place is not None and words and len(found) < MAX_TITLES:
            found.append(Title(words[:MAX_TITLE_CHARS], max(0, level), place))
    return found


def _of_list(data: bytes, member: str) -> list[Title]:
    found: list[Title] = []
    words, depth, outer = "", 0, 0
    for each in elements_of(data):
        if each.name == "navMap":
            outer = each.depth + 1
        elif each.name == "navPoint":
            words, depth = "", each.depth
        elif each.name == "text" and not words:
            words = each.words
        elif each.name == "content" and words:
            place = member_name(member, each.attributes.get("src", ""))
            if place is not None:
                found.append(Title(words[:MAX_TITLE_CHARS], max(0, depth - outer), place))
            words = ""
    return found
