"""Internet mail (RFC 5322 and MIME) as a message: which parts are its text, which stand in it, which are enclosed."""

from __future__ import annotations

import binascii
import functools
import re
from dataclasses import dataclass

from eyeline.errors import CorruptMedia
from eyeline.media.charsets import text_of_bytes
from eyeline.media.mail_header import decoded
from eyeline.media.mail_message import Body, Message, words_of
from eyeline.media.mail_mime import Leaf, Split, alternatives_of, split_mail

LABELS = {
    "subject": "Subject",
    "from": "From",
    "sender": "Sender",
    "reply-to": "Reply-To",
    "to": "To",
    "cc": "Cc",
    "bcc": "Bcc",
    "date": "Date",
    "message-id": "Message-ID",
    "in-reply-to": "In-Reply-To",
    "list-id": "List-Id",
}
"""Fields of the header that are told, in this order, and what they are called."""

_REPORTS = frozenset(("message/delivery-status", "message/disposition-notification", "text/rfc822-headers"))
_SEALED = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_TNEF = frozenset(("application/ms-tnef", "application/vnd.ms-tnef"))
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]+")


def read_rfc822(data: bytes) -> Message:
    """The message that some bytes hold. Raises `CorruptMedia` where they have no header of a mail."""
    split = split_mail(data)
    if not any(name in LABELS or name in ("received", "mime-version", "return-path") for name, _ in split.fields):
        raise CorruptMedia("the bytes have no header of a mail")
    message = Message()
    _facts(message, split)
    _Sorter(data, split, message).sort()
    message.notes["missing_boundary"] += split.is_cut
    message.notes["parts_left_out"] += split.left_out
    return message


def _facts(message: Message, split: Split) -> None:
    for name, label in LABELS.items():
        values = [decoded(value) for found, value in split.fields if found == name]
        message.notes["repeated_fields"] += len(values) > 1 and name in ("subject", "from", "date")
        message.add_fact(label, ", ".join(values))


@dataclass(slots=True)
class _Text:
    """A leaf that may be a body, the alternatives it belongs to, and its characters once they were decoded."""

    leaf: Leaf
    group: int | None
    is_html: bool
    text: str = ""


class _Sorter:
    """Decides what each part of a mail is."""

    def __init__(self, data: bytes, split: Split, message: Message) -> None:
        self._data, self._split, self._message = data, split, message
        self._texts: list[_Text] = []

    def sort(self) -> None:
        for leaf, group in zip(self._split.leaves, alternatives_of(self._split), strict=True):
            self._leaf(leaf, group)
        self._bodies()

    def _leaf(self, leaf: Leaf, group: int | None) -> None:
        header, message = leaf.header, self._message
        media_type = header.media_type
        if self._is_sealed(leaf):
            message.gaps.append("encrypted")
        elif media_type in _TNEF:
            message.gaps.append("tnef_not_read")
        is_named = header.is_attachment or (header.name is not None and header.content_id is None)
        is_body = media_type in ("text/plain", "text/html") and not is_named
        if is_body or media_type in _REPORTS:
            self._texts.append(_Text(leaf, group, media_type == "text/html"))
        elif self._is_inline(leaf) and message.keep_inline(
            header.content_id or "", functools.partial(self._bytes, leaf)
        ):
            return
        elif group is not None and media_type.startswith("text/") and media_type != "text/calendar" and not is_named:
            message.notes["alternatives_left_out"] += 1
        else:
            message.notes["outside"] += media_type == "message/external-body"
            message.enclose(header.name, media_type, read=functools.partial(self._bytes, leaf))

    def _is_sealed(self, leaf: Leaf) -> bool:
        is_container = any(self._split.containers[number] == "encrypted" for number in leaf.containers)
        is_smime = leaf.header.media_type in _SEALED and "signed" not in leaf.header.protocol
        return is_smime or (is_container and leaf.header.media_type == "application/octet-stream")

    def _is_inline(self, leaf: Leaf) -> bool:
        """What claims to be a picture that a body shows by its content id."""
        header = leaf.header
        is_related = any(self._split.containers[number] == "related" for number in leaf.containers)
        is_picture = header.media_type.startswith("image/") and header.content_id is not None
        return is_related and is_picture and not header.is_attachment

    def _bodies(self) -> None:
        """Of each set of alternatives the plain text, unless that is blank, and a page beside it that says more;
        everything that has no alternative."""
        plain = dict[int, set[str]]()
        for each in self._texts:
            each.text = self._text(each.leaf)
            if each.group is not None and not each.is_html and each.text.strip():
                plain.setdefault(each.group, set()).update(words_of(each.text))
        for each in self._texts:
            beside = None if each.group is None or not each.is_html else plain.get(each.group)
            if each.text.strip() and (beside is None or self._message.says_more(each.text, beside)):
                self._message.bodies.append(Body(each.text, each.is_html))

    def _text(self, leaf: Leaf) -> str:
        data, _ = self._bytes(leaf)
        text, held = text_of_bytes(data, leaf.header.charset)
        self._message.notes["charset_guessed"] += not held
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _bytes(self, leaf: Leaf) -> tuple[bytes, bool]:
        data, is_whole = coded(self._data[leaf.start : leaf.end], leaf.header.coding)
        return data, is_whole and leaf.is_closed


def coded(data: bytes, coding: str) -> tuple[bytes, bool]:
    """Bytes out of their transfer coding, and whether the coding came to its end; an unknown one is none."""
    if coding == "base64":
        return _base64(data)
    if coding == "quoted-printable":
        return binascii.a2b_qp(data), True
    return data, True


def _base64(data: bytes) -> tuple[bytes, bool]:
    kept = _NOT_BASE64.sub(b"", data).rstrip(b"=")
    spare = len(kept) % 4
    is_whole = spare != 1
    if not is_whole:
        kept, spare = kept[:-1], 0
    try:
        return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4)), is_whole
    except binascii.Error:
        return b"", False
