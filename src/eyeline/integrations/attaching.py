"""Pictures that stand inline in the messages of a framework: kept as attachments, so that history holds references."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Protocol

from eyeline.errors import InvalidRequest
from eyeline.model.display import shown
from eyeline.model.message import ImageBlock
from eyeline.source.url.target import without_credentials

if TYPE_CHECKING:
    from eyeline.model.attachment import ImageRef


class Saving(Protocol):
    """What keeps a picture: an `AttachmentStore`, as `Eyeline.attachments`."""

    def save_image(self, content: bytes, *, name: str | None = None) -> ImageRef:
        """Keep a picture and return its reference."""
        ...


def attached(store: Saving, data: bytes) -> ImageBlock:
    """A picture as a block that refers to it."""
    return ImageBlock(store.save_image(data))


def from_base64(store: Saving, text: str) -> ImageBlock:
    """A picture in base64 as a block that refers to it; `InvalidRequest` for what is no base64."""
    try:
        return attached(store, base64.b64decode(text, validate=True))
    except binascii.Error as exc:
        raise InvalidRequest("a picture of a message is not in base64") from exc


def from_address(store: Saving, address: str) -> ImageBlock:
    """A picture in a `data:` address; `InvalidRequest` for any other address, which is fetched by nobody here."""
    head, comma, text = address.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        raise InvalidRequest(
            f"the picture at {shown(without_credentials(address), max_chars=80)!r} is not in the message",
            hint="fetch it first, and put its bytes into the message",
        )
    return from_base64(store, text)


def unknown(kind: object) -> InvalidRequest:
    """The refusal of a part that no portable message has."""
    return InvalidRequest(
        f"a part of kind {str(kind)[:80]!r} has no place in a portable message",
        hint="text, pictures with their bytes, calls of tools and their results have",
    )
