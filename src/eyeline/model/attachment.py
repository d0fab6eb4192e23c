"""Attachments: durable references to pictures and files that go into model requests, and the pictures made of them.

A reference is portable JSON: it holds no bytes, no URL and no path, and survives a move of the home.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.manifest import Transform
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class UploadedImage:
    """What was uploaded: the exact bytes by their digest, and their upright size in pixels."""

    digest: Digest
    media_type: MediaType
    byte_count: int
    width_px: int
    height_px: int
    frames: int = 1


@dataclass(frozen=True, slots=True)
class ImageRef:
    """One picture of a message: the normalised object by its digest, its facts, the name it was given, the upload.

    The size is that of the normalised object, upright. `name` is text from outside: show it, never follow it.
    """

    attachment_id: Digest
    media_type: MediaType
    byte_count: int
    width_px: int
    height_px: int
    name: str
    original: UploadedImage
    has_alpha: bool = False
    kind: Literal["image"] = "image"

    @property
    def size(self) -> Size:
        """The size of the normalised object."""
        return Size(self.width_px, self.height_px)


@dataclass(frozen=True, slots=True)
class FileRef:
    """One file of a message that is no picture: its exact bytes by their digest, and a safe leaf name."""

    attachment_id: Digest
    media_type: MediaType
    byte_count: int
    name: str
    kind: Literal["file"] = "file"


AttachmentRef = ImageRef | FileRef


@dataclass(frozen=True, slots=True)
class AttachmentEntry:
    """One attachment as it is listed: when it was last saved, and who says to need it (names the program chose)."""

    ref: AttachmentRef
    saved_ms: int
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttachmentUsage:
    """What all attachments take, and may take."""

    attachments: int
    objects: int
    byte_count: int
    quota_bytes: int


@dataclass(frozen=True, slots=True)
class CollectReport:
    """What a collection let go: attachments that nobody held, and objects that nothing needed, with their bytes."""

    attachments: int
    objects: int
    byte_count: int


class AttachmentRefusal(StrEnum):
    """Why something is not attached; a closed list."""

    EMPTY = "empty"
    NOT_A_PICTURE = "not_a_picture"
    TOO_LARGE = "too_large"
    TOO_MANY_PIXELS = "too_many_pixels"
    SIDE_TOO_LONG = "side_too_long"
    TOO_MANY_IMAGES = "too_many_images"
    MESSAGE_TOO_LARGE = "message_too_large"
    DAMAGED = "damaged"
    CUT_SHORT = "cut_short"
    NOT_DECODABLE = "not_decodable"
    OVER_QUOTA = "over_quota"


REFUSALS: dict[AttachmentRefusal, str] = {
    AttachmentRefusal.EMPTY: "there are no bytes",
    AttachmentRefusal.NOT_A_PICTURE: "the bytes are no picture, whatever the name says",
    AttachmentRefusal.TOO_LARGE: "it has more bytes than one attachment may have",
    AttachmentRefusal.TOO_MANY_PIXELS: "its area is larger than that of a picture may be",
    AttachmentRefusal.SIDE_TOO_LONG: "one side is longer than that of a picture may be",
    AttachmentRefusal.TOO_MANY_IMAGES: "there are more pictures than one message may have",
    AttachmentRefusal.MESSAGE_TOO_LARGE: "together they have more bytes than one message may have",
    AttachmentRefusal.DAMAGED: "the bytes cannot be decoded",
    AttachmentRefusal.CUT_SHORT: "the picture ends before its last pixel",
    AttachmentRefusal.NOT_DECODABLE: "no engine here decodes it, or not within its limits",
    AttachmentRefusal.OVER_QUOTA: "all attachments together would be over their quota",
}
"""What each refusal says."""


@dataclass(frozen=True, slots=True)
class AttachmentLimits:
    """Bounds on what is attached."""

    max_bytes: int = 20 << 20
    """Size of one upload."""

    max_pixels: int = 64_000_000
    """Area of one uploaded picture."""

    max_side_px: int = 8192
    """Width and height of one uploaded picture."""

    max_images: int = 20
    """Pictures of one message."""

    max_message_bytes: int = 200 << 20
    """Uploads of one message together."""

    max_normalised_side_px: int = 4096
    """Longer side that the normalised object has at most."""

    max_normalised_bytes: int = 10 << 20
    """Size that the normalised object has at most."""

    quota_bytes: int = 20 << 30
    """What all attachments together may take."""


@dataclass(frozen=True, slots=True)
class ImageTarget:
    """What one request has room for: the box in pixels a picture is fitted into, its bytes, and encodings in order."""

    width_px: int
    height_px: int
    max_bytes: int
    media_types: tuple[MediaType, ...]
    min_side_px: int = 1


@dataclass(frozen=True, slots=True)
class RequestImage:
    """One picture as it is sent. `variant_id` names it by what made it, never by where it lies.

    `size` is in delivered pixels; `transforms` say what was done to the normalised object.
    """

    variant_id: Digest
    attachment_id: Digest
    bytes: bytes
    digest: Digest
    media_type: MediaType
    size: Size
    transforms: tuple[Transform, ...] = ()
