"""Reads the `messages` of a Chat Completions request strictly: tool messages hold text only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from eyeline.testing.provider_double.dialect import Reading
    from eyeline.testing.provider_double.refusing import Node

_OPTIONAL = {
    *("frequency_penalty", "max_completion_tokens", "max_tokens", "metadata", "n", "parallel_tool_calls", "seed"),
    *("presence_penalty", "reasoning_effort", "response_format", "stop", "store", "stream", "temperature"),
    *("tool_choice", "tools", "top_p", "user"),
}


def read_chat(body: Node, reading: Reading, *, details: Collection[str]) -> None:
    """Each call is answered by a tool message before anything else is said."""
    messages = body.fields({"model", "messages"}, _OPTIONAL)["messages"]
    waiting: set[str] = set()
    for message in messages.items():
        role = message.kind("role")
        if role == "tool":
            waiting.discard(_tool(message, reading, waiting))
            continue
        if waiting:
            raise message.wrong(f"tool_call_ids without response messages: {sorted(waiting)}")
        if role == "assistant":
            waiting = _assistant(message, reading)
        elif role in ("system", "developer"):
            _texts(message.fields({"role", "content"}, {"name"})["content"], reading)
        elif role == "user":
            _user(message.fields({"role", "content"}, {"name"})["content"], reading, details=details)
        else:
            raise message.wrong(f"{role!r} is no role")
    if waiting:
        raise messages.wrong(f"tool_call_ids without response messages: {sorted(waiting)}")


def _tool(message: Node, reading: Reading, waiting: set[str]) -> str:
    fields = message.fields({"role", "tool_call_id", "content"}, {"name"})
    call_id = fields["tool_call_id"].text(blank=False)
    if call_id not in waiting:
        raise message.wrong("a message with role 'tool' must answer a preceding message with 'tool_calls'")
    _texts(fields["content"], reading)
    return call_id


def _assistant(message: Node, reading: Reading) -> set[str]:
    fields = message.fields({"role"}, {"content", "tool_calls", "name"})
    content = fields.get("content")
    if content is not None and content.value is not None:
        _texts(content, reading)
    if "tool_calls" not in fields:
        if content is None or content.value is None:
            raise message.wrong("content or tool_calls was expected")
        return set()
    calls = fields["tool_calls"].items()
    for call in calls:
        inner = call.fields({"id", "type", "function"})
        inner["type"].one_of("function")
        function = inner["function"].fields({"name", "arguments"})
        function["arguments"].text()
        if len(inner["id"].text(blank=False)) > 64:
            raise inner["id"].wrong("an id has at most 64 characters")
    return {str(call.value["id"]) for call in calls}


def _texts(content: Node, reading: Reading) -> None:
    if isinstance(content.value, str):
        reading.say(content)
        return
    for part in content.items():
        if part.kind() != "text":
            raise part.wrong(f"only text is taken here, not {part.kind()!r}", code="tool_result_shape")
        reading.say(part.fields({"type", "text"})["text"])


def _user(content: Node, reading: Reading, *, details: Collection[str]) -> None:
    if isinstance(content.value, str):
        reading.say(content)
        return
    for part in content.items():
        kind = part.kind()
        if kind == "text":
            reading.say(part.fields({"type", "text"}, {"prompt_cache_breakpoint"})["text"])
        elif kind == "image_url":
            address = part.fields({"type", "image_url"}, {"prompt_cache_breakpoint"})["image_url"]
            fields = address.fields({"url"}, {"detail"})
            if "detail" in fields:
                fields["detail"].one_of(*details)
            declared, data = fields["url"].data_url()
            reading.inline(declared, data, place=part.place)
        else:
            raise part.wrong(f"a part of type {kind!r} has no place here")
