"""Messages of a conversation, portable: text, pictures and files by reference, tool calls and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eyeline.model.attachment import FileRef, ImageRef

MessageRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Characters."""

    text: str
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """One occurrence of a picture. `pinned`: it is never left out of a request."""

    ref: ImageRef
    pinned: bool = False
    type: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class FileBlock:
    """One occurrence of a file."""

    ref: FileRef
    type: Literal["file"] = "file"


@dataclass(frozen=True, slots=True)
class ToolCallBlock:
    """A call that the model made; `arguments` is the JSON text of an object."""

    call_id: str
    name: str
    arguments: str
    type: Literal["tool_call"] = "tool_call"


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    """What a call came to; it may hold pictures."""

    call_id: str
    name: str
    blocks: tuple[TextBlock | ImageBlock | FileBlock, ...]
    is_error: bool = False
    type: Literal["tool_result"] = "tool_result"


Block = TextBlock | ImageBlock | FileBlock | ToolCallBlock | ToolResultBlock


@dataclass(frozen=True, slots=True)
class Message:
    """One turn, or a part of one. Results of tools stand in user messages."""

    role: MessageRole
    blocks: tuple[Block, ...]
