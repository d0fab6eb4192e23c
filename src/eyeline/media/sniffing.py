"""The media type of some bytes, from the bytes. Quick, and nothing is decoded: it runs outside the bounded child.

Signatures decide first. Only what has none and consists of characters is text; a name then says which text it is where
the structure is silent, and never more than that.
"""

from __future__ import annotations

from typing import BinaryIO

from eyeline.errors import InvalidMediaType
from eyeline.media import text_kinds
from eyeline.media.signatures import binary_type, directory_of
from eyeline.model.media_type import OCTET_STREAM, Family, MediaType, extensions_of, type_for_extension

HEAD_BYTES, TAIL_BYTES = 64 * 1024, 1024
"""How much of a beginning and of an end is looked at."""

_PLAIN_TEXT = MediaType("text/plain")
_TYPESCRIPT = MediaType("text/x-typescript")
# Claimed by a name alone, these need their structure: without it the bytes are plain text.
_STRUCTURED = frozenset(
    ("application/json", "application/x-ndjson", "application/x-ipynb+json", "application/xml", "image/svg+xml")
)
# Types in one set are the same to whoever names a file: one is the other's general form, or shares its container.
_ALIKE = (
    frozenset(("video/mp4", "audio/mp4", "video/quicktime", "video/3gpp")),
    frozenset(("audio/ogg", "video/ogg")),
    frozenset(("video/webm", "video/x-matroska")),
    frozenset(("image/heic", "image/heif", "image/avif")),
    frozenset(("application/xml", "image/svg+xml")),
    frozenset(("application/json", "application/x-ipynb+json", "application/x-ndjson")),
    frozenset(("font/ttf", "font/otf")),
)
_GENERAL_ZIP, _GENERAL_OLE = "application/zip", "application/x-ole-storage"


def sniff(head: bytes, *, size: int, tail: bytes = b"", name: str | None = None) -> MediaType:
    """The media type of a file of `size` bytes from its first bytes; `application/octet-stream` where they say nothing.

    `tail` is the last bytes, where they are at hand; some archives tell what they hold only there. `name` is a file
    name or reference. Never raises for any bytes.
    """
    found = binary_type(head, size=size, tail=tail)
    if found is not None:
        return MediaType(found)
    is_whole = size <= len(head)
    text = text_kinds.decode(head, is_whole=is_whole) if head else None
    if text is None:
        return OCTET_STREAM
    return _text_type(text, is_whole=is_whole, claimed=_claimed(name))


def sniff_file(file: BinaryIO, *, name: str | None) -> MediaType:
    """The media type of a seekable file, from its first and its last bytes; leaves it at its first byte."""
    size = file.seek(0, 2)
    file.seek(max(0, size - TAIL_BYTES))
    tail = file.read(TAIL_BYTES)
    file.seek(0)
    head = file.read(HEAD_BYTES)
    listed_at = directory_of(head)
    if listed_at is not None:
        file.seek(listed_at)
        tail = file.read(TAIL_BYTES)
    file.seek(0)
    return sniff(head, size=size, tail=tail, name=name)


def _text_type(text: str, *, is_whole: bool, claimed: MediaType | None) -> MediaType:
    kind = text_kinds.markup_kind(text) or text_kinds.json_kind(text, is_whole=is_whole)
    if kind is not None:
        return _refined(kind, claimed)
    if text_kinds.is_mail(text):
        return MediaType("message/rfc822")
    if claimed is not None and claimed.name not in _STRUCTURED and claimed.is_text:
        return _plain_if_bare(claimed, text)
    kind = text_kinds.script_kind(text) or text_kinds.table_kind(text, is_whole=is_whole)
    return _PLAIN_TEXT if kind is None else MediaType(kind)


def _refined(kind: str, claimed: MediaType | None) -> MediaType:
    """Markdown may begin with a tag, and YAML with a brace: the name of a text kind wins over a general structure."""
    if claimed is not None and claimed.is_text and claimed.name not in (*_STRUCTURED, "text/plain", "text/html"):
        return claimed if kind in ("text/html", "application/json", "application/xml") else MediaType(kind)
    return MediaType(kind)


def _plain_if_bare(claimed: MediaType, text: str) -> MediaType:
    """HTML by name alone needs at least one tag."""
    if claimed.name == "text/html" and "<" not in text:
        return _PLAIN_TEXT
    return claimed


def _claimed(name: str | None) -> MediaType | None:
    """The type that a name claims for text; `.ts` is TypeScript when the bytes are characters."""
    extension = extension_of(name)
    if not extension:
        return None
    claimed = type_for_extension(extension)
    return _TYPESCRIPT if extension == "ts" else claimed


def extension_of(name: str | None) -> str:
    """The extension of a name or path in lower case, without its dot; empty where it has none."""
    leaf = (name or "").replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = leaf.rpartition(".")
    return extension.lower() if stem and dot and extension.isascii() and extension.isalnum() else ""


def mismatch(declared: MediaType | str | None, name: str | None, sniffed: MediaType) -> str | None:
    """One sentence with both values where a declared type or a known extension contradicts the bytes; else none."""
    said: list[str] = []
    claim = _parsed(declared)
    if claim is not None and claim != OCTET_STREAM and not _agree(claim, sniffed):
        said.append(f"declared as {claim}")
    extension = extension_of(name)
    by_name = type_for_extension(extension)
    if (
        by_name is not None
        and extension not in extensions_of(sniffed)
        and not _name_agrees(extension, by_name, sniffed)
    ):
        said.append(f"named .{extension} ({by_name})")
    return f"{' and '.join(said)}, but the bytes are {sniffed}" if said else None


def _parsed(declared: MediaType | str | None) -> MediaType | None:
    if declared is None or isinstance(declared, MediaType):
        return declared
    try:
        return MediaType.parse(declared)
    except InvalidMediaType:
        return None


def _name_agrees(extension: str, by_name: MediaType, sniffed: MediaType) -> bool:
    if extension == "ts" and sniffed == _TYPESCRIPT:
        return True
    return by_name == OCTET_STREAM or _agree(by_name, sniffed)


def _agree(claim: MediaType, sniffed: MediaType) -> bool:
    if claim == sniffed or any(claim.name in alike and sniffed.name in alike for alike in _ALIKE):
        return True
    if claim == _PLAIN_TEXT:
        return sniffed.is_text
    if _GENERAL_ZIP in (claim.name, sniffed.name):
        other = sniffed if claim.name == _GENERAL_ZIP else claim
        return claim.name == _GENERAL_ZIP and _is_zip_based(other)
    if claim.name == _GENERAL_OLE:
        return sniffed.name.startswith("application/vnd.ms-") or sniffed.name == "application/msword"
    if sniffed.name == _GENERAL_OLE:
        return claim.name.startswith("application/vnd.ms-") or claim.name == "application/msword"
    return claim.family is Family.TEXT and sniffed.family is Family.TEXT and claim.name.startswith("text/x-")


def _is_zip_based(media_type: MediaType) -> bool:
    return media_type.name.startswith("application/vnd.o") or media_type.name == "application/epub+zip"
