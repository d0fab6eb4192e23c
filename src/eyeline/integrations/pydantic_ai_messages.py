"""Messages for Pydantic AI: a prepared request as its history, and its history as portable messages with references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from eyeline.integrations.attaching import attached, from_address, unknown
from eyeline.integrations.extras import needs
from eyeline.model.message import Message, TextBlock, ToolCallBlock, ToolResultBlock
from eyeline.model.prepared import PreparedImage, PreparedText
from eyeline.request.providers.turns import held_by, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic_ai.messages import BinaryContent, ModelMessage

    from eyeline.integrations.attaching import Saving
    from eyeline.model.message import Block, ImageBlock
    from eyeline.model.prepared import PreparedRequest, PreparedToolCall
    from eyeline.request.providers.turns import Shown, Turn


def to_pydantic_ai_history(request: PreparedRequest) -> list[ModelMessage]:
    """A prepared request as `message_history` of an agent's run. Prepare it for the route of the model behind it.

    A picture carries the id of its variant. Raises `MissingDependency` where the extra is not installed.
    """
    needs("pydantic_ai.messages", extra="pydantic-ai")
    return [_message(turn) for turn in turns_of(request)]


def from_pydantic_ai_history(messages: Sequence[ModelMessage], *, store: Saving) -> list[Message]:
    """A history with inline pictures as portable messages, each picture attached. Thoughts are left out.

    Raises `InvalidRequest` for a part that has no place in a portable message, and what the store raises.
    """
    needs("pydantic_ai.messages", extra="pydantic-ai")
    return [message for each in messages for message in _portable(each, store)]


def _message(turn: Turn) -> ModelMessage:
    from pydantic_ai import messages as theirs

    if turn.role == "assistant":
        return theirs.ModelResponse(parts=[_said(part) for part in turn.loose if not isinstance(part, PreparedImage)])
    if turn.role == "system":
        texts = [part.text for part in turn.loose if isinstance(part, PreparedText)]
        return theirs.ModelRequest(parts=[theirs.SystemPromptPart(text) for text in texts])
    parts: list[Any] = [
        theirs.ToolReturnPart(
            tool_name=result.name,
            content=_content(held_by(result)),
            tool_call_id=result.call_id,
            outcome="failed" if result.is_error else "success",
        )
        for result in turn.results
    ]
    shown = ([turn.moved] if turn.moved else []) + list(turn.shown)
    return theirs.ModelRequest(parts=parts + [theirs.UserPromptPart(_content(each)) for each in shown])


def _said(part: PreparedText | PreparedToolCall) -> Any:
    from pydantic_ai import messages as theirs

    if isinstance(part, PreparedText):
        return theirs.TextPart(part.text)
    return theirs.ToolCallPart(part.name, part.arguments, tool_call_id=part.call_id)


def _content(parts: Iterable[Shown | PreparedToolCall]) -> list[str | BinaryContent]:
    from pydantic_ai import BinaryContent

    content: list[str | BinaryContent] = []
    for part in parts:
        if isinstance(part, PreparedText):
            content.append(part.text)
        elif isinstance(part, PreparedImage):
            picture = part.image
            named = picture.variant_id.hex[:32]
            content.append(BinaryContent(picture.bytes, media_type=str(picture.media_type), identifier=named))
    return content


def _portable(message: ModelMessage, store: Saving) -> list[Message]:
    from pydantic_ai import messages as theirs

    if isinstance(message, theirs.ModelResponse):
        kept = [part for part in message.parts if not isinstance(part, theirs.ThinkingPart)]
        return [Message("assistant", tuple(_answered(part) for part in kept))]
    system = [part for part in message.parts if isinstance(part, theirs.SystemPromptPart)]
    rest = [part for part in message.parts if not isinstance(part, theirs.SystemPromptPart)]
    messages = [Message("system", (TextBlock(part.content),)) for part in system]
    blocks = tuple(block for part in rest for block in _asked(part, store))
    return [*messages, Message("user", blocks)] if blocks else messages


def _answered(part: object) -> Block:
    from pydantic_ai import messages as theirs

    if isinstance(part, theirs.TextPart):
        return TextBlock(part.content)
    if isinstance(part, theirs.ToolCallPart):
        arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
        return ToolCallBlock(part.tool_call_id, part.tool_name, arguments)
    raise unknown(type(part).__name__)


def _asked(part: object, store: Saving) -> list[Block]:
    from pydantic_ai import messages as theirs

    if isinstance(part, theirs.UserPromptPart):
        return list(_blocks(part.content, store))
    if isinstance(part, theirs.ToolReturnPart):
        held = tuple(_blocks(part.content, store))
        return [ToolResultBlock(part.tool_call_id, part.tool_name, held, part.outcome == "failed")]
    raise unknown(type(part).__name__)


def _blocks(content: Any, store: Saving) -> Iterable[TextBlock | ImageBlock]:
    from pydantic_ai import messages as theirs

    several = cast("Sequence[Any]", content if isinstance(content, list | tuple) else [content])
    for each in several:
        if isinstance(each, str):
            yield TextBlock(each)
        elif isinstance(each, theirs.BinaryContent) and each.media_type.startswith("image/"):
            yield attached(store, each.data)
        elif isinstance(each, theirs.ImageUrl):
            yield from_address(store, each.url)
        elif isinstance(each, dict | int | float | bool) or each is None:
            yield TextBlock(json.dumps(each, ensure_ascii=False))
        else:
            raise unknown(type(each).__name__)
