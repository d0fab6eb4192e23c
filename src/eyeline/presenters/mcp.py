"""MCP content blocks: the envelope as JSON text, then each part as a one-line label and its native block.

Each payload stands once, in its own block: hosts that are given structured content as well drop the pictures.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from eyeline.model.envelope import Found, Opened
from eyeline.model.manifest import ContentKind, Part
from eyeline.presenters.labels import label
from eyeline.wire import dumps

if TYPE_CHECKING:
    from mcp_types import ContentBlock, TextContent


def opened_blocks(opened: Opened) -> list[ContentBlock]:
    """The blocks of an answer of `source_open` or `read`."""
    blocks: list[ContentBlock] = [text_block(dumps(opened.envelope))]
    for place, part in enumerate(opened.parts):
        blocks += [text_block(label(opened, place)), _native(part)]
    return blocks


def found_blocks(found: Found) -> list[ContentBlock]:
    """The one block of an answer of `find`."""
    return [text_block(dumps(found))]


def text_block(text: str) -> TextContent:
    """A text for the model."""
    from mcp_types import Annotations, TextContent

    return TextContent(type="text", text=text, annotations=Annotations(audience=["assistant"]))


def _native(part: Part) -> ContentBlock:
    from mcp_types import Annotations, ImageContent, TextContent

    for_both = Annotations(audience=["user", "assistant"])
    if part.entry.content_kind is ContentKind.TEXT:
        return TextContent(type="text", text=part.text, annotations=for_both)
    data = base64.b64encode(part.bytes).decode("ascii")
    return ImageContent(type="image", data=data, mime_type=str(part.entry.media_type), annotations=for_both)
