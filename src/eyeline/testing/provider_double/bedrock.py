"""Amazon Bedrock: Converse. There is no Files API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from eyeline.testing.provider_double.dialect import Reply
from eyeline.testing.provider_double.refusing import Refusal, indexed

if TYPE_CHECKING:
    from eyeline.testing.provider_double.dialect import Exchange, Reading
    from eyeline.testing.provider_double.refusing import Node
    from eyeline.testing.provider_double.shelving import Shelf

_QUESTION = re.compile(r"/model/([^/]+)/converse")
_OPTIONAL = {"system", "inferenceConfig", "toolConfig", "additionalModelRequestFields", "requestMetadata"}
_NESTING = ("claude", "nova")
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BedrockDialect:
    """One region's runtime."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def account(self, exchange: Exchange) -> str:
        """A signature or a bearer token; the signature itself is not checked."""
        scheme, _, rest = exchange.headers.get("authorization", "").partition(" ")
        if scheme not in ("AWS4-HMAC-SHA256", "Bearer") or not rest:
            raise Refusal("no_key", "Missing Authentication Token", status=403)
        return rest.partition("/")[0]

    def is_question(self, exchange: Exchange) -> bool:
        """`POST /model/{modelId}/converse`."""
        return exchange.method == "POST" and _QUESTION.fullmatch(exchange.path) is not None

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """A part of the address."""
        found = _QUESTION.fullmatch(exchange.path)
        return unquote(found[1]) if found is not None else ""

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """Roles alternate and the user begins; calls are answered by the very next message."""
        fields = body.fields({"messages"}, _OPTIONAL)
        if "system" in fields:
            for block in fields["system"].items():
                reading.say(block.fields({"text"})["text"], blank=False)
        nests = any(name in reading.model for name in _NESTING)
        calls: set[str] = set()
        for place, message in enumerate(fields["messages"].items()):
            expected = ("user", "assistant")[place % 2]
            if message.kind("role") != expected:
                raise message.wrong(f"roles must alternate; the {expected}'s turn was expected")
            calls = _message(message, reading, calls, nests=nests)
        if calls:
            raise fields["messages"].wrong(f"toolUse without toolResult: {sorted(calls)}")

    def judge_further(self, reading: Reading) -> None:
        """Nothing beyond the numbers."""

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """One short text."""
        message = {"role": "assistant", "content": [{"text": "Noted."}]}
        usage = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
        return Reply(
            {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}
        )

    def files(self, exchange: Exchange, account: str) -> Reply:
        """None."""
        raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)

    def refuse(self, refusal: Refusal) -> Reply:
        """A message, and the kind of error in a header."""
        place = indexed(refusal.place)
        message = f"{place}: {refusal.message}" if place else refusal.message
        kind = {403: "AccessDeniedException", 404: "ResourceNotFoundException"}.get(refusal.status)
        status = 400 if refusal.status == 413 else refusal.status
        return Reply({"message": message}, status, {"x-amzn-ErrorType": kind or "ValidationException"})


def _message(message: Node, reading: Reading, waiting: set[str], *, nests: bool) -> set[str]:
    fields = message.fields({"role", "content"})
    role, blocks = fields["role"].value, fields["content"].items()
    if not blocks:
        raise fields["content"].wrong("the content is empty")
    calls, answered = set[str](), set[str]()
    for block in blocks:
        kinds = list(block.object())
        kind = kinds[0] if len(kinds) == 1 else ""
        match kind, role:
            case "toolUse", "assistant":
                use = block.fields({"toolUse"})["toolUse"].fields({"toolUseId", "name", "input"})
                use["input"].object()
                calls.add(_call_id(use))
            case "toolResult", "user":
                result = block.fields({"toolResult"})["toolResult"].fields({"toolUseId", "content"}, {"status"})
                answered.add(_call_id(result))
                for inner in result["content"].items():
                    _shown(inner, reading, in_result=True, pictures=nests)
            case _:
                _shown(block, reading, in_result=False, pictures=role == "user")
    if answered != waiting:
        raise message.wrong(f"toolResult {sorted(answered)} does not answer toolUse {sorted(waiting)}")
    return calls


def _call_id(fields: dict[str, Node]) -> str:
    text = fields["toolUseId"].text()
    if not _CALL_ID.fullmatch(text):
        raise fields["toolUseId"].wrong("an id holds 1 to 64 letters, digits, _ and -")
    return text


def _shown(block: Node, reading: Reading, *, in_result: bool, pictures: bool) -> None:
    fields = block.fields(set(), {"text", "image", "json"})
    if len(fields) != 1:
        raise block.wrong("a block is exactly one thing")
    if "text" in fields:
        reading.say(fields["text"], blank=False)
    elif "image" in fields and pictures:
        image = fields["image"].fields({"format", "source"})
        encoding = image["format"].one_of("png", "jpeg", "gif", "webp")
        data = image["source"].fields({"bytes"})["bytes"]
        reading.inline(f"image/{encoding}", data, place=block.place, in_result=in_result)
    elif "image" in fields:
        raise block.wrong("an image has no place here for this model", code="tool_result_shape")
