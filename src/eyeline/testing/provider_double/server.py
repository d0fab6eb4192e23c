"""The double itself: one HTTP server on loopback with a corner for each provider."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, urlsplit

from eyeline.testing.loopback import LoopbackExchange, LoopbackServer
from eyeline.testing.provider_double.anthropic import AnthropicDialect
from eyeline.testing.provider_double.bedrock import BedrockDialect
from eyeline.testing.provider_double.dialect import Exchange, Reading, Reply
from eyeline.testing.provider_double.gemini import GeminiDialect
from eyeline.testing.provider_double.judging import SentPicture, judge
from eyeline.testing.provider_double.looking import Looking
from eyeline.testing.provider_double.mistral import MistralDialect
from eyeline.testing.provider_double.openai import OpenAiDialect
from eyeline.testing.provider_double.refusing import Node, Place, Refusal
from eyeline.testing.provider_double.rules import RULES, Rules
from eyeline.testing.provider_double.shelving import Shelf

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from eyeline.testing.provider_double.dialect import Dialect

_WIDE = ("auto", "low", "high", "original")


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model that was answered well: what it held, in order, and its exact body."""

    provider: str
    model: str
    body: bytes
    question: Any
    pictures: tuple[SentPicture, ...]
    texts: tuple[tuple[Place, str], ...]

    @property
    def said(self) -> str:
        """All texts, one after the other."""
        return "\n".join(text for _, text in self.texts)


@dataclass(frozen=True, slots=True)
class Refused:
    """One request that was refused, a request to the Files API too."""

    provider: str
    path: str
    refusal: Refusal


class ProviderDouble:
    """Serves while it is open as a context manager. `rules` replaces fields of a provider's rules.

    `calls`, `refused` and `requests` (method and path, by provider) say what arrived. `fail` makes the next requests
    fail as networks and busy servers do; `pass_time` lets uploaded files grow old.
    """

    def __init__(self, **rules: dict[str, Any]) -> None:
        self.calls: list[Call] = []
        self.refused: list[Refused] = []
        self.requests: list[tuple[str, str, str]] = []
        self.looking = Looking()
        self._rules = {name: replace(each, **rules.get(name, {})) for name, each in RULES.items()}
        self._elapsed = 0.0
        self._failures: deque[tuple[str, str, int]] = deque()
        self._lock = threading.Lock()
        self.dialects = _dialects(self._rules, self.looking, self)
        self._server: _Server | None = None

    def base_url(self, provider: str) -> str:
        """Where the corner of a provider begins; what follows is the path of the real service."""
        assert self._server is not None
        return f"{self._server.address}/{provider}"

    def now(self) -> float:
        """The double's own time, in seconds since 1970."""
        return time.time() + self._elapsed

    def pass_time(self, seconds: float) -> None:
        """Let files grow older."""
        self._elapsed += seconds

    def fail(self, provider: str, path: str, *, status: int = 0, times: int = 1) -> None:
        """Answer the next requests below a path with this status, or hang up on them for status 0."""
        with self._lock:
            self._failures.extend([(provider, path, status)] * times)

    def files(self, provider: str, *, account: str) -> list[str]:
        """The ids of an account's files."""
        return [file.id for file in self.dialects[provider].shelf.of(account)]

    def next_failure(self, provider: str, path: str) -> int | None:
        """The status of the next failure that is due here, taken off the list."""
        with self._lock:
            for failure in self._failures:
                if failure[0] == provider and path.startswith(failure[1]):
                    self._failures.remove(failure)
                    return failure[2]
        return None

    def reply(self, provider: str, exchange: Exchange) -> Reply:
        """Answer one request."""
        dialect = self.dialects[provider]
        try:
            account = dialect.account(exchange)
            if not dialect.is_question(exchange):
                return dialect.files(exchange, account)
            return self._asked(provider, exchange, Reading(account, dialect.shelf, ""))
        except Refusal as refusal:
            self.refused.append(Refused(provider, exchange.path, refusal))
            return dialect.refuse(refusal)

    def _asked(self, provider: str, exchange: Exchange, reading: Reading) -> Reply:
        dialect, rules = self.dialects[provider], self._rules[provider]
        if rules.max_request_bytes is not None and len(exchange.body) > rules.max_request_bytes:
            message = f"{len(exchange.body)} bytes, at most {rules.max_request_bytes}"
            raise Refusal("request_too_large", message, status=413)
        body = Node(_json(exchange))
        if body.object().get("stream"):
            raise Refusal("shape", "the double answers whole and streams nothing", ("stream",))
        reading.model = dialect.model_of(exchange, body)
        dialect.read(exchange, body, reading=reading)
        judge(reading.pictures, rules, looking=self.looking)
        dialect.judge_further(reading)
        self.calls.append(
            Call(provider, reading.model, exchange.body, body.value, tuple(reading.pictures), tuple(reading.texts))
        )
        return dialect.answer(exchange, body)

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.stop()


def _dialects(rules: Mapping[str, Rules], looking: Looking, double: ProviderDouble) -> dict[str, Dialect]:
    def shelf(name: str, prefix: str) -> Shelf:
        return Shelf(prefix, rules[name], now=double.now)

    def speaking(name: str) -> OpenAiDialect:
        return OpenAiDialect(shelf(name, "file-"), speaks={"chat"}, details=_WIDE)

    return {
        "anthropic": AnthropicDialect(shelf("anthropic", "file_"), looking),
        "openai": OpenAiDialect(shelf("openai", "file-"), speaks={"responses", "chat", "files"}, details=_WIDE),
        "gemini": GeminiDialect(shelf("gemini", "f")),
        "bedrock": BedrockDialect(shelf("bedrock", "")),
        "mistral": MistralDialect(shelf("mistral", "")),
        "deepseek": OpenAiDialect(
            shelf("deepseek", "file-api-"),
            speaks={"responses", "chat", "files"},
            details=("low", "high"),
            purpose_comes_first=True,
        ),
        "ollama": speaking("ollama"),
        "xai": speaking("xai"),
        "qwen": speaking("qwen"),
    }


def _json(exchange: Exchange) -> Any:
    if not exchange.headers.get("content-type", "").startswith("application/json"):
        raise Refusal("shape", "the content type is not application/json")
    try:
        return json.loads(exchange.body)
    except ValueError as exc:
        raise Refusal("shape", "the body is no JSON") from exc


class _Server(LoopbackServer):
    def __init__(self, double: ProviderDouble) -> None:
        super().__init__(_Exchanging, name="provider-double")
        self.double = double


class _Exchanging(LoopbackExchange):
    """One request and its answer."""

    def exchange(self) -> None:
        """The corner of a provider answers, or fails as it was told to."""
        assert isinstance(self.server, _Server)
        double = self.server.double
        address = urlsplit(self.path)
        _, provider, path = (*address.path.split("/", 2), "")[:3]
        body, headers = self.body(), self.named_headers()
        if provider not in double.dialects:
            self._answer(Reply({"error": "no such provider"}, 404))
            return
        double.requests.append((provider, self.command, f"/{path}"))
        failure = double.next_failure(provider, f"/{path}")
        if failure == 0:
            self.close_connection = True
            self.connection.close()
            return
        if failure is not None:
            self._answer(Reply({"error": {"message": "busy", "type": "server_error"}}, failure))
            return
        query = dict(parse_qsl(address.query))
        exchange = Exchange(self.command, f"/{path}", query, headers, body, double.base_url(provider))
        self._answer(double.reply(provider, exchange))

    def _answer(self, reply: Reply) -> None:
        self.answer_json(reply.status, reply.json, **reply.headers)
