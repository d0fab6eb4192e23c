"""The transcript lane over any OpenAI-compatible transcription endpoint.

Sound leaves only where a voice was found in it, and only from the first voice to the last. The answer is outside text:
it is bounded while it arrives, cleaned, and held to the time it was asked of.
"""

from __future__ import annotations

import io
import wave
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from eyeline.convert.endpoint import Endpoint, Naming
from eyeline.convert.lanes import SOUND_RATE_HZ, Precision, Transcript
from eyeline.convert.transcription import NotATranscription, read_transcription
from eyeline.convert.voices import voices_in
from eyeline.errors import ConfigError
from eyeline.media.engines import SPEECH_ENGINE
from eyeline.model.digest import Digest
from eyeline.model.reading import Component

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyeline.media.bounded.pool import BoundedPool
    from eyeline.toolkit.cancel import CancelToken

QUESTION_REVISION = "1"
MAX_TRANSCRIPTION_BYTES = 8 << 20
_NAMING = Naming("the transcription endpoint", "transcriber", "a transcription")


class AnswerFormat(StrEnum):
    """What an endpoint is asked to answer with: segments and words, segments with speakers, or a text alone."""

    VERBOSE_JSON = "verbose_json"
    DIARIZED_JSON = "diarized_json"
    JSON = "json"


class EndpointTranscriber:
    """A transcriber that asks `{base_url}/audio/transcriptions`.

    `base_url`, `api_key_env` and `timeout_ms` are those of `Endpoint`. `language` is a code such as `en`, or none to
    leave it to the model. With a `pool`, voices are found in the bounded child where that can be done. Raises
    `ConfigError` for settings that cannot work.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        language: str | None = None,
        answer: AnswerFormat = AnswerFormat.VERBOSE_JSON,
        pool: BoundedPool | None = None,
        api_key_env: str | None = None,
        timeout_ms: int = 300_000,
    ) -> None:
        self._endpoint = Endpoint(
            base_url, path="/audio/transcriptions", naming=_NAMING, api_key_env=api_key_env, timeout_ms=timeout_ms
        )
        if not model.strip() or not model.isprintable():
            raise ConfigError("the transcriber needs a model", hint="set `model` in [transcriber]", setting="model")
        if language is not None and not (language.isascii() and language.isalpha()):
            raise ConfigError(f"{language!r} is no code of a language", hint="for example en", setting="language")
        self._model = model
        self._language = language
        self._answer = answer
        self._pool = pool

    @property
    def components(self) -> tuple[Component, ...]:
        """The model with the host it runs on, what it is asked, and what finds voices."""
        finder = SPEECH_ENGINE.versions() if self._pool is not None and SPEECH_ENGINE.is_installed else {"level": "1"}
        return (
            Component("transcription-question", f"{QUESTION_REVISION} {self._answer}"),
            Component("transcription-model", self._model, self._endpoint.host),
            Component("speech-language", self._language or "any"),
            *(Component(f"voices-{name}", version) for name, version in finder.items()),
        )

    def transcribe(self, sound: bytes, *, start_ms: int, cancel: CancelToken | None = None) -> Transcript:
        """Ask once, or not at all where there is no voice. Raises as `Endpoint.post`, and `EngineFailed`."""
        if cancel is not None:
            cancel.raise_if_cancelled()
        voices = voices_in(sound, pool=self._pool, cancel=cancel)
        if not voices:
            return Transcript((), Precision.SEGMENT)
        first_ms, last_ms = voices[0][0], voices[-1][1]
        sent = sound[2 * _samples(first_ms) : 2 * _samples(last_ms)]
        body, content_type = self._question(_wav(sent))
        answer = self._endpoint.post(
            body, content_type=content_type, max_answer_bytes=MAX_TRANSCRIPTION_BYTES, cancel=cancel
        )
        inside = [(begin - first_ms, end - first_ms) for begin, end in voices]
        try:
            heard = read_transcription(answer, extent_ms=last_ms - first_ms, voices=inside)
        except NotATranscription as exc:
            raise self._endpoint.malformed() from exc
        offset = start_ms + first_ms
        turns = [replace(each, start_ms=each.start_ms + offset, end_ms=each.end_ms + offset) for each in heard.turns]
        return replace(heard, turns=tuple(turns), language=self._language or heard.language)

    def _question(self, wav: bytes) -> tuple[bytes, str]:
        """The form that is sent, and its content type; the same sound always gives the same bytes."""
        boundary = f"eyeline-{Digest.of(wav).hex[:32]}"
        lines = [
            f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in self._fields()
        ]
        lines.append(
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="sound.wav"\r\n'
            "content-type: audio/wav\r\n\r\n"
        )
        body = "".join(lines).encode() + wav + f"\r\n--{boundary}--\r\n".encode()
        return body, f"multipart/form-data; boundary={boundary}"

    def _fields(self) -> Iterator[tuple[str, str]]:
        yield "model", self._model
        yield "response_format", self._answer.value
        yield "temperature", "0"
        if self._language is not None:
            yield "language", self._language
        if self._answer is AnswerFormat.VERBOSE_JSON:
            yield "timestamp_granularities[]", "segment"
            yield "timestamp_granularities[]", "word"
        if self._answer is AnswerFormat.DIARIZED_JSON:
            yield "chunking_strategy", "auto"


def _samples(at_ms: int) -> int:
    return at_ms * SOUND_RATE_HZ // 1000


def _wav(sound: bytes) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SOUND_RATE_HZ)
        file.writeframes(sound)
    return buffer.getvalue()
