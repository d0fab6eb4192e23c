"""The engine of books (EPUB): jobs that admit one and read it chapter by chapter, in the order of its spine."""

from __future__ import annotations

import platform
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from eyeline.errors import CorruptMedia, EncryptedMedia, MediaError, MediaTooLarge
from eyeline.media.book_members import Members, member_name
from eyeline.media.book_package import Book, Title, as_html, read_book
from eyeline.media.charsets import text_of_bytes
from eyeline.media.readable import Readable
from eyeline.model.display import shown
from eyeline.model.document import AdmissionOutcome
from eyeline.model.locator import Chars, Locator
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

DECODER = f"{platform.python_implementation().lower()} {platform.python_version()}"
COVER = "assets/cover"
MAX_LEVEL = 6

_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding=[\"']([\w.-]{1,40})")


@dataclass(slots=True)
class _Chapter:
    member: str
    start: int
    end: int


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Read the package and inflate every chapter once; see `media.engines` for the contract.

    Notes of the probe: `chapters:` with their number, `chapter_missing`, `outside_not_followed`, `chapters_left_out`.
    """
    media_type = str(params["media_type"])
    members = Members(reader)
    book = read_book(members)
    missing = sum(_chapter(members, each) is None for each in book.chapters)
    if missing == len(book.chapters):
        raise CorruptMedia("no chapter of the book can be read")
    notes = [f"chapters:{len(book.chapters)}"]
    counted = {"chapter_missing": missing, "outside_not_followed": book.outside, "chapters_left_out": book.left_out}
    notes += [name for name, count in counted.items() if count]
    probe = Probe(media_type=MediaType(media_type), notes=tuple(notes))
    plain = {**asdict(probe), "media_type": media_type}
    return {"outcome": AdmissionOutcome.ADMITTED.value, "reason": None, "decoder": DECODER, "probe": plain}


def read_readable(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add what the book says to `out`; see `media.readable` for what is added and returned.

    Beside that: `outline` (level, title, locator of each entry of the contents) and `facts` of the front matter. The
    cover is the first picture. A chapter that cannot be read is a gap and costs no other. Raises as `admit`.
    """
    members = Members(reader)
    book = read_book(members)
    readable = Readable(int(params["max_chars"]))
    _cover(readable, members, book)
    if book.facts:
        readable.section("Book", "text")
        readable.lines("\n".join(f"{label}: {shown(value, max_chars=2000)}" for label, value in book.facts))
    chapters = [_read_chapter(readable, members, place) for place in enumerate(book.chapters, start=1)]
    readable.warnings.update({"outside_not_followed": book.outside, "chapters_left_out": book.left_out})
    found = readable.finish(out)
    outline = _outline(book.titles, [each for each in chapters if each is not None], extent=int(found["chars"]))
    return {**found, "outline": outline, "facts": {"chapters": len(book.chapters)}}


def _cover(readable: Readable, members: Members, book: Book) -> None:
    if book.cover is None or book.cover not in members:
        return
    try:
        data = members.read(book.cover)
    except (CorruptMedia, EncryptedMedia):
        readable.warnings["picture_missing"] += 1
        return
    readable.pictures.take_bytes(data, name=COVER)


def _chapter(members: Members, member: str) -> bytes | None:
    """The bytes of a chapter; none for one that is not there, damaged or locked. Raises `MediaTooLarge`."""
    try:
        return members.read(member)
    except MediaTooLarge:
        raise
    except MediaError:
        return None


def _read_chapter(readable: Readable, members: Members, place: tuple[int, str]) -> _Chapter | None:
    number, member = place
    if readable.is_full:
        return None
    data = _chapter(members, member)
    start = readable.writer.chars
    readable.section(f"Chapter {number}", "markdown")
    if data is None:
        readable.gaps.append("chapter_missing")
        return None

    def fetch(address: str) -> bytes | None:
        """A picture of the book; one that is not there, or is outside, stays an address."""
        name = member_name(member, address)
        if name is None or name not in members:
            return None
        return _chapter(members, name) or b""

    declared = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf"))
    text, held = text_of_bytes(data, declared[1].decode("ascii") if declared else None)
    readable.warnings["charset_guessed"] += not held and declared is not None
    readable.html(as_html(text.removeprefix("\ufeff")), fetch)
    return _Chapter(member, start, readable.writer.chars)


def _outline(titles: list[Title], chapters: list[_Chapter], *, extent: int) -> list[dict[str, Any]]:
    """An entry for each title of the contents, and for each chapter that none leads to, in reading order."""
    by_member: dict[str, list[Title]] = {}
    for title in titles:
        by_member.setdefault(title.member, []).append(title)
    entries: list[dict[str, Any]] = []
    for number, chapter in enumerate(chapters, start=1):
        end = min(chapter.end, extent)
        if chapter.start >= end:
            continue
        locator = str(Locator(chars=Chars(chapter.start, end)))
        named = by_member.get(chapter.member) or [Title(f"(chapter {number})", 0, chapter.member)]
        entries += [{"level": min(each.level, MAX_LEVEL), "title": each.words, "locator": locator} for each in named]
    return entries
