"""Anthropic: Messages and its Files API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from eyeline.testing.provider_double.dialect import Reply
from eyeline.testing.provider_double.forms import field_of, file_of, form_of, seconds_of
from eyeline.testing.provider_double.refusing import Refusal, dotted

if TYPE_CHECKING:
    from eyeline.testing.provider_double.dialect import Exchange, Reading
    from eyeline.testing.provider_double.looking import Look, Looking
    from eyeline.testing.provider_double.refusing import Node
    from eyeline.testing.provider_double.shelving import Shelf, Shelved

_OPTIONAL = {
    *("metadata", "output_config", "service_tier", "stop_sequences", "stream", "system", "temperature", "thinking"),
    *("tool_choice", "tools", "top_k", "top_p"),
}
_FINER = ("opus-4-7", "opus-4-8", "opus-5", "sonnet-5", "fable-5")
_VERSIONS = ("2023-06-01", "2026-10-21")
_KINDS = {401: "authentication_error", 404: "not_found_error", 413: "request_too_large"}


class AnthropicDialect:
    """The direct API."""

    def __init__(self, shelf: Shelf, looking: Looking) -> None:
        self.shelf = shelf
        self._looking = looking

    def account(self, exchange: Exchange) -> str:
        """The key is a bearer token or stands in `x-api-key`; the version of the API stands beside it."""
        scheme, _, token = exchange.headers.get("authorization", "").partition(" ")
        key = token if scheme == "Bearer" else exchange.headers.get("x-api-key")
        if not key:
            raise Refusal("no_key", "a key is required", status=401)
        if exchange.headers.get("anthropic-version") not in _VERSIONS:
            raise Refusal("shape", f"anthropic-version: one of {', '.join(_VERSIONS)} is required")
        return key

    def is_question(self, exchange: Exchange) -> bool:
        """`POST /v1/messages`."""
        return (exchange.method, exchange.path) == ("POST", "/v1/messages")

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """A field of the body."""
        return body.fields({"model", "max_tokens", "messages"}, _OPTIONAL)["model"].text(blank=False)

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """`messages` start with the user; calls are answered by the very next message."""
        fields = body.fields({"model", "max_tokens", "messages"}, _OPTIONAL)
        if not isinstance(fields["max_tokens"].value, int) or fields["max_tokens"].value < 1:
            raise fields["max_tokens"].wrong("a whole number of at least 1 was expected")
        if "system" in fields:
            self._system(fields["system"], reading)
        messages = fields["messages"].items()
        if not messages or messages[0].kind("role") != "user":
            raise fields["messages"].wrong("the first message must be the user's")
        open_calls: set[str] = set()
        for message in messages:
            open_calls = _message(message, reading, open_calls)
        if open_calls:
            raise messages[-1].wrong(f"tool_use ids without tool_result blocks: {sorted(open_calls)}")

    def _system(self, system: Node, reading: Reading) -> None:
        if isinstance(system.value, str):
            reading.say(system, blank=False)
            return
        for block in system.items():
            block.fields({"type", "text"}, {"cache_control"})["type"].one_of("text")
            reading.say(block.fields({"type", "text"}, {"cache_control"})["text"], blank=False)

    def judge_further(self, reading: Reading) -> None:
        """A picture above the model's own size is refused where the block asks for that."""
        edge, budget = (2576, 4784) if any(name in reading.model for name in _FINER) else (1568, 1568)
        for picture in reading.pictures:
            look = self._looking.at(picture.bytes)
            if picture.fits_model and not _fits(look, edge, budget):
                message = f"{look.width_px}x{look.height_px} exceeds the model's {edge} px and {budget} tokens"
                raise Refusal("oversized_for_model", message, picture.place)

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """One short text."""
        content = [{"type": "text", "text": "Noted.", "citations": None}]
        usage = {"input_tokens": 10, "output_tokens": 2}
        return Reply(
            {
                "id": "msg_double",
                "type": "message",
                "role": "assistant",
                "model": body.value["model"],
                "content": content,
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": usage,
            }
        )

    def files(self, exchange: Exchange, account: str) -> Reply:
        """Upload, list, look at and delete below `/v1/files`."""
        match exchange.method, exchange.path.strip("/").split("/"):
            case "POST", ["v1", "files"]:
                return Reply(_described(self._upload(exchange, account)))
            case "GET", ["v1", "files"]:
                listed = [_described(file) for file in reversed(self.shelf.of(account))]
                return Reply({"data": listed, "has_more": False, "first_id": None, "last_id": None})
            case "GET", ["v1", "files", file_id]:
                return Reply(_described(self.shelf.take(file_id, account=account)))
            case "DELETE", ["v1", "files", file_id]:
                self.shelf.drop(file_id, account=account)
                return Reply({"id": file_id, "type": "file_deleted"})
            case _:
                raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)

    def _upload(self, exchange: Exchange, account: str) -> Shelved:
        parts = form_of(exchange.headers.get("content-type", ""), exchange.body)
        file, seconds = file_of(parts), seconds_of(field_of(parts, "expires_in_seconds"))
        if not 1 <= len(file.file_name or "") <= 255:
            raise Refusal("shape", "a file name of 1 to 255 characters was expected")
        return self.shelf.put(
            file.body, account=account, media_type=file.media_type, name=file.file_name or "", seconds=seconds
        )

    def refuse(self, refusal: Refusal) -> Reply:
        """An `error` object; some causes carry a code of their own."""
        place = dotted(refusal.place)
        message = f"{place}: {refusal.message}" if place else refusal.message
        error: dict[str, Any] = {"type": _KINDS.get(refusal.status, "invalid_request_error"), "message": message}
        if refusal.code == "side_too_large":
            paths = [dotted(each) for each in refusal.facts["places"]]
            error["details"] = {
                "error_code": "image_dimensions_too_large",
                "max_side_length_pixels": refusal.facts["allowed"],
                "paths": paths,
            }
        elif refusal.code in ("file_expired", "quota"):
            named = {"file_expired": "file_expired", "quota": "storage_quota_exceeded"}[refusal.code]
            error["details"] = {"error_code": named}
        return Reply({"type": "error", "error": error, "request_id": "req_double"}, refusal.status)


def _message(message: Node, reading: Reading, open_calls: set[str]) -> set[str]:
    """Read one message; the calls it makes."""
    fields = message.fields({"role", "content"})
    role = fields["role"].one_of("user", "assistant")
    content = fields["content"]
    if isinstance(content.value, str):
        reading.say(content, blank=False)
        blocks: list[Node] = []
    else:
        blocks = content.items()
        if not blocks:
            raise content.wrong("the content is empty")
    calls, answered, is_past_results = set[str](), set[str](), False
    for block in blocks:
        kind = block.kind()
        if kind == "tool_result" and role == "user":
            if is_past_results:
                raise block.wrong("tool_result blocks come before anything else")
            answered.add(_result(block, reading))
            continue
        is_past_results = True
        if kind == "tool_use" and role == "assistant":
            calls.add(_call(block))
        else:
            _shown(block, reading, in_result=False, pictures=role == "user")
    if answered != open_calls:
        raise message.wrong(f"tool_result blocks {sorted(answered)} do not answer {sorted(open_calls)}")
    return calls


def _call(block: Node) -> str:
    fields = block.fields({"type", "id", "name", "input"}, {"cache_control"})
    fields["input"].object()
    fields["name"].text(blank=False)
    return _spelled(fields["id"])


def _result(block: Node, reading: Reading) -> str:
    fields = block.fields({"type", "tool_use_id"}, {"content", "is_error", "cache_control"})
    content = fields.get("content")
    if content is not None and isinstance(content.value, str):
        reading.say(content)
    elif content is not None:
        for inner in content.items():
            _shown(inner, reading, in_result=True, pictures=True)
    return _spelled(fields["tool_use_id"])


def _spelled(call_id: Node) -> str:
    text = call_id.text(blank=False)
    if not all(each.isascii() and (each.isalnum() or each in "_-") for each in text):
        raise call_id.wrong("an id holds letters, digits, _ and - only")
    return text


def _shown(block: Node, reading: Reading, *, in_result: bool, pictures: bool) -> None:
    kind = block.kind()
    if kind == "text":
        reading.say(block.fields({"type", "text"}, {"cache_control", "citations"})["text"], blank=False)
    elif kind == "image" and pictures:
        _picture(block, reading, in_result=in_result)
    else:
        raise block.wrong(f"a block of type {kind!r} has no place here")


def _picture(block: Node, reading: Reading, *, in_result: bool) -> None:
    fields = block.fields({"type", "source"}, {"cache_control", "transformations"})
    fits = False
    if "transformations" in fields:
        chosen = fields["transformations"].fields(set(), {"oversized_image"})
        fits = "oversized_image" in chosen and chosen["oversized_image"].one_of("downsize", "error") == "error"
    source = fields["source"]
    if source.kind() == "file":
        file_id = source.fields({"type", "file_id"})["file_id"]
        reading.file(file_id, place=block.place, in_result=in_result, fits_model=fits)
        return
    inner = source.fields({"type", "media_type", "data"})
    inner["type"].one_of("base64")
    declared = inner["media_type"].text()
    reading.inline(declared, inner["data"], place=block.place, in_result=in_result, fits_model=fits)


def _fits(look: Look, edge: int, budget: int) -> bool:
    """Sides rounded up to whole patches of 28 px keep to the edge, and their number to the budget."""
    across, down = -(-look.width_px // 28), -(-look.height_px // 28)
    return max(across, down) * 28 <= edge and across * down <= budget


def _described(file: Shelved) -> dict[str, Any]:
    ends = None if file.expires_at is None else _time(file.expires_at)
    return {
        "id": file.id,
        "type": "file",
        "filename": file.name,
        "mime_type": file.media_type,
        "size_bytes": len(file.bytes),
        "created_at": _time(file.created_at),
        "expires_at": ends,
        "downloadable": False,
    }


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
