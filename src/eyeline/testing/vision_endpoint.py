"""An OpenAI-compatible vision endpoint on loopback that sees nothing and is strict about how it is asked.

It answers on a real socket. Each request must hold one user message of one text and one picture, and the picture is
decoded from the bytes that arrived. What is not as it should be is answered with status 400 and kept in `complaints`.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from eyeline.errors import EyelineError
from eyeline.media.bounded.reader import Reader
from eyeline.media.ocr_sheet import opened
from eyeline.model.limits import Limits
from eyeline.testing.loopback import LoopbackServer
from eyeline.testing.moods import Mood, Moody, MoodyExchange

if TYPE_CHECKING:
    from types import TracebackType

MAX_REQUEST_BYTES = 64 << 20
_QUESTION_KEYS = {"model", "max_tokens", "temperature", "messages"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One good request: headers by lower-case name, raw body, its parsed form, and the picture that it held.

    `mean_level` is the average of the decoded picture in grey, from 0 to 255.
    """

    headers: dict[str, str]
    body: bytes
    question: dict[str, Any]
    picture: bytes
    width_px: int
    height_px: int
    mean_level: float


class VisionEndpoint(Moody):
    """Serves while it is open as a context manager; `mood` and `text` may be changed between requests.

    With `key` set, a request without `Bearer {key}` is answered with 401. `asked` lists the good requests in the order
    they came; `arrived` is set when one has.
    """

    def __init__(self, *, mood: Mood = Mood.WELL, text: str = "A plain picture.", key: str | None = None) -> None:
        super().__init__(mood)
        self.text = text
        self.key = key
        self.asked: list[Asked] = []
        self.complaints: list[str] = []
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """What to set as the describer's `base_url`."""
        assert self._server is not None
        return f"{self._server.address}/v1"

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self.end()
        self._server.stop()


class _Server(LoopbackServer):
    def __init__(self, endpoint: VisionEndpoint) -> None:
        super().__init__(_Exchange, name="vision-endpoint")
        self.endpoint = endpoint


class _Exchange(MoodyExchange):
    """One request and its answer."""

    def exchange(self) -> None:
        """One answer in the mood of the endpoint."""
        assert isinstance(self.server, _Server)
        endpoint = self.server.endpoint
        body, headers = self.body(max_bytes=MAX_REQUEST_BYTES), self.named_headers()
        if endpoint.key is not None and headers.get("authorization") != f"Bearer {endpoint.key}":
            self.answer(401, b"{}")
            return
        try:
            asked = _understand(self.path, headers, body)
        except (ValueError, KeyError, TypeError, EyelineError) as exc:
            endpoint.complaints.append(f"{type(exc).__name__}: {exc}")
            self.answer(400, json.dumps({"error": {"message": str(exc)}}).encode())
            return
        endpoint.asked.append(asked)
        endpoint.arrived.set()
        self.reply(endpoint, _completion(endpoint, asked), beginning=b'{"choices": [{"message": {"content": "')


def _completion(endpoint: VisionEndpoint, asked: Asked) -> bytes:
    text = "" if endpoint.mood is Mood.EMPTY else endpoint.text
    content: object = text
    if endpoint.mood is Mood.PARTS:
        content = [{"type": "text", "text": line} for line in text.splitlines()]
    reason = "length" if endpoint.mood is Mood.CUT_SHORT else "stop"
    answer = {
        "object": "chat.completion",
        "model": asked.question["model"],
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 321, "completion_tokens": len(text.split())},
    }
    return json.dumps(answer).encode()


def _understand(path: str, headers: dict[str, str], body: bytes) -> Asked:
    """A request that is as it should be; ValueError, KeyError or TypeError for any other."""
    _require(path == "/v1/chat/completions", "the path is not /v1/chat/completions")
    _require(headers.get("content-type") == "application/json", "the content type is not application/json")
    question = json.loads(body)
    _require(set(question) == _QUESTION_KEYS, "the keys are not model, max_tokens, temperature and messages")
    _require(isinstance(question["model"], str) and question["model"] != "", "there is no model")
    _require(isinstance(question["max_tokens"], int) and question["max_tokens"] > 0, "max_tokens is not above 0")
    _require(question["temperature"] == 0, "the temperature is not 0")
    (message,) = question["messages"]
    _require(message["role"] == "user", "the message is not the user's")
    prompt, shown = message["content"]
    _require(prompt["type"] == "text" and isinstance(prompt["text"], str), "the first part is not a text")
    _require(shown["type"] == "image_url", "the second part is not a picture")
    media_type, picture = _taken_apart(shown["image_url"]["url"])
    params = {"media_type": media_type, "max_source_pixels": Limits().max_pixels, "max_frames": 1}
    reader = Reader(lambda offset, length: picture[offset : offset + length], size=len(picture))
    with opened(reader, params) as sheet:
        return Asked(headers, body, question, picture, int(sheet.width), int(sheet.height), float(sheet.grey(1).avg()))


def _taken_apart(address: str) -> tuple[str, bytes]:
    """Media type and bytes of a `data:` address."""
    head, _, encoded = address.partition(";base64,")
    _require(head.startswith("data:image/"), "the picture is not a data: address")
    try:
        return head.removeprefix("data:"), base64.b64decode(encoded, validate=True)
    except binascii.Error as exc:
        raise ValueError("the picture is not base64") from exc


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
