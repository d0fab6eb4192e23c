"""Messages for LangChain: a prepared request as its messages, and its messages as portable ones with references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eyeline.integrations.attaching import from_address, from_base64, unknown
from eyeline.integrations.extras import needs
from eyeline.model.message import Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.model.prepared import PreparedImage, PreparedText, PreparedToolCall
from eyeline.request.providers.turns import arguments_of, encoded, held_by, joined, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.messages import BaseMessage

    from eyeline.integrations.attaching import Saving
    from eyeline.model.prepared import PreparedRequest
    from eyeline.request.providers.turns import Shown, Turn


def to_langchain_messages(request: PreparedRequest) -> list[BaseMessage]:
    """A prepared request as messages for `model.invoke(…)`. Prepare it for the route of the model behind it.

    Raises `MissingDependency` where the extra is not installed.
    """
    needs("langchain_core.messages", extra="langchain")
    return [message for turn in turns_of(request) for message in _messages(turn)]


def from_langchain_messages(messages: Sequence[BaseMessage], *, store: Saving) -> list[Message]:
    """Messages with inline pictures as portable ones, each picture attached.

    Raises `InvalidRequest` for a part that has no place in a portable message, and what the store raises.
    """
    needs("langchain_core.messages", extra="langchain")
    return [_portable(message, store) for message in messages]


def _messages(turn: Turn) -> list[BaseMessage]:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    if turn.role == "system":
        return [SystemMessage(joined(message)) for message in turn.shown]
    if turn.role == "assistant":
        return [AIMessage(joined(message), tool_calls=_calls(message)) for message in turn.shown]
    messages: list[BaseMessage] = [
        ToolMessage(
            _content(held_by(result)),
            tool_call_id=result.call_id,
            name=result.name,
            status="error" if result.is_error else "success",
        )
        for result in turn.results
    ]
    shown = ([turn.moved] if turn.moved else []) + list(turn.shown)
    return messages + [HumanMessage(_content(parts)) for parts in shown]


def _calls(parts: Iterable[Shown | PreparedToolCall]) -> list[Any]:
    calls = [part for part in parts if isinstance(part, PreparedToolCall)]
    return [{"type": "tool_call", "id": call.call_id, "name": call.name, "args": arguments_of(call)} for call in calls]


def _content(parts: Iterable[Shown | PreparedToolCall]) -> list[str | dict[Any, Any]]:
    content: list[str | dict[Any, Any]] = []
    for part in parts:
        if isinstance(part, PreparedText):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, PreparedImage):
            content.append({"type": "image", "base64": encoded(part), "mime_type": str(part.image.media_type)})
    return content


def _portable(message: BaseMessage, store: Saving) -> Message:
    from langchain_core.messages import AIMessage, SystemMessage, ToolMessage

    blocks = [_block(block, store) for block in message.content_blocks]
    if isinstance(message, ToolMessage):
        held = tuple(block for block in blocks if not isinstance(block, ToolCallBlock | ToolResultBlock))
        result = ToolResultBlock(message.tool_call_id, message.name or "", held, message.status == "error")
        return Message("user", (result,))
    role = "system" if isinstance(message, SystemMessage) else "assistant" if isinstance(message, AIMessage) else "user"
    return Message(role, tuple(blocks))


def _block(block: Any, store: Saving) -> Any:
    match block:
        case {"type": "text", "text": str(text)}:
            return TextBlock(text)
        case {"type": "image", "base64": str(text)}:
            return from_base64(store, text)
        case {"type": "image", "url": str(address)}:
            return from_address(store, address)
        case {"type": "tool_call", "id": call_id, "name": name, "args": arguments}:
            return ToolCallBlock(str(call_id), str(name), json.dumps(arguments, ensure_ascii=False))
        case _:
            raise unknown(block.get("type"))
