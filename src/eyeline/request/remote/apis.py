"""The Files APIs of Anthropic, OpenAI, Gemini and DeepSeek: how each takes a picture, and what its refusals mean."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlsplit

from eyeline.errors import ConfigError
from eyeline.model.ids import derive
from eyeline.model.remote import RemotePolicy, WhyInline
from eyeline.request.remote.exchanging import Ask, FilesFailure, exchange

if TYPE_CHECKING:
    from eyeline.model.attachment import RequestImage
    from eyeline.request.remote.exchanging import Answer
    from eyeline.toolkit.cancel import CancelToken

ADDRESSES = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com",
    "deepseek": "https://api.deepseek.com",
}
"""Where each Files API is, spelled as the provider's own client wants its base address."""

_ANTHROPIC_VERSION = "2026-10-21"
_GONE = (404, 410)
_PORTS = {"http": 80, "https": 443}
_FULL = frozenset({"storage_quota_exceeded", "quota_exceeded", "insufficient_storage"})


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What a provider says of an upload; it lives for `lives_s` from the upload on, None for good."""

    remote_id: str
    lives_s: int | None


class FilesApi(Protocol):
    """The Files API of one account. `name` is what routes call it; `scope` tells accounts apart without the key."""

    @property
    def name(self) -> str:
        """`anthropic`, `openai`, `gemini` or `deepseek`."""
        ...

    @property
    def scope(self) -> str:
        """An id made of name, address and account."""
        ...

    def upload(self, image: RequestImage, *, cancel: CancelToken) -> Uploaded:
        """Upload a picture. Raises `FilesFailure` and `Cancelled`."""
        ...

    def delete(self, remote_id: str, *, cancel: CancelToken) -> None:
        """Delete an upload; one that is not there is deleted. Raises `FilesFailure` and `Cancelled`."""
        ...


def files_of(
    name: str, *, key: str, base_url: str | None = None, account: str | None = None, policy: RemotePolicy | None = None
) -> FilesApi:
    """The Files API of this name for a key.

    `account` names who the files belong to (workspace, project) where several keys share them; without it each key is
    an account of its own. Raises `ConfigError` for a name without Files API, or settings that cannot work.
    """
    if name not in ADDRESSES:
        raise ConfigError(f"{name!r} has no Files API", hint=f"there is one for {', '.join(ADDRESSES)}", setting="name")
    if not key or not key.isascii() or not key.isprintable():
        raise ConfigError("a Files API needs a key", hint="hand in the key of the provider", setting="key")
    address = (base_url or ADDRESSES[name]).rstrip("/")
    if not _is_base(address):
        raise ConfigError(
            f"the base_url of the Files API of {name} cannot be used",
            hint="it is http:// or https://, a host and a path, without user, query or fragment",
            setting="base_url",
        )
    scope = derive("remote", name, address, "account" if account else "key", account or key)
    kind = {"anthropic": _Anthropic, "gemini": _Gemini}.get(name, _OpenAi)
    return kind(name, scope, address, key, policy or RemotePolicy())


def _is_base(address: str) -> bool:
    """Whether an address can have paths put after it."""
    if _origin(address) is None:
        return False
    parts = urlsplit(address)
    return not (parts.query or parts.fragment or parts.username)


def _origin(address: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an address; none where one of them is missing or cannot be read."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or _PORTS[parts.scheme]


@dataclass(frozen=True, slots=True)
class _Api:
    """What the four have in common; the key is not shown."""

    name: str
    scope: str
    address: str
    key: str
    policy: RemotePolicy

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.scope!r})"

    def _ask(self, ask: Ask, cancel: CancelToken, *, well: tuple[int, ...] = ()) -> Answer:
        answer = exchange(ask, timeout_ms=self.policy.timeout_ms, cancel=cancel)
        if not 200 <= answer.status < 300 and answer.status not in well:
            raise failure_of(answer)
        return answer


class _Anthropic(_Api):
    """A bearer token, and the version of the API beside it, as the provider's own client sends them."""

    __slots__ = ()

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}", "anthropic-version": _ANTHROPIC_VERSION}

    def upload(self, image: RequestImage, *, cancel: CancelToken) -> Uploaded:
        form = {"expires_in_seconds": str(_within(self.policy.lifetime_s, 3_600, 7_776_000))}
        ask = Ask("POST", f"{self.address}/v1/files", self._headers, form, _file(image))
        said = self._ask(ask, cancel).said
        return Uploaded(_text(said, "id"), _lives(_moment(said.get("created_at")), _moment(said.get("expires_at"))))

    def delete(self, remote_id: str, *, cancel: CancelToken) -> None:
        ask = Ask("DELETE", f"{self.address}/v1/files/{remote_id}", self._headers)
        self._ask(ask, cancel, well=_GONE)


class _OpenAi(_Api):
    """OpenAI, and DeepSeek, which wants the purpose before the file."""

    __slots__ = ()

    @property
    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"}

    def upload(self, image: RequestImage, *, cancel: CancelToken) -> Uploaded:
        form = {
            "purpose": "user_data",
            "expires_after[anchor]": "created_at",
            "expires_after[seconds]": str(_within(self.policy.lifetime_s, 3_600, 2_592_000)),
        }
        ask = Ask("POST", f"{self.address}/files", self._headers, form, _file(image))
        said = self._ask(ask, cancel).said
        return Uploaded(_text(said, "id"), _lives(_whole(said.get("created_at")), _whole(said.get("expires_at"))))

    def delete(self, remote_id: str, *, cancel: CancelToken) -> None:
        ask = Ask("DELETE", f"{self.address}/files/{remote_id}", self._headers)
        self._ask(ask, cancel, well=_GONE)


class _Gemini(_Api):
    """Uploads in two steps; files are named by their address and live for two days."""

    __slots__ = ()

    @property
    def _headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self.key}

    def upload(self, image: RequestImage, *, cancel: CancelToken) -> Uploaded:
        start = {
            "x-goog-upload-protocol": "resumable",
            "x-goog-upload-command": "start",
            "x-goog-upload-header-content-length": str(len(image.bytes)),
            "x-goog-upload-header-content-type": str(image.media_type),
            "content-type": "application/json",
        }
        named = json.dumps({"file": {"displayName": _name(image)}}).encode()
        asked = Ask("POST", f"{self.address}/upload/v1beta/files", self._headers | start, content=named)
        address = self._ask(asked, cancel).headers.get("x-goog-upload-url", "")
        if _origin(address) is None or _origin(address) != _origin(self.address):
            # the bytes go to the provider that was chosen and nowhere else
            raise FilesFailure(WhyInline.REFUSED, lasts=True)
        send = {"x-goog-upload-offset": "0", "x-goog-upload-command": "upload, finalize"}
        kept: object = self._ask(Ask("POST", address, self._headers | send, content=image.bytes), cancel).said.get(
            "file"
        )
        said = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
        if said.get("state") != "ACTIVE":
            raise FilesFailure(WhyInline.BUSY, lasts=True)
        lives_s = _lives(_moment(said.get("createTime")), _moment(said.get("expirationTime")))
        return Uploaded(_text(said, "uri"), lives_s)

    def delete(self, remote_id: str, *, cancel: CancelToken) -> None:
        ask = Ask("DELETE", f"{self.address}/v1beta/files/{remote_id.rpartition('/')[2]}", self._headers)
        # what is not there cannot be told from what belongs to another
        self._ask(ask, cancel, well=(403, *_GONE))


def failure_of(answer: Answer) -> FilesFailure:
    """The one table from a refusal to what it means. Only what may be different at once does not last."""
    status = answer.status
    error: Any = answer.said.get("error")
    said = json.dumps(error).lower()
    if any(f'"{code}"' in said for code in _FULL) or (status == 429 and "storage" in said) or status == 507:
        return FilesFailure(WhyInline.FULL, lasts=True, status=status)
    if status in (401, 403):
        return FilesFailure(WhyInline.DENIED, lasts=True, status=status)
    if status in (408, 429) or status >= 500:
        return FilesFailure(WhyInline.BUSY, lasts=False, status=status)
    return FilesFailure(WhyInline.REFUSED, lasts=True, status=status)


def _file(image: RequestImage) -> tuple[str, bytes, str]:
    return _name(image), image.bytes, str(image.media_type)


def _name(image: RequestImage) -> str:
    """A name that says nothing of whose picture it is."""
    return f"{image.variant_id.hex[:32]}.{image.media_type.extension}"


def _within(seconds: int, least: int, most: int) -> int:
    return min(max(seconds, least), most)


def _text(said: dict[str, Any], key: str) -> str:
    value = said.get(key)
    if not isinstance(value, str) or not value:
        raise FilesFailure(WhyInline.REFUSED, lasts=True)
    return value


def _whole(value: object) -> float | None:
    return float(value) if isinstance(value, int) else None


def _moment(value: object) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except ValueError:
        return None


def _lives(created: float | None, expires: float | None) -> int | None:
    """How long an upload lives by the provider's own clock, which may differ from ours."""
    if expires is None:
        return None
    return max(0, int(expires - created)) if created is not None else 0
