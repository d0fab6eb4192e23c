"""Conversations with pictures, built for the tests of requests: references alone, no bytes behind them."""

from __future__ import annotations

from collections.abc import Sequence

from eyeline.model.attachment import ImageRef, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.limits import JPEG
from eyeline.model.media_type import MediaType
from eyeline.model.message import ImageBlock, Message, TextBlock


def image_ref(
    seed: int = 0,
    *,
    size: tuple[int, int] = (1000, 800),
    byte_count: int = 200_000,
    media_type: MediaType = JPEG,
    name: str | None = None,
) -> ImageRef:
    digest = Digest.of(f"object {seed} {size} {byte_count}".encode())
    upload = UploadedImage(digest, media_type, byte_count, *size)
    return ImageRef(digest, media_type, byte_count, *size, f"picture {seed}" if name is None else name, upload)


def talk(turns: Sequence[Sequence[ImageRef]], *, pinned: frozenset[int] = frozenset()) -> list[Message]:
    """One user message a turn, each answered but the last; `pinned` counts pictures from 0."""
    messages: list[Message] = []
    place = 0
    for number, refs in enumerate(turns):
        blocks: list[TextBlock | ImageBlock] = [TextBlock(f"turn {number}")]
        for ref in refs:
            blocks.append(ImageBlock(ref, pinned=place in pinned))
            place += 1
        messages += [Message("user", tuple(blocks)), Message("assistant", (TextBlock(f"answer {number}"),))]
    return messages[:-1]
