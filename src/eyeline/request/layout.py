"""Where attachments lie below their folder, and what they are called there. Pure: nothing here looks at a disk.

v1/<2 hex>/<64 hex>.<ext>           pictures: the normalised object, and the upload where it is another
v1/<2 hex>/<64 hex>/<leaf name>     files
v1/staging/                         what is being written
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from eyeline.errors import InvalidReference
from eyeline.model.attachment import AttachmentRef, ImageRef, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.display import is_hidden
from eyeline.model.limits import JPEG, PNG, WEBP
from eyeline.model.media_type import OCTET_STREAM, Family, MediaType

VERSION, STAGING = "v1", "staging"
KEPT_TYPES = (PNG, JPEG, WEBP)
"""What a picture is kept as for requests."""

MAX_LEAF_BYTES, MAX_NAME_CHARS = 200, 255
_UNSAFE = frozenset('/\\:*?"<>|')
_RESERVED = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))
_MAX_SUFFIX_BYTES = 16


def object_path(ref: ImageRef) -> PurePosixPath:
    """Where the normalised object of a picture lies. Raises `InvalidReference` for a type no object has."""
    if ref.media_type not in KEPT_TYPES:
        kept = ", ".join(map(str, KEPT_TYPES))
        raise InvalidReference(f"no attached picture is {ref.media_type}", hint=f"they are {kept}", field="media_type")
    return _picture_path(ref.attachment_id, ref.media_type)


def upload_path(upload: UploadedImage) -> PurePosixPath:
    """Where the exact upload of a picture lies. Raises `InvalidReference` for what is no picture."""
    if upload.media_type.family is not Family.IMAGE or upload.media_type.extension == OCTET_STREAM.extension:
        raise InvalidReference(f"{upload.media_type} is no picture", field="original.media_type")
    return _picture_path(upload.digest, upload.media_type)


def file_path(digest: Digest, name: str) -> PurePosixPath:
    """Where an attached file lies. Raises `InvalidReference` for a name that no attached file has."""
    if name != safe_leaf(name, media_type=OCTET_STREAM):
        raise InvalidReference(f"{name[:80]!r} is not the leaf name of an attached file", field="name")
    return PurePosixPath(VERSION, digest.hex[:2], digest.hex, name)


def ref_path(ref: AttachmentRef) -> PurePosixPath:
    """Where what a reference names lies."""
    return object_path(ref) if isinstance(ref, ImageRef) else file_path(ref.attachment_id, ref.name)


def digest_of(path: PurePosixPath) -> Digest:
    """The digest that a path of this layout is named by."""
    return Digest(path.parts[2][:64])


def _picture_path(digest: Digest, media_type: MediaType) -> PurePosixPath:
    return PurePosixPath(VERSION, digest.hex[:2], f"{digest.hex}.{media_type.extension}")


def display_name(name: str | None, *, media_type: MediaType) -> str:
    """What a picture is called: the last part of the name it came with, valid Unicode, never a path of a host."""
    leaf = (name or "").replace("\\", "/").rstrip("/").rpartition("/")[2]
    whole = "".join("�" if unicodedata.category(each) in ("Cs", "Cc") else each for each in leaf).strip()
    return whole[:MAX_NAME_CHARS] or f"picture.{media_type.extension}"


def safe_leaf(name: str | None, *, media_type: MediaType) -> str:
    """The name of a file as it stands on the disk: the last part of the given one, harmless on every file system.

    What is not seen or has a meaning to a shell or a file system becomes `_`. Equal for equal names; a safe name stays
    as it is.
    """
    last = (name or "").replace("\\", "/").rstrip("/").rpartition("/")[2]
    leaf = unicodedata.normalize("NFC", last)
    leaf = "".join("_" if each in _UNSAFE or is_hidden(each) else each for each in leaf).strip(" ")
    leaf = leaf.rstrip(". ")
    if leaf.startswith((".", "-", "~")):
        leaf = f"_{leaf[1:]}"
    if leaf.partition(".")[0].rstrip(" ").casefold() in _RESERVED:
        leaf = f"_{leaf}"
    return _shortened(leaf) or f"file.{media_type.extension}"


def _shortened(leaf: str) -> str:
    """At most so many bytes, keeping the extension."""
    if len(leaf.encode()) <= MAX_LEAF_BYTES:
        return leaf
    stem, dot, extension = leaf.rpartition(".")
    suffix = f"{dot}{extension}" if stem and len(extension.encode()) < _MAX_SUFFIX_BYTES else ""
    head = leaf.encode()[: MAX_LEAF_BYTES - len(suffix.encode())].decode("utf-8", "ignore").rstrip(". ")
    return head + suffix
