"""The transcript lane over whisper, in the bounded child."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eyeline.convert.lanes import SOUND_RATE_HZ, Precision, Transcript, Turn
from eyeline.errors import MissingDependency
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.engines import SPEECH_ENGINE
from eyeline.media.speech_models import find_speech_model, speech_model_folder
from eyeline.model.limits import Limits
from eyeline.model.reading import Component

if TYPE_CHECKING:
    from eyeline.media.bounded.pool import BoundedPool
    from eyeline.media.speech_models import SpeechModel
    from eyeline.toolkit.cancel import CancelToken

_CPU_FACTOR, _WALL_FACTOR, _GRACE_MS = 8, 4, 60_000
"""How long transcribing may take for each millisecond of sound; a large model takes more than one on one processor."""


def speech_read_paths(model: str | None) -> tuple[Path, ...]:
    """What a bounded pool must let jobs read for this lane; to be given to it as `read_paths`."""
    folder = None if model is None else speech_model_folder(model)
    return () if folder is None else (folder,)


class WhisperTranscriber:
    """A transcriber over a bounded pool that was made with `read_paths=speech_read_paths(model)`.

    `model` is the folder of a whisper model as faster-whisper reads it, or a package that carries one; `language` a
    code such as `en`, or none to find it out. What is missing is raised by `transcribe`, so that it becomes a gap.
    """

    def __init__(
        self, pool: BoundedPool, *, model: str, language: str | None = None, limits: Limits | None = None
    ) -> None:
        self._pool = pool
        self._model = model
        self._language = language
        self._limits = Limits() if limits is None else limits

    @property
    def components(self) -> tuple[Component, ...]:
        """Libraries by version and the model by its bytes; `absent` for one that is missing."""
        try:
            version = find_speech_model(self._model).version
        except MissingDependency:
            version = "absent"
        return (
            *(Component(name, each) for name, each in SPEECH_ENGINE.versions().items()),
            Component("speech-model", version),
            Component("speech-language", self._language or "any"),
        )

    def transcribe(self, sound: bytes, *, start_ms: int, cancel: CancelToken | None = None) -> Transcript:
        """Write down a span of sound; see `Transcriber`."""
        if not SPEECH_ENGINE.is_installed:
            raise MissingDependency("nothing here can transcribe", hint=f"install eyeline[{SPEECH_ENGINE.extra}]")
        model = find_speech_model(self._model)
        answer = self._pool.run(
            SPEECH_ENGINE.job("transcribe"),
            {"model": str(model.folder), "language": self._language},
            source=BytesSource(sound),
            limits=self._job_limits(sound, model),
            cancel=cancel,
        ).value
        turns = (Turn(start_ms + each["start_ms"], start_ms + each["end_ms"], each["text"]) for each in answer["turns"])
        return Transcript(tuple(turns), Precision.WORD, answer["language"])

    def _job_limits(self, sound: bytes, model: SpeechModel) -> JobLimits:
        cpu_ms = len(sound) // 2 * 1000 // SOUND_RATE_HZ * _CPU_FACTOR + _GRACE_MS
        return JobLimits(
            wall_ms=cpu_ms * _WALL_FACTOR,
            cpu_ms=cpu_ms,
            memory_bytes=self._limits.job_memory_bytes + 2 * model.byte_count,
            output_bytes=self._limits.job_output_bytes,
        )
