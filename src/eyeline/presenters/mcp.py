"""MCP content blocks: the header as JSON text, then each part as a one-line label and its native block.

Each payload stands once, in its own block: hosts that are given structured content as well drop the pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.model.manifest import ContentKind, Part
from eyeline.presenters.framing import encoded, framed, is_text, left_out
from eyeline.presenters.labels import item_line

if TYPE_CHECKING:
    from mcp_types import ContentBlock, TextContent

    from eyeline.model.viewing import Viewed


def raw_blocks(viewed: Viewed) -> list[ContentBlock]:
    """Content only: for each item one line that says what became of it, then its parts, without report or labels."""
    blocks: list[ContentBlock] = []
    for item in viewed.report.items:
        blocks.append(text_block(item_line(item)))
        if item.same_as is None:
            blocks += [_native(viewed.parts[place - 1]) for place in item.parts]
    return blocks


def answer_blocks(answer: object) -> list[ContentBlock]:
    """The blocks of any answer of a tool: its account as JSON, then each part behind its label."""
    whole = framed(answer)
    blocks: list[ContentBlock] = [text_block(whole.header)]
    for each in whole.parts:
        blocks += [text_block(each.label), _native(each.part)]
    return blocks


def text_block(text: str) -> TextContent:
    """A text for the model."""
    from mcp_types import Annotations, TextContent

    return TextContent(type="text", text=text, annotations=Annotations(audience=["assistant"]))


def _native(part: Part) -> ContentBlock:
    from mcp_types import Annotations, AudioContent, ImageContent, TextContent

    for_both = Annotations(audience=["user", "assistant"])
    media_type = str(part.entry.media_type)
    if is_text(part):
        return TextContent(type="text", text=part.text, annotations=for_both)
    if part.entry.content_kind is ContentKind.PICTURE:
        return ImageContent(type="image", data=encoded(part), mime_type=media_type, annotations=for_both)
    if part.entry.content_kind is ContentKind.AUDIO:
        return AudioContent(type="audio", data=encoded(part), mime_type=media_type, annotations=for_both)
    return text_block(left_out(part, "a tool result of MCP"))
