"""Headers of mails: fields within bounds, their words decoded whatever their charset claims.

What is read of a header is text from outside. A value that is longer than what is meant to be read is cut.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header
from email.message import Message

from eyeline.media.charsets import text_of_bytes

MAX_VALUE_BYTES = 16 << 10
MAX_FIELDS = 1_000
MAX_STRUCTURED = 4 << 10

_FIELD = re.compile(rb"^([!-9;-~]{1,200})[ \t]*:[ \t]*(.*(?:\r?\n[ \t].*)*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]*")
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
