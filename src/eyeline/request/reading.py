"""Portable messages, from JSON: every block checked by itself, so that an error says which one it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, get_args

from eyeline.errors import EyelineError, InvalidReference, InvalidRequest
from eyeline.model.attachment import FileRef, ImageRef
from eyeline.model.message import (
    Block,
    FileBlock,
    ImageBlock,
    Message,
    MessageRole,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from eyeline.wire import dumps, loads, validate

T = TypeVar("T")
R = TypeVar("R", ImageRef, FileRef)
B = TypeVar("B", bound=Block)
Plain = Mapping[str, Any]


def messages_of(conversation: Sequence[Message | Plain] | Plain | str | bytes) -> tuple[Message, ...]:
    """A conversation from messages, from plain data, or from JSON: a list of messages, or an object that has one.

    Raises `InvalidReference` for a reference that is none, `InvalidRequest` for anything else that is no message; the
    detail says the `message` and `block`, counted from 1. Halves of characters, which some tools write and no request
    can carry, are read as the replacement character.
    """
    listed = _listed(_parsed(conversation) if isinstance(conversation, str | bytes) else conversation)
    return tuple(_located(_message, each, message=place) for place, each in enumerate(listed, start=1))


def json_of(messages: Sequence[Message]) -> str:
    """A conversation as portable JSON: it holds references, and no bytes, URL or path."""
    return f"[{','.join(dumps(message) for message in messages)}]"


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InvalidRequest(f"the conversation is not JSON: {exc}") from exc


def _listed(conversation: object) -> Sequence[object]:
    """The list of messages itself, or the one that an object has."""
    if isinstance(conversation, Mapping):
        conversation = cast("Plain", conversation).get("messages")
    if not isinstance(conversation, list | tuple):
        raise InvalidRequest("a conversation is a list of messages", hint='write [{"role": …, "blocks": […]}, …]')
    return cast("Sequence[object]", conversation)


def _message(message: object) -> Message:
    if isinstance(message, Message):
        return _checked(message)
    fields = _object(message, {"role", "blocks"})
    blocks = fields.get("blocks")
    if not isinstance(blocks, list):
        raise InvalidRequest("a message has a list of blocks", field="blocks")
    counted = enumerate(cast("list[object]", blocks), start=1)
    return Message(_role(fields.get("role")), tuple(_located(_block, each, block=place) for place, each in counted))


def _checked(message: Message) -> Message:
    """A message that was built by hand: values themselves check no types."""
    try:
        checked = validate(Message, message)
    except InvalidRequest as exc:
        if "ref" in str(exc.detail.get("field", "")).split("."):
            raise _no_reference(exc) from exc
        raise
    return Message(checked.role, tuple(_whole_block(block) for block in checked.blocks))


def _whole_block(block: B) -> B:
    """A block whose texts are whole characters; the names in references are neutralised where they are shown."""
    if isinstance(block, ToolResultBlock):
        inner = tuple(_whole_block(each) for each in block.blocks)
        return replace(block, call_id=_whole(block.call_id), name=_whole(block.name), blocks=inner)
    if isinstance(block, ToolCallBlock):
        arguments = _whole(block.arguments)
        return replace(block, call_id=_whole(block.call_id), name=_whole(block.name), arguments=arguments)
    return replace(block, text=_whole(block.text)) if isinstance(block, TextBlock) else block


def _whole(text: str) -> str:
    """A text whose surrogates are joined to characters, and replaced where they are alone."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _role(role: object) -> MessageRole:
    if role not in get_args(MessageRole):
        raise InvalidRequest(
            f"{_told(role)} is no role", hint=f"roles are {', '.join(get_args(MessageRole))}", field="role"
        )
    return cast("MessageRole", role)


def _block(block: object) -> Block:
    fields: Plain = cast("Plain", block) if isinstance(block, dict) else {}
    kind = fields.get("type")
    if kind == "text":
        return _loaded(TextBlock, fields)
    if kind == "tool_call":
        return _loaded(ToolCallBlock, fields)
    if kind == "tool_result":
        return _result(fields)
    if kind in ("image", "file"):
        return _attached(fields)
    raise InvalidRequest(
        f"{_told(kind)} is no type of a block",
        hint="types are text, image, file, tool_call and tool_result",
        field="type",
    )


def _result(block: Plain) -> ToolResultBlock:
    inner = block.get("blocks")
    if not isinstance(inner, list):
        raise InvalidRequest("a tool result has a list of blocks", field="blocks")
    shell = _loaded(ToolResultBlock, {**block, "blocks": []})
    read = [_block(each) for each in cast("list[object]", inner)]
    held = tuple(each for each in read if isinstance(each, TextBlock | ImageBlock | FileBlock))
    if len(held) < len(read):
        raise InvalidRequest("a tool result holds text, pictures and files only", field="blocks")
    return ToolResultBlock(shell.call_id, shell.name, held, shell.is_error)


def _attached(block: Plain) -> ImageBlock | FileBlock:
    try:
        ref = _ref(ImageRef, block.get("ref")) if block["type"] == "image" else _ref(FileRef, block.get("ref"))
    except InvalidRequest as exc:
        raise _no_reference(exc) from exc
    if isinstance(ref, FileRef):
        fields = _object(block, {"type", "ref"})
        return FileBlock(ref, fields["type"])
    fields = _object(block, {"type", "ref", "pinned"})
    pinned = fields.get("pinned", False)
    if not isinstance(pinned, bool):
        raise InvalidRequest(f"{_told(pinned)} is not true or false", field="pinned")
    return ImageBlock(ref, pinned=pinned)


def _ref(kind: type[R], value: object) -> R:
    """A reference as data, or as the value that attaching gave."""
    return validate(kind, value) if isinstance(value, kind) else _loaded(kind, value)


def _no_reference(exc: InvalidRequest) -> InvalidReference:
    hint = exc.hint or "hand references on as they came from attaching, unchanged"
    return InvalidReference(f"not a reference to an attachment: {exc.message}", hint=hint, **exc.detail)


def _object(value: object, names: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidRequest(f"{_told(value)} is not an object", hint=f"it has {', '.join(sorted(names))}")
    fields = cast("dict[str, Any]", value)
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise InvalidRequest(f"{_told(unknown[0])} does not belong here", hint=f"there are {', '.join(sorted(names))}")
    return fields


def _loaded(kind: type[T], value: object) -> T:
    try:
        text = _whole(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidRequest(f"a {type(value).__name__} here is not data as JSON has it") from exc
    return loads(kind, text)


def _told(value: object) -> str:
    """A value from outside as a message quotes it: a text by its beginning, anything else by its kind."""
    return repr(value[:80]) if isinstance(value, str) else f"a {type(value).__name__}"


def _located(read: Callable[[Any], T], value: object, **place: int) -> T:
    """Read one part; an error says which one it was."""
    try:
        return read(value)
    except EyelineError as exc:
        exc.detail.update(place)
        raise
