"""Which uploads a provider does not know any more, read from the error that its own client raised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection

    from eyeline.model.remote import RemoteFile

_CODES = ('"file_expired"', '"file_not_found"')
_GONE = frozenset({403, 404, 410})
_WORDS = ("not found", "not exist", "no such", "expired", "no longer")


def stale_among(error: BaseException, files: Collection[RemoteFile]) -> list[RemoteFile]:
    """The uploads of a request that an error calls unknown; empty where it is about anything else.

    Reads status and body in the form of the clients of Anthropic, OpenAI and Google, and of HTTP libraries.
    """
    status, said = _status(error), _said(error)
    if status is None:
        return []
    named = [file for file in files if file.remote_id.rpartition("/")[2] in said]
    if any(code in said for code in _CODES):
        return named or list(files)
    is_gone = status in _GONE or (status == 400 and any(word in said.lower() for word in _WORDS))
    return named if is_gone else []


def _status(error: BaseException) -> int | None:
    for value in (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(getattr(error, "response", None), "status_code", None),
    ):
        if isinstance(value, int):
            return value
    return None


def _said(error: BaseException) -> str:
    """The body of an answer as text, with whatever the client made of it."""
    body: Any = getattr(error, "body", None) or getattr(error, "details", None)
    response: Any = getattr(error, "response", None)
    if body is None and response is not None:
        body = getattr(response, "text", None)
    code: Any = getattr(error, "code", None)
    kept = [body, {"code": code} if isinstance(code, str) else None]
    return " ".join(json.dumps(cast("object", each), default=str) for each in kept if each is not None)
