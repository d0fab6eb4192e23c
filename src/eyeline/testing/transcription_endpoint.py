"""An OpenAI-compatible transcription endpoint on loopback that hears its script and is strict about how it is asked.

It answers on a real socket. Each request must be a form with one WAV file of the sound that a lane sends. What is not
as it should be is answered with status 400 and kept in `complaints`.
"""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self, cast

from eyeline.convert.voices import loud_spans
from eyeline.testing.loopback import LoopbackServer
from eyeline.testing.moods import Mood, Moody, MoodyExchange

if TYPE_CHECKING:
    from types import TracebackType

MAX_REQUEST_BYTES = 64 << 20
_FIELDS = {"model", "response_format", "temperature", "language", "timestamp_granularities[]", "chunking_strategy"}


@dataclass(frozen=True, slots=True)
class AskedSound:
    """One good request: headers by lower-case name, raw body, its fields, and the samples of its file."""

    headers: dict[str, str]
    body: bytes
    fields: dict[str, list[str]]
    sound: bytes


class TranscriptionEndpoint(Moody):
    """Serves while it is open as a context manager; `mood`, `script` and `speakers` may be changed between requests.

    It hears the lines of its script in turn, one for each stretch of sound, with the speakers in turn where it is asked
    for them. With `key` set, a request without `Bearer {key}` is answered with 401.
    """

    def __init__(
        self, *, mood: Mood = Mood.WELL, script: Sequence[str] = ("Somebody speaks.",), key: str | None = None
    ) -> None:
        super().__init__(mood)
        self.script = tuple(script)
        self.speakers: tuple[str, ...] = ("A",)
        self.key = key
        self.asked: list[AskedSound] = []
        self.complaints: list[str] = []
        self._server: _Server | None = None

    @property
    def base_url(self) -> str:
        """What to set as the transcriber's `base_url`."""
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
    def __init__(self, endpoint: TranscriptionEndpoint) -> None:
        super().__init__(_Exchange, name="transcription-endpoint")
        self.endpoint = endpoint


class _Exchange(MoodyExchange):
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
        except (ValueError, KeyError, TypeError, EOFError, wave.Error) as exc:
            endpoint.complaints.append(f"{type(exc).__name__}: {exc}")
            self.answer(400, json.dumps({"error": {"message": str(exc)}}).encode())
            return
        endpoint.asked.append(asked)
        endpoint.arrived.set()
        self.reply(endpoint, json.dumps(_heard(endpoint, asked)).encode(), beginning=b'{"text": "')


def _heard(endpoint: TranscriptionEndpoint, asked: AskedSound) -> dict[str, Any]:
    """What the script says, in the form that was asked for."""
    spans = [] if endpoint.mood is Mood.EMPTY else loud_spans(asked.sound)
    said = list(zip(spans, cycle(endpoint.script), cycle(endpoint.speakers), strict=False))
    text = " ".join(line for _, line, _ in said)
    segments = [
        {"id": place, "start": start / 1000, "end": end / 1000, "text": f" {line}", "no_speech_prob": 0.01}
        for place, ((start, end), line, _) in enumerate(said)
    ]
    match asked.fields["response_format"][0]:
        case "json":
            return {"text": text}
        case "diarized_json":
            named = [{**each, "speaker": name} for each, (_, _, name) in zip(segments, said, strict=True)]
            return {"task": "transcribe", "text": text, "segments": named}
        case _:
            words = [word for span, line, _ in said for word in _words(span, line)]
            return {"task": "transcribe", "language": "english", "text": text, "segments": segments, "words": words}


def _words(span: tuple[int, int], line: str) -> list[dict[str, Any]]:
    """The words of a line, evenly over a span that is a little shorter at both ends."""
    words, start, end = line.split(), span[0] + 100, span[1] - 100
    step = (end - start) / len(words)
    return [
        {"word": word, "start": (start + place * step) / 1000, "end": (start + (place + 1) * step) / 1000}
        for place, word in enumerate(words)
    ]


def _understand(path: str, headers: dict[str, str], body: bytes) -> AskedSound:
    """A request that is as it should be; ValueError, KeyError, EOFError or an error of `wave` for any other."""
    _require(path == "/v1/audio/transcriptions", "the path is not /v1/audio/transcriptions")
    head = f"content-type: {headers['content-type']}\r\n\r\n".encode()
    form = BytesParser().parsebytes(head + body)
    _require(form.get_content_type() == "multipart/form-data" and form.is_multipart(), "the body is no form")
    fields: dict[str, list[str]] = {}
    sound: bytes | None = None
    for part in cast("list[Message]", form.get_payload()):
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if name == "file":
            _require(sound is None and part.get_content_type() == "audio/wav", "the file is not one WAV file")
            sound = _samples(content)
        else:
            _require(name in _FIELDS, f"{name} is no field")
            fields.setdefault(str(name), []).append(content.decode())
    _require(bool(fields["model"][0]) and fields["temperature"] == ["0"], "no model, or a temperature")
    _require(fields["response_format"][0] in ("json", "verbose_json", "diarized_json"), "no format")
    is_verbose = fields["response_format"] == ["verbose_json"]
    _require(("timestamp_granularities[]" in fields) == is_verbose, "times are asked for in the wrong format")
    assert sound is not None
    return AskedSound(headers, body, fields, sound)


def _samples(content: bytes) -> bytes:
    with wave.open(io.BytesIO(content)) as file:
        form = (file.getnchannels(), file.getsampwidth(), file.getframerate())
        _require(form == (1, 2, 16_000), f"the sound is {form}")
        return file.readframes(file.getnframes())


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
