"""OpenAI: Responses, Chat Completions and the Files API; and those who speak the same way, DeepSeek among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyeline.testing.provider_double.chat import read_chat
from eyeline.testing.provider_double.dialect import Reply
from eyeline.testing.provider_double.forms import field_of, file_of, form_of, seconds_of
from eyeline.testing.provider_double.refusing import Refusal, indexed
from eyeline.testing.provider_double.responses import read_responses

if TYPE_CHECKING:
    from collections.abc import Collection

    from eyeline.testing.provider_double.dialect import Exchange, Reading
    from eyeline.testing.provider_double.forms import FormPart
    from eyeline.testing.provider_double.refusing import Node
    from eyeline.testing.provider_double.shelving import Shelf, Shelved

_CODES = {
    "no_key": "invalid_api_key",
    "image_too_large": "image_too_large",
    "media_type_refused": "unsupported_image_media_type",
    "media_type_mismatch": "image_parse_error",
    "undecodable": "image_parse_error",
    "side_too_small": "image_too_small",
    "file_not_found": "file_not_found",
    "file_expired": "file_expired",
    "quota": "storage_quota_exceeded",
}


class OpenAiDialect:
    """One server that speaks OpenAI's way. `speaks`: which of `responses`, `chat` and `files` it has."""

    def __init__(
        self, shelf: Shelf, *, speaks: Collection[str], details: Collection[str], purpose_comes_first: bool = False
    ) -> None:
        self.shelf = shelf
        self._speaks = speaks
        self._details = details
        self._purpose_comes_first = purpose_comes_first

    def account(self, exchange: Exchange) -> str:
        """A bearer token."""
        scheme, _, key = exchange.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not key:
            raise Refusal("no_key", "You didn't provide an API key.", status=401)
        return key

    def is_question(self, exchange: Exchange) -> bool:
        """`POST /v1/responses` or `POST /v1/chat/completions`."""
        named = {"/v1/responses": "responses", "/v1/chat/completions": "chat"}.get(exchange.path)
        return exchange.method == "POST" and named in self._speaks

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """A field of the body."""
        return body.kind("model")

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """By the address that was asked."""
        if exchange.path.endswith("/responses"):
            read_responses(body, reading, details=self._details)
        else:
            read_chat(body, reading, details=self._details)

    def judge_further(self, reading: Reading) -> None:
        """Nothing beyond the numbers."""

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """One short text."""
        if exchange.path.endswith("/responses"):
            return Reply(_response(str(body.value["model"])))
        message = {"role": "assistant", "content": "Noted.", "refusal": None}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        return Reply(
            {
                "id": "chatcmpl-double",
                "object": "chat.completion",
                "created": 1_796_000_000,
                "model": body.value["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
                "usage": usage,
            }
        )

    def files(self, exchange: Exchange, account: str) -> Reply:
        """Upload, list, look at and delete below `/v1/files`."""
        if "files" not in self._speaks:
            raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)
        match exchange.method, exchange.path.strip("/").split("/"):
            case "POST", ["v1", "files"]:
                return Reply(_described(self._upload(exchange, account)))
            case "GET", ["v1", "files"]:
                listed = [_described(file) for file in reversed(self.shelf.of(account))]
                return Reply({"object": "list", "data": listed, "has_more": False})
            case "GET", ["v1", "files", file_id]:
                return Reply(_described(self.shelf.take(file_id, account=account)))
            case "DELETE", ["v1", "files", file_id]:
                self.shelf.drop(file_id, account=account)
                return Reply({"id": file_id, "object": "file", "deleted": True})
            case _:
                raise Refusal("no_address", f"{exchange.method} {exchange.path}", status=404)

    def _upload(self, exchange: Exchange, account: str) -> Shelved:
        parts = form_of(exchange.headers.get("content-type", ""), exchange.body)
        file, purpose = file_of(parts), field_of(parts, "purpose")
        if purpose not in ("user_data", "vision"):
            raise Refusal("shape", f"{purpose!r} is no purpose for a picture", ("purpose",))
        if self._purpose_comes_first and not _comes_first(parts, "purpose"):
            raise Refusal("shape", "the purpose must come before the file", ("purpose",))
        anchor, seconds = field_of(parts, "expires_after[anchor]"), field_of(parts, "expires_after[seconds]")
        if (anchor is None) != (seconds is None) or anchor not in (None, "created_at"):
            raise Refusal("bad_expiry", "expires_after has an anchor of created_at and seconds", ("expires_after",))
        return self.shelf.put(
            file.body,
            account=account,
            media_type=file.media_type,
            name=file.file_name or "",
            seconds=seconds_of(seconds),
            purpose=purpose,
        )

    def refuse(self, refusal: Refusal) -> Reply:
        """An `error` object with message, type, parameter and code."""
        error = {
            "message": refusal.message,
            "type": "invalid_request_error",
            "param": indexed(refusal.place) or None,
            "code": _CODES.get(refusal.code),
        }
        return Reply({"error": error}, refusal.status)


def _comes_first(parts: list[FormPart], name: str) -> bool:
    names = [part.name for part in parts]
    return names.index(name) < names.index("file")


def _response(model: str) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "output_text", "text": "Noted.", "annotations": [], "logprobs": []}
    return {
        "id": "resp_double",
        "object": "response",
        "created_at": 1_796_000_000,
        "status": "completed",
        "model": model,
        "output": [
            {"type": "message", "id": "msg_double", "status": "completed", "role": "assistant", "content": [text]}
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
    }


def _described(file: Shelved) -> dict[str, Any]:
    return {
        "id": file.id,
        "object": "file",
        "bytes": len(file.bytes),
        "created_at": file.created_at,
        "expires_at": file.expires_at,
        "filename": file.name,
        "purpose": file.purpose,
        "status": "processed",
    }
