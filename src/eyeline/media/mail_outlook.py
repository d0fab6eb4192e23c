"""Outlook messages (MS-OXMSG) as messages: the same facts, bodies and enclosures as Internet mail has.

A message inside a message is no run of bytes there; it is written anew as a file of its own, the same each time. What
an attachment refers to outside is not followed.
"""

from __future__ import annotations

import functools
import struct
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from eyeline.errors import CorruptMedia, MediaTooLarge
from eyeline.media.charsets import text_of_bytes
from eyeline.media.compound import Folder, Read, open_compound, write_compound
from eyeline.media.mail_message import Body, Message, words_of
from eyeline.media.mail_rtf import text_of_rtf
from eyeline.media.readable import MAX_CHARS

PROPERTIES, NAMES = "__properties_version1.0", "__nameid_version1.0"
MAX_RECIPIENTS = 1_000
MAX_FIXED = 20_000

_INNER_HEAD, _PART_HEAD = 24, 8
_OUTLOOK, _OLE = "application/vnd.ms-outlook", "application/x-ole-storage"
_TEXT, _BYTES_TEXT, _BINARY, _OBJECT, _NUMBER, _TIME = 0x001F, 0x001E, 0x0102, 0x000D, 0x0003, 0x0040
_TO, _CC, _BCC = 1, 2, 3
_ELSEWHERE = frozenset((2, 3, 4, 7))
_CODEPAGES = {1200: "utf-16-le", 20127: "ascii", 20866: "koi8-r", 21866: "koi8-u", 50220: "iso-2022-jp"} | {
    51932: "euc-jp",
    51949: "euc-kr",
    51936: "gb2312",
    54936: "gb18030",
    65001: "utf-8",
    936: "gbk",
    **{28590 + part: f"iso-8859-{part}" for part in range(1, 17)},
}


def read_outlook(data: bytes) -> Message:
    """The message that some bytes hold. Raises `CorruptMedia` for what is no such message, and `MediaTooLarge`."""
    top = open_compound(data)
    if PROPERTIES not in top.streams:
        raise CorruptMedia("the compound file holds no message")
    message = Message()
    said = _Said(top, message)
    _facts(message, said, top=top)
    html = said.html()
    _bodies(message, said, html=html)
    for folder in _numbered(top, "__attach_version1.0_#"):
        _attachment(message, _Said(folder, message, said.codepage, _PART_HEAD), top=top, html=html)
    kind = said.text(0x001A).upper()
    if kind.startswith("IPM.NOTE.SMIME") and "MULTIPARTSIGNED" not in kind:
        message.gaps.append("encrypted")
    return message


@dataclass(slots=True)
class _Said:
    """The properties of a message, a recipient or an attachment."""

    folder: Folder
    message: Message
    codepage: str = ""
    head: int = 32
    """Bytes before the first of its numbers and times."""

    def __post_init__(self) -> None:
        number = self.number(0x3FFD) or self.number(0x3FDE)
        self.codepage = self.codepage or _CODEPAGES.get(number, f"cp{number}" if number else "cp1252")

    def text(self, name: int) -> str:
        """A text, whichever way it is kept; nothing where there is none."""
        wide = self.stream(name, _TEXT)
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self.stream(name, _BYTES_TEXT)
        return "" if narrow is None else self._decoded(narrow, self.codepage)

    def stream(self, name: int, kind: int) -> bytes | None:
        """The bytes of a property, as far as they are there; none where there is none."""
        read = self.folder.streams.get(f"__substg1.0_{name:04X}{kind:04X}")
        if read is None:
            return None
        data, is_whole = read()
        self.message.notes["properties_cut_short"] += not is_whole
        return data

    def html(self) -> str:
        """The body as a page; nothing where there is none."""
        data = self.stream(0x1013, _BINARY)
        number = self.number(0x3FDE)
        charset = _CODEPAGES.get(number, f"cp{number}" if number else self.codepage)
        return self.text(0x1013) if data is None else self._decoded(data, charset)

    def number(self, name: int) -> int:
        """A number; 0 where there is none."""
        value = self._fixed(name, _NUMBER)
        return 0 if value is None else int.from_bytes(value[:4], "little")

    def time(self, name: int) -> str:
        """A time in UTC; nothing where there is none, or none that a calendar has."""
        value = self._fixed(name, _TIME)
        if not value or not any(value):
            return ""
        try:
            told = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=int.from_bytes(value, "little") // 10)
        except OverflowError:
            return ""
        return told.strftime("%Y-%m-%d %H:%M:%S UTC")

    def _fixed(self, name: int, kind: int) -> bytes | None:
        read = self.folder.streams.get(PROPERTIES)
        data = b"" if read is None else read()[0]
        wanted = struct.pack("<HH", kind, name)
        for at in range(self.head, min(len(data), MAX_FIXED) - 15, 16):
            if data.startswith(wanted, at):
                return data[at + 8 : at + 16]
        return None

    def _decoded(self, data: bytes, charset: str) -> str:
        text, held = text_of_bytes(data, charset)
        self.message.notes["charset_guessed"] += not held
        return text.rstrip("\0")


def _facts(message: Message, said: _Said, *, top: Folder) -> None:
    message.add_fact("Subject", said.text(0x0037))
    author = _named(said.text(0x0042), said.text(0x5D02) or said.text(0x0065))
    sender = _named(said.text(0x0C1A), said.text(0x5D01) or said.text(0x0C1F))
    message.add_fact("From", author or sender)
    message.add_fact("Sender", sender if author and sender != author else "")
    told = dict[int, list[str]]()
    recipients = _numbered(top, "__recip_version1.0_#")
    for folder in recipients[:MAX_RECIPIENTS]:
        each = _Said(folder, message, said.codepage, _PART_HEAD)
        named = _named(each.text(0x3001), each.text(0x39FE) or each.text(0x3003))
        told.setdefault(each.number(0x0C15) or _TO, []).append(named)
    message.notes["recipients_left_out"] += max(0, len(recipients) - MAX_RECIPIENTS)
    for label, kind, shown in (("To", _TO, 0x0E04), ("Cc", _CC, 0x0E03), ("Bcc", _BCC, 0x0E02)):
        message.add_fact(label, ", ".join(filter(None, told.get(kind, []))) or said.text(shown))
    message.add_fact("Date", said.time(0x0039) or said.time(0x0E06))
    message.add_fact("Message-ID", said.text(0x1035))
    message.add_fact("In-Reply-To", said.text(0x1042))


def _named(name: str, address: str) -> str:
    if not name or not address or name == address:
        return name or address
    return f"{name} <{address}>"


def _bodies(message: Message, said: _Said, *, html: str) -> None:
    """The plain text, unless that is blank, and the page where it says more; else the page; else the RTF."""
    plain = said.text(0x1000)
    if plain.strip():
        message.bodies.append(Body(plain.replace("\r\n", "\n").replace("\r", "\n")))
    if html.strip() and (not message.bodies or message.says_more(html, words_of(plain))):
        message.bodies.append(Body(html, is_html=True))
    if message.bodies:
        return
    packed = said.stream(0x1009, _BINARY)
    if packed is None:
        return
    try:
        text = text_of_rtf(packed, MAX_CHARS)
    except (CorruptMedia, MediaTooLarge):
        message.gaps.append("rtf_not_read")
        return
    if text.strip():
        message.bodies.append(Body(text, is_markdown=True))


def _attachment(message: Message, said: _Said, *, top: Folder, html: str) -> None:
    name, folder = said.text(0x3707) or said.text(0x3704), said.folder
    inner = folder.folders.get(f"__substg1.0_3701{_OBJECT:04X}")
    if inner is not None:
        is_message = PROPERTIES in inner.streams
        alone = _alone(inner, top) if is_message else inner
        title = name or (f"{said.text(0x3001) or 'message'}.msg" if is_message else "object.ole")
        message.enclose(title, _OUTLOOK if is_message else _OLE, read=functools.partial(_written, alone))
        return
    read = folder.streams.get(f"__substg1.0_3701{_BINARY:04X}")
    if read is None:
        is_elsewhere = said.number(0x3705) in _ELSEWHERE
        message.notes["outside" if is_elsewhere else "enclosure_missing"] += 1
        return
    content_id = said.text(0x3712).strip("<> ")
    if content_id and f"cid:{content_id}" in html and message.keep_inline(content_id, read):
        return
    message.enclose(name or said.text(0x3001), said.text(0x370E) or "application/octet-stream", read=read)


def _alone(inner: Folder, top: Folder) -> Folder:
    """A message inside a message as one that stands alone: with a longer head, and the names of its properties."""

    def properties() -> tuple[bytes, bool]:
        data, is_whole = inner.streams[PROPERTIES]()
        return data[:_INNER_HEAD].ljust(_INNER_HEAD + 8, b"\0") + data[_INNER_HEAD:], is_whole

    names = {NAMES: top.folders[NAMES]} if NAMES in top.folders else {}
    return replace(inner, streams={**inner.streams, PROPERTIES: properties}, folders={**names, **inner.folders})


def _written(folder: Folder) -> tuple[bytes, bool]:
    whole = True

    def read(each: Read) -> tuple[bytes, bool]:
        nonlocal whole
        data, is_whole = each()
        whole = whole and is_whole
        return data, is_whole

    def watched(each: Folder) -> Folder:
        streams = {name: functools.partial(read, stream) for name, stream in each.streams.items()}
        return Folder(dict(streams), {name: watched(inner) for name, inner in each.folders.items()})

    data = write_compound(watched(folder))
    return data, whole


def _numbered(folder: Folder, prefix: str) -> list[Folder]:
    """The folders of a list, in their order."""
    return [folder.folders[name] for name in sorted(folder.folders) if name.startswith(prefix)]
