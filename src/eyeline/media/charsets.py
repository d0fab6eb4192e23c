"""Characters of bytes that claim a charset, whether or not the claim holds."""

from __future__ import annotations

import codecs
import re

_NAME = re.compile(r"[\w.-]{1,40}")
# Codecs that the standard library offers beside charsets: some run for long, some are no charsets at all.
_NO_CHARSETS = frozenset("idna punycode unicode_escape raw_unicode_escape undefined mbcs oem".split())


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
