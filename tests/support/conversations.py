"""Conversations with pictures, built for the tests of requests, and requests as text that can be compared."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from PIL import Image

from eyeline.media.sample_pictures import encoded
from eyeline.model.attachment import ImageRef, UploadedImage
from eyeline.model.digest import Digest
from eyeline.model.limits import JPEG
from eyeline.model.media_type import MediaType
from eyeline.model.message import ImageBlock, Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.model.prepared import PreparedImage, PreparedPart, PreparedText, PreparedToolCall, PreparedToolResult
from eyeline.request.assembling import Assembled


def image_ref(
    seed: int = 0,
    *,
    size: tuple[int, int] = (1000, 800),
    byte_count: int = 200_000,
    media_type: MediaType = JPEG,
    name: str | None = None,
) -> ImageRef:
    """A reference alone: nothing is kept under it."""
    digest = Digest.of(f"object {seed} {size} {byte_count}".encode())
    upload = UploadedImage(digest, media_type, byte_count, *size)
    return ImageRef(digest, media_type, byte_count, *size, f"picture {seed}" if name is None else name, upload)


def noise(width: int, height: int, *, seed: int = 1) -> bytes:
    """A PNG of three bytes a pixel, which nothing packs."""
    pixels = random.Random(seed).randbytes(width * height * 3)
    return encoded(Image.frombytes("RGB", (width, height), pixels), "image/png")


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


def looked_at(ref: ImageRef, *, call_id: str = "call_1") -> list[Message]:
    """A call of a tool and its result, which holds a picture."""
    return [
        Message("assistant", (ToolCallBlock(call_id, "look", '{"at": "pump"}'),)),
        Message("user", (ToolResultBlock(call_id, "look", (TextBlock("this is it"), ImageBlock(ref))),)),
    ]


def parts_of(assembled: Assembled) -> Iterator[PreparedPart]:
    """Every part of a request in order, those of tool results too."""
    for message in assembled.prepared.messages:
        for part in message.parts:
            yield part
            if isinstance(part, PreparedToolResult):
                yield from part.parts


def pictures_of(assembled: Assembled) -> list[PreparedImage]:
    return [part for part in parts_of(assembled) if isinstance(part, PreparedImage)]


def texts_of(assembled: Assembled) -> list[str]:
    return [part.text for part in parts_of(assembled) if isinstance(part, PreparedText)]


def spoken(assembled: Assembled) -> list[str]:
    """One text for each message that is equal exactly where the request is: bytes stand in it as their digest."""
    return [f"{message.role}: {' '.join(map(_said, message.parts))}" for message in assembled.prepared.messages]


def _said(part: PreparedPart) -> str:
    if isinstance(part, PreparedText):
        return part.text
    if isinstance(part, PreparedToolCall):
        return f"{part.call_id} {part.name}({part.arguments})"
    if isinstance(part, PreparedToolResult):
        return f"{part.call_id} {part.name}: {' '.join(map(_said, part.parts))}"
    moved = "" if part.rehoming is None else f"{part.rehoming.pointer} {part.rehoming.caption}"
    return f"{moved}<{part.image.media_type} {Digest.of(part.image.bytes)}>"
