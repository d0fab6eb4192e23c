"""What a source says where its bytes are no text: readable characters in sections, and the pictures that stand in them.

Places count code points of this readable text from 0, over all sections: so does `char` in a locator of such a source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eyeline.media.markup_blocks import NOWHERE, PIECE_CHARS, BlockWriter, Place
from eyeline.media.markup_html import read_html
from eyeline.media.markup_pictures import Kept, Pictures
from eyeline.model.digest import Digest

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output

MAX_CHARS = 4_000_000
MAX_HTML_CHARS = 48 << 20
MAX_SECTIONS = 5_000
LONG_LINE_CHARS = 2_400

Fetch = Callable[[str], bytes | None]
"""The bytes that an address names inside the same source, or none."""


class HerePictures(Pictures):
    """Pictures whose place is where the readable text has come to when they are met."""

    def __init__(self, writer: BlockWriter) -> None:
        super().__init__()
        self._writer = writer
        self.fetch: Fetch = _nothing

    def take_address(self, address: str, place: Place) -> str | None:
        """Keep the picture that an address names inside this source."""
        data = self.fetch(address)
        if data is None:
            return None
        self.found += 1
        return self._keep(data, place)

    def take_bytes(self, data: bytes, *, name: str | None = None) -> str | None:
        """Keep a picture that stands here, under a name of its own; its path, or none where it is left out."""
        self.found += 1
        path = self._keep(data, NOWHERE)
        if path is None or name is None:
            return path
        kept = self.kept.pop()
        self.kept.append(replace(kept, path=f"{name}.{kept.media_type.extension}"))
        self._names[Digest.of(data)] = self.kept[-1].path
        return self.kept[-1].path

    def _keep(self, data: bytes, place: Place) -> str | None:
        del place
        return super()._keep(data, (self._writer.chars, self._writer.chars + 1))


def _nothing(address: str) -> None:
    del address


class Readable:
    """Collects the sections of one source. Titles and infos are our own words; all text is from outside."""

    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self.writer = BlockWriter(max_chars)
        self.pictures = HerePictures(self.writer)
        self.warnings: Counter[str] = Counter()
        self.gaps: list[str] = []
        self._sections: list[tuple[str, str]] = []

    @property
    def is_full(self) -> bool:
        """Whether nothing more is taken."""
        return self.writer.is_full

    def section(self, title: str, info: str) -> None:
        """Begin a section; `info` says what its text is: `text` or `markdown`. Over a bound it goes on in the last."""
        if len(self._sections) < MAX_SECTIONS:
            self.writer.section()
            self._sections.append((title, info))

    def lines(self, text: str) -> None:
        """Lines as they stand, cut into pieces that can be found again."""
        self.writer.begin("text")
        at = 0
        for line in text.strip("\n").splitlines(keepends=True):
            for piece in _pieces(line):
                self.writer.write(piece, (at, at + len(piece)))
                at += len(piece)
            if self.writer.is_full:
                break
        self.writer.end()

    def html(self, text: str, fetch: Fetch = _nothing) -> None:
        """What a page says; `fetch` answers for the pictures that its addresses name."""
        self.pictures.fetch = fetch
        try:
            found = read_html(text[:MAX_HTML_CHARS], writer=self.writer, pictures=self.pictures)
        finally:
            self.pictures.fetch = _nothing
        self.warnings["not_fetched"] += found.outside
        for what, count in found.unseen.items():
            self.warnings[f"hidden_text:{what}"] += count
        if len(text) > MAX_HTML_CHARS:
            self.gaps.append("over_budget")

    def finish(self, out: Output, *, more: Iterable[str] = ()) -> dict[str, Any]:
        """Add text, rows and pictures to `out`, in this order; what a converter needs to know of them.

        Returns `chars`, `is_complete`, `sections` (title and info by number from 1), `warnings` by name, `gaps`,
        `pictures` (path, media type, place), `pictures_found` and `pictures_left_out`.
        """
        outputs = self.writer.outputs()
        chars = self.writer.chars
        for output in (*outputs, *(kept.bytes for kept in self.pictures.kept)):
            out.add(output)
        self.warnings["invisible_characters"] += self.writer.unseen
        return {
            "chars": chars,
            "is_complete": not self.writer.is_full,
            "sections": [list(each) for each in self._sections],
            "warnings": {name: count for name, count in self.warnings.items() if count},
            "gaps": [*dict.fromkeys((*self.gaps, *more))],
            "pictures": [[each.path, str(each.media_type), *_placed(each, chars)] for each in self.pictures.kept],
            "pictures_found": self.pictures.found,
            "pictures_left_out": self.pictures.left_out,
        }


def _pieces(line: str) -> Iterable[str]:
    """A line as it is, or in pieces where it is too long to be found again as one."""
    if len(line) <= LONG_LINE_CHARS:
        return (line,)
    return (line[at : at + PIECE_CHARS] for at in range(0, len(line), PIECE_CHARS))


def _placed(kept: Kept, chars: int) -> Place:
    """A place inside the text, also of a picture behind its last character."""
    start = max(0, min(kept.place[0], chars - 1))
    return start, start + 1
