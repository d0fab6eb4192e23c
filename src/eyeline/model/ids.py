"""Derived identifiers: prefix, underscore, 32 lower hex digits (128 bits of a SHA-256).

Each id follows from what it names, so taking the same thing in twice gives the same id. The inputs are joined as
length-prefixed fields: no two different inputs can run together into one text.
"""

from __future__ import annotations

import hashlib
import re

from eyeline.model.digest import Digest

_ID = re.compile(r"(doc|ver|rep)_[0-9a-f]{32}")


def derive(prefix: str, *fields: str) -> str:
    """Derive one id from its prefix and fields."""
    hasher = hashlib.sha256()
    for field in (prefix, *fields):
        data = field.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return f"{prefix}_{hasher.hexdigest()[:32]}"


def document_id(collection: str, source_kind: str, reference: str) -> str:
    """Id of a document: the same thing under the same reference is the same document."""
    return derive("doc", collection, source_kind, reference)


def version_id(doc_id: str, content: Digest) -> str:
    """Id of one state of a document: bytes that come back are the same version again."""
    return derive("ver", doc_id, content.hex)


def representation_id(manifest: Digest) -> str:
    """Id of a representation: it follows from the digest of its `manifest.json`."""
    return derive("rep", manifest.hex)


def conversion_key(fields: dict[str, str]) -> Digest:
    """Digest of everything that decides a conversion's output; equal keys mean equal work."""
    return Digest.of("\x00".join(f"{name}\x01{fields[name]}" for name in sorted(fields)).encode())


def is_id(text: str, prefix: str) -> bool:
    """Whether a text has the form of an id with this prefix."""
    match = _ID.fullmatch(text)
    return match is not None and match.group(1) == prefix
