"""A mail as it is read, whatever wrote it: facts, bodies, pictures inside the bodies, and what is enclosed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from eyeline.errors import InvalidMediaType
from eyeline.media.sniffing import HEAD_BYTES, TAIL_BYTES, sniff
from eyeline.model.display import shown
from eyeline.model.media_type import Family, MediaType

MAX_NAME_CHARS = 100
MAX_FACT_CHARS = 4_000

MAX_INLINE = 200

_WORD = re.compile(r"\w+")
_FEW_OF = 5
"""A page is left out where at most one in so many of its words is not in the plain text, too."""

_SEPARATORS = re.compile(r"[/\\]")


Bytes = Callable[[], tuple[bytes, bool]]
"""Decodes something when it is asked for: its bytes, and whether they are all there."""


@dataclass(frozen=True, slots=True)
class Body:
    """One text of a mail: its characters, and whether they are HTML, or Markdown that was made of something else."""

    text: str
    is_html: bool = False
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Something that a mail carries: its number from 1, the name and type it claims, and how to get its bytes.

    `read` answers the bytes and whether they are all there. The name is a bare file name, neutralised.
    """

    number: int
    name: str
    claimed: str
    read: Bytes


@dataclass(slots=True)
class Message:
    """A mail. `facts` are labelled lines of its header; `inline` are pictures by content id; `notes` are counted codes.

    `gaps` are codes of what could not be read of it.
    """

    facts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    bodies: list[Body] = field(default_factory=list[Body])
    inline: dict[str, Bytes] = field(default_factory=dict[str, Bytes])
    enclosures: list[Enclosure] = field(default_factory=list[Enclosure])
    notes: Counter[str] = field(default_factory=Counter[str])
    gaps: list[str] = field(default_factory=list[str])

    def add_fact(self, label: str, value: str) -> None:
        """A line of the header; `value` is text from outside and is neutralised here."""
        if value.strip():
            self.notes["facts_cut"] += len(value) > MAX_FACT_CHARS
            self.facts.append((label, shown(value.strip(), max_chars=MAX_FACT_CHARS)))

    def keep_inline(self, content_id: str, read: Bytes) -> bool:
        """Keep what a body can show by its content id; false for what is no picture by its bytes, or has an id that
        another has, or comes after enough of them."""
        if content_id in self.inline or len(self.inline) >= MAX_INLINE or not _is_picture(read()[0]):
            return False
        self.inline[content_id] = read
        return True

    def says_more(self, html: str, plain: set[str]) -> bool:
        """Whether a page says something else than the words of the plain text that stands beside it.

        People are shown the page. What it alone says is counted either way.
        """
        said = _words_of_page(html)
        missing = len(said - plain)
        self.notes["words_only_in_html"] += missing
        return missing * _FEW_OF > len(said)

    def enclose(self, name: str | None, claimed: str, *, read: Bytes) -> None:
        """One more enclosure; without a name it gets one from its type."""
        number = len(self.enclosures) + 1
        self.enclosures.append(Enclosure(number, bare_name(name, number=number, claimed=claimed), claimed, read))


def words_of(text: str) -> set[str]:
    """The words of a text, whatever their case."""
    return {word.casefold() for word in _WORD.findall(text)}


def _words_of_page(html: str) -> set[str]:
    page = LexborHTMLParser(html)
    page.strip_tags(["style", "script", "title"])
    return words_of(page.text(separator=" "))


def _is_picture(data: bytes) -> bool:
    media_type = sniff(data[:HEAD_BYTES], size=len(data), tail=data[-TAIL_BYTES:])
    return media_type.family is Family.IMAGE and media_type.name != "image/svg+xml"


def bare_name(name: str | None, *, number: int, claimed: str) -> str:
    """The file name at the end of what a mail calls its enclosure: no folder, nothing hidden, not long."""
    leaf = _SEPARATORS.split(name or "")[-1].strip().strip(".")
    if leaf:
        safe = shown(leaf, max_chars=4 * MAX_NAME_CHARS).replace("…", "")
        stem, dot, extension = safe.rpartition(".")
        if len(safe) > MAX_NAME_CHARS:
            is_short = bool(stem) and len(extension) <= 10
            safe = f"{stem[: MAX_NAME_CHARS - 11]}{dot}{extension}" if is_short else safe[:MAX_NAME_CHARS]
        return safe
    return f"part-{number}.{_extension(claimed)}"


def _extension(claimed: str) -> str:
    try:
        return MediaType.parse(claimed).extension
    except InvalidMediaType:
        return "bin"
