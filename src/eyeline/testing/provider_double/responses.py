"""Reads the `input` of a Responses request strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyeline.testing.provider_double.refusing import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection

    from eyeline.testing.provider_double.dialect import Reading
    from eyeline.testing.provider_double.refusing import Node

_OPTIONAL = {
    *("background", "include", "instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "reasoning"),
    *("service_tier", "store", "stream", "temperature", "text", "tool_choice", "tools", "top_p", "truncation"),
}


def read_responses(body: Node, reading: Reading, *, details: Collection[str]) -> None:
    """Every call has one output, after it."""
    items = body.fields({"model", "input"}, _OPTIONAL)["input"]
    if isinstance(items.value, str):
        reading.say(items)
        return
    made, answered = set[str](), set[str]()
    for item in items.items():
        kind = item.kind() if "type" in item.value else "message"
        if kind == "function_call":
            fields = item.fields({"type", "call_id", "name", "arguments"}, {"id", "status"})
            fields["arguments"].text()
            made.add(_call_id(fields["call_id"]))
        elif kind == "function_call_output":
            fields = item.fields({"type", "call_id", "output"}, {"id", "status"})
            call_id = _call_id(fields["call_id"])
            if call_id not in made - answered:
                raise item.wrong(f"no tool call found for function call output with call_id {call_id}")
            answered.add(call_id)
            _content(fields["output"], reading, details=details, in_result=True)
        elif kind == "message":
            _message(item, reading, details=details)
        else:
            raise item.wrong(f"an item of type {kind!r} is not known here")
    if made - answered:
        raise items.wrong(f"no tool output found for function call {sorted(made - answered)}")


def _call_id(node: Node) -> str:
    text = node.text(blank=False)
    if len(text) > 64:
        raise node.wrong(f"a call_id of {len(text)} characters, at most 64")
    return text


def _message(item: Node, reading: Reading, *, details: Collection[str]) -> None:
    fields = item.fields({"role", "content"}, {"type"})
    role = fields["role"].one_of("user", "assistant", "system", "developer")
    content = fields["content"]
    if role == "assistant" and not isinstance(content.value, str):
        for part in content.items():
            part.fields({"type", "text"}, {"annotations"})["type"].one_of("output_text")
            reading.say(part.fields({"type", "text"}, {"annotations"})["text"])
        return
    _content(content, reading, details=details, in_result=False)


def _content(content: Node, reading: Reading, *, details: Collection[str], in_result: bool) -> None:
    if isinstance(content.value, str):
        reading.say(content)
        return
    for part in content.items():
        kind = part.kind()
        if kind == "input_text":
            reading.say(part.fields({"type", "text"}, {"prompt_cache_breakpoint"})["text"])
        elif kind == "input_image":
            _picture(part, reading, details=details, in_result=in_result)
        else:
            raise part.wrong(f"a part of type {kind!r} has no place here")


def _picture(part: Node, reading: Reading, *, details: Collection[str], in_result: bool) -> None:
    fields = part.fields({"type"}, {"image_url", "file_id", "detail", "prompt_cache_breakpoint"})
    if "detail" in fields:
        fields["detail"].one_of(*details)
    if ("image_url" in fields) == ("file_id" in fields):
        raise Refusal("shape", "either image_url or file_id was expected", part.place)
    if "file_id" in fields:
        reading.file(fields["file_id"], place=part.place, in_result=in_result)
    else:
        declared, data = fields["image_url"].data_url()
        reading.inline(declared, data, place=part.place, in_result=in_result)
