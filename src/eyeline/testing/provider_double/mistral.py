"""Mistral: chat. Tool messages hold pictures; ids of calls have nine letters and digits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyeline.testing.provider_double.dialect import Reply
from eyeline.testing.provider_double.refusing import Refusal, dotted

if TYPE_CHECKING:
    from eyeline.testing.provider_double.dialect import Exchange, Reading
    from eyeline.testing.provider_double.refusing import Node
    from eyeline.testing.provider_double.shelving import Shelf

_OPTIONAL = {
    "tools",
    "tool_choice",
    "temperature",
    "max_tokens",
    "top_p",
    "stream",
    "safe_prompt",
    "random_seed",
    "parallel_tool_calls",
    "n",
    "response_format",
}
_CALL_ID = re.compile(r"[A-Za-z0-9]{9}")


class MistralDialect:
    """The direct API."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def account(self, exchange: Exchange) -> str:
        """A bearer token."""
        scheme, _, key = exchange.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not key:
            raise Refusal("no_key", "Unauthorized", status=401)
        return key

    def is_question(self, exchange: Exchange) -> bool:
        """`POST /v1/chat/completions`."""
        return (exchange.method, exchange.path) == ("POST", "/v1/chat/completions")

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """A field of the body."""
        return body.fields({"model", "messages"}, _OPTIONAL)["model"].text(blank=False)

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """After a tool message comes another or the assistant; each call is answered."""
        messages = body.fields({"model", "messages"}, _OPTIONAL)["messages"].items()
        before, waiting = "", set[str]()
        for message in messages:
            role = message.kind("role")
            if before == "tool" and role == "user":
                raise message.wrong("Unexpected role 'user' after role 'tool'")
            if waiting and role != "tool":
                raise message.wrong("not the same number of function calls and responses")
            if role == "tool":
                fields = message.fields({"role", "content", "tool_call_id"}, {"name"})
                if fields["tool_call_id"].text() not in waiting:
                    raise message.wrong("this answers no call")
                waiting.discard(fields["tool_call_id"].text())
                _content(fields["content"], reading, in_result=True, pictures=True)
            elif role == "assistant":
                waiting = _assistant(message, reading)
            else:
                content = message.fields({"role", "content"})["content"]
                _content(content, reading, in_result=False, pictures=role == "user")
            before = role
        if waiting or before not in ("user", "tool"):
            raise Refusal("shape", "the last role must be user or tool", ("messages",))

    def judge_further(self, reading: Reading) -> None:
        """Nothing beyond the numbers."""

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """One short text."""
        message = {"role": "assistant", "content": "Noted.", "tool_calls": None}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        return Reply(
            {
                "id": "double",
                "object": "chat.completion",
                "created": 1_796_000_000,
                "model": body.value["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": usage,
            }
        )

    def files(self, exchange: Exchange, account: str) -> Reply:
        """Not part of the double: pictures go inline."""
        raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)

    def refuse(self, refusal: Refusal) -> Reply:
        """A flat `error` object."""
        place = dotted(refusal.place)
        message = f"{place}: {refusal.message}" if place else refusal.message
        kind = "invalid_request_message_order" if "role" in refusal.message else "invalid_request_error"
        said = {"object": "error", "message": message, "type": kind, "param": None, "code": "3000"}
        return Reply(said, refusal.status)


def _assistant(message: Node, reading: Reading) -> set[str]:
    fields = message.fields({"role"}, {"content", "tool_calls", "prefix"})
    if "content" in fields and fields["content"].value is not None:
        _content(fields["content"], reading, in_result=False, pictures=False)
    ids = set[str]()
    if "tool_calls" in fields and fields["tool_calls"].value is not None:
        for call in fields["tool_calls"].items():
            inner = call.fields({"id", "function"}, {"type", "index"})
            if not _CALL_ID.fullmatch(inner["id"].text()):
                raise inner["id"].wrong("Tool call id must be a-z, A-Z, 0-9, with a length of 9")
            inner["function"].fields({"name", "arguments"})
            ids.add(inner["id"].text())
    return ids


def _content(content: Node, reading: Reading, *, in_result: bool, pictures: bool) -> None:
    if isinstance(content.value, str):
        reading.say(content)
        return
    for chunk in content.items():
        kind = chunk.kind()
        if kind == "text":
            reading.say(chunk.fields({"type", "text"})["text"])
        elif kind == "image_url" and pictures:
            address = chunk.fields({"type", "image_url"})["image_url"]
            if not isinstance(address.value, str):
                address = address.fields({"url"}, {"detail"})["url"]
            declared, data = address.data_url()
            reading.inline(declared, data, place=chunk.place, in_result=in_result)
        else:
            raise chunk.wrong(f"a chunk of type {kind!r} has no place here")
