"""Messages for LiteLLM, and for whatever else takes Chat Completions as plain data.

The library itself is not imported: it takes and gives plain dicts. Its translators put pictures of tool messages where
the provider that is called takes them, which is why those of a route that nests stay there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.errors import InvalidRequest
from eyeline.integrations.attaching import from_address, unknown
from eyeline.model.message import Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.request.providers.openai_chat import body_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyeline.integrations.attaching import Saving
    from eyeline.model.message import Block, ImageBlock
    from eyeline.model.prepared import PreparedRequest


def to_litellm_messages(request: PreparedRequest) -> list[dict[str, Any]]:
    """A prepared request, for any route, as `litellm.completion(messages=…)` takes it; pictures go with their bytes."""
    return body_of(request)["messages"]


def from_litellm_messages(messages: Sequence[Mapping[str, Any]], *, store: Saving) -> list[Message]:
    """Messages with inline pictures as portable ones, each picture attached.

    Raises `InvalidRequest` for a part that has no place in a portable message, and what the store raises.
    """
    return [_message(message, store) for message in messages]


def _message(message: Mapping[str, Any], store: Saving) -> Message:
    role, content = message.get("role"), message.get("content")
    blocks: list[Block] = []
    if role == "tool":
        held = tuple(_block(part, store) for part in _parts(content))
        blocks.append(ToolResultBlock(str(message.get("tool_call_id")), str(message.get("name") or ""), held))
        return Message("user", tuple(blocks))
    blocks += [_block(part, store) for part in _parts(content)]
    calls: list[Any] = message.get("tool_calls") or []
    blocks += [ToolCallBlock(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls]
    if role in ("system", "developer"):
        return Message("system", tuple(blocks))
    if role in ("user", "assistant"):
        return Message(role, tuple(blocks))
    raise InvalidRequest(f"{str(role)[:80]!r} is no role of a message")


def _parts(content: Any) -> list[Any]:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _block(part: Any, store: Saving) -> TextBlock | ImageBlock:
    match part:
        case {"type": "text", "text": str(text)}:
            return TextBlock(text)
        case {"type": "image_url", "image_url": {"url": str(address)} | str(address)}:
            return from_address(store, address)
        case {"type": kind}:
            raise unknown(kind)
        case _:
            raise unknown(type(part).__name__)
