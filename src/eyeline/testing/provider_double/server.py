"""The double itself: one HTTP server on loopback with a corner for each provider."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, urlsplit

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
        self._thread: threading.Thread | None = None

    def base_url(self, provider: str) -> str:
        """Where the corner of a provider begins; what follows is the path of the real service."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}/{provider}"

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
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="provider-double")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


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


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, double: ProviderDouble) -> None:
        super().__init__(("127.0.0.1", 0), _Exchanging)
        self.double = double

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is none of ours to report."""


class _Exchanging(BaseHTTPRequestHandler):
    """One request and its answer."""

    def do_POST(self) -> None:
        self._exchange()

    def do_GET(self) -> None:
        self._exchange()

    def do_DELETE(self) -> None:
        self._exchange()

    def _exchange(self) -> None:
        assert isinstance(self.server, _Server)
        double = self.server.double
        address = urlsplit(self.path)
        _, provider, path = (*address.path.split("/", 2), "")[:3]
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
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
        written = json.dumps(reply.json).encode()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Stay silent."""
