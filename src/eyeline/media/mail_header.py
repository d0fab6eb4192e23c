"""Headers of mails: fields within bounds, their words decoded whatever their charset claims.

What is read of a header is text from outside. A value that is longer than what is meant to be read is cut.
"""

from __future__ import annotations

import binascii
import codecs
import re
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header
from email.message import Message

MAX_VALUE_BYTES = 16 << 10
MAX_FIELDS = 1_000
MAX_STRUCTURED = 4 << 10

_FIELD = re.compile(rb"^([!-9;-~]{1,200})[ \t]*:[ \t]*(.*(?:\r?\n[ \t].*)*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]*")
_NAME = re.compile(r"[\w.-]{1,40}")
# Codecs that the standard library offers beside charsets: some run for long, some are no charsets at all.
_NO_CHARSETS = frozenset("idna punycode unicode_escape raw_unicode_escape undefined mbcs oem".split())
_FAULTS = (MessageError, ValueError, LookupError, TypeError, AttributeError, binascii.Error)

Fields = list[tuple[str, bytes]]


def fields_of(block: bytes) -> Fields:
    """Names in lower case and raw values of a header, in order; what is no field is passed over."""
    fields: Fields = []
    for found in _FIELD.finditer(block):
        if len(fields) >= MAX_FIELDS:
            break
        fields.append((found[1].decode("ascii").lower(), found[2][:MAX_VALUE_BYTES]))
    return fields


def text_of_bytes(data: bytes, charset: str | None) -> tuple[str, bool]:
    """The characters of some bytes in the charset they claim, and whether that held.

    A charset that is unknown, absent or wrong is answered by UTF-8, else by the Western code page.
    """
    for name in (charset, "utf-8"):
        codec = None if name is None else _codec(name)
        if codec is None:
            continue
        try:
            return codec.decode(data, "strict")[0], name == charset or (charset is None and data.isascii())
        except (UnicodeError, ValueError):
            continue
    return data.decode("cp1252", "replace"), False


def _codec(name: str) -> codecs.CodecInfo | None:
    if not _NAME.fullmatch(name.strip("\"' ")):
        return None
    try:
        found = codecs.lookup(name.strip("\"' "))
    except (LookupError, ValueError):
        return None
    is_charset = getattr(found, "_is_text_encoding", True) and found.name.replace("-", "_") not in _NO_CHARSETS
    return found if is_charset else None


def decoded(value: bytes) -> str:
    """A field's value as text on one line, encoded words decoded."""
    text = _FOLD.sub(" ", text_of_bytes(value[:MAX_VALUE_BYTES], None)[0]).strip()
    if "=?" not in text:
        return text
    try:
        pieces = decode_header(text)
    except _FAULTS:
        return text
    return "".join(piece if isinstance(piece, str) else text_of_bytes(piece, charset)[0] for piece, charset in pieces)


@dataclass(frozen=True, slots=True)
class PartHeader:
    """What the header of a part says of it: type, charset, coding, name and role. All of it is a claim from outside."""

    media_type: str
    charset: str | None
    boundary: bytes | None
    coding: str
    name: str | None
    is_attachment: bool
    content_id: str | None
    protocol: str = ""

    @classmethod
    def of(cls, fields: Fields) -> PartHeader:
        """Read the fields that describe content; whatever cannot be read is left at what mails mean without it."""
        known = dict[str, str]()
        for name, value in fields:
            if name.startswith("content-"):
                text = _FOLD.sub(" ", value[:MAX_STRUCTURED].decode("utf-8", "replace"))
                known.setdefault(name, text.replace("\n", " ").replace("\r", " "))
        message = Message()
        for name in ("content-type", "content-disposition"):
            if name in known:
                message[name] = known[name]
        boundary = _param(message, "boundary")
        return cls(
            media_type=_type(message),
            charset=_param(message, "charset"),
            boundary=boundary.rstrip().encode("utf-8", "replace")[:200] if boundary else None,
            coding=known.get("content-transfer-encoding", "").strip().lower(),
            name=_file_name(message),
            is_attachment=known.get("content-disposition", "").strip().lower().startswith("attachment"),
            content_id=known.get("content-id", "").strip().strip("<>") or None,
            protocol=(_param(message, "protocol") or _param(message, "smime-type") or "").lower(),
        )


def _type(message: Message) -> str:
    try:
        return message.get_content_type()
    except _FAULTS:
        return "text/plain"


def _param(message: Message, name: str) -> str | None:
    try:
        value = message.get_param(name)
    except _FAULTS:
        return None
    return value if isinstance(value, str) else value[2] if isinstance(value, tuple) else None


def _file_name(message: Message) -> str | None:
    try:
        name = message.get_filename()
    except _FAULTS:
        return None
    return decoded(name.encode("utf-8", "replace")) if name else None
