"""The engine of cards: what is known of bytes that nothing here reads, and what an archive lists. Nothing is unpacked.

A listing is read from the list of a zip and from the headers of a tar; of other archives it is said that none is read.
"""

from __future__ import annotations

import platform
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from eyeline.errors import CorruptMedia
from eyeline.media.readable import Readable
from eyeline.media.zip_listing import entries
from eyeline.model.display import shown
from eyeline.model.document import AdmissionOutcome
from eyeline.model.media_type import Family, MediaType
from eyeline.model.probe import Probe

if TYPE_CHECKING:
    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

DECODER = f"{platform.python_implementation().lower()} {platform.python_version()}"
MAX_LISTED = 2_000
MAX_HEADERS = 20_000
MAX_LISTING_BYTES = 32 << 20
MAX_HEADER_BYTES = 256 << 10
MAX_NAME_CHARS = 300

_BLOCK = 512
_CUT, _DAMAGED = "listing_cut", "listing_damaged"
_BROKEN = (tarfile.TarError, ValueError, OverflowError, EOFError, OSError, RecursionError)


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    size: int
    is_encrypted: bool = False
    kind: str = ""


def admit(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Every file has a card; see `media.engines` for the contract. Note of the probe: `card`."""
    del reader
    media_type = str(params["media_type"])
    plain = {**asdict(Probe(media_type=MediaType(media_type), notes=("card",))), "media_type": media_type}
    return {"outcome": AdmissionOutcome.ADMITTED.value, "reason": None, "decoder": DECODER, "probe": plain}


def read_readable(reader: Reader, params: dict[str, Any], out: Output) -> dict[str, Any]:
    """Add the card to `out`; see `media.readable` for what is added and returned. `params` beside those: `digest`."""
    media_type = MediaType(str(params["media_type"]))
    readable = Readable(int(params["max_chars"]))
    facts = [f"Type: {media_type}", f"Size: {reader.size} bytes", f"Hash: {params['digest']}"]
    listing = _LISTINGS.get(media_type.name)
    members: list[_Member] = []
    if listing is not None:
        gap = _list(members, listing(reader))
        readable.gaps += [gap] * bool(gap)
        facts += _told(members, gap)
    elif media_type.family is Family.ARCHIVE:
        readable.gaps.append("listing_not_read")
    readable.section("Card", "text")
    readable.lines("\n".join(facts))
    if members:
        readable.section("Members", "text")
        readable.lines("\n".join(_line(each) for each in members[:MAX_LISTED]))
        readable.warnings["members_left_out"] += max(0, len(members) - MAX_LISTED)
    return readable.finish(out)


def _list(members: list[_Member], listing: Iterator[_Member]) -> str:
    """Take the members up to the bound, and as far as they can be read; the code of what is missing, or nothing."""
    chars = 0
    try:
        for member in listing:
            if len(members) >= MAX_HEADERS or chars > MAX_LISTING_BYTES:
                return _CUT
            members.append(member)
            chars += len(member.name)
    except (CorruptMedia, *_BROKEN):
        return _DAMAGED
    return ""


def _told(members: list[_Member], gap: str) -> Iterator[str]:
    """How many members there are, where that is known, and what the archive says of them together."""
    total = sum(each.size for each in members)
    if not gap:
        yield f"Members: {len(members)}, {total} bytes in all"
    elif members:
        yield f"Members: at least {len(members)}, {total} bytes in these"
    encrypted = sum(each.is_encrypted for each in members)
    if encrypted:
        yield f"Encrypted: {encrypted} of them"


def _zip(reader: Reader) -> Iterator[_Member]:
    for each in entries(reader):
        yield _Member(each.name, each.size, each.is_encrypted, "folder" if each.is_folder else "")


@dataclass(slots=True)
class _Headers:
    """A tar as its headers are read: none of them is taken at its word when it claims to be large."""

    reader: Reader

    def seek(self, offset: int) -> int:
        return self.reader.seek(offset)

    def tell(self) -> int:
        return self.reader.tell()

    def read(self, size: int) -> bytes:
        if size > MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header is larger than any that is meant to be read")
        return self.reader.read(size)


def _tar(reader: Reader) -> Iterator[_Member]:
    with tarfile.open(fileobj=cast("Any", _Headers(reader)), mode="r:", errors="replace") as archive:
        for info in archive:
            yield _Member(info.name, max(0, info.size), kind=_kind(info))
            # the archive keeps every header it has met
            cast("Any", archive).members = []
        reader.seek(int(cast("Any", archive).offset))
        if reader.tell() > reader.size or reader.read(_BLOCK).strip(b"\0"):
            raise tarfile.ReadError("the headers end before the archive does")


def _kind(info: tarfile.TarInfo) -> str:
    if info.isreg():
        return ""
    return "folder" if info.isdir() else "link" if info.islnk() or info.issym() else "special"


_LISTINGS: dict[str, Callable[[Reader], Iterator[_Member]]] = {"application/zip": _zip, "application/x-tar": _tar}


def _line(member: _Member) -> str:
    told = [f"{member.size} bytes", *[member.kind] * bool(member.kind), *["encrypted"] * member.is_encrypted]
    return f"{shown(member.name, max_chars=MAX_NAME_CHARS)} ({', '.join(told)})"
