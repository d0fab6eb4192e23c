"""The speech engine: jobs that find voices in sound and write down what they say.

Sound comes as samples, mono, 16 000 a second, signed 16-bit little-endian. Voices are looked for first, and only where
one was found is anything transcribed: a model that listens to silence, noise or music makes words up.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from eyeline.errors import MissingDependency
from eyeline.model.plain_text import plain_line

with contextlib.suppress(ImportError):  # with this module, so before the fork; without it the parent asks for no job
    importlib.import_module("faster_whisper")

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eyeline.media.bounded.output import Output
    from eyeline.media.bounded.reader import Reader

RATE_HZ = 16_000
MAX_TURN_CHARS = 2_000
MAX_TURN_MS = 20_000
"""A turn that goes on for longer is cut between two words."""

PAUSE_MS = 800
"""A pause after which a new turn begins."""

SURE_OF_SILENCE, LEAST_LOGPROB, MOST_REPETITIVE = 0.6, -1.0, 2.4
"""Bounds beyond which a segment is taken for one that the model made up: those that whisper itself uses."""

_ENDS = (".", "?", "!", "\u3002", "\uff1f", "\uff01")
_LEAST_VOICE_MS, _LEAST_SILENCE_MS, _ROOM_MS = 200, 500, 200


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start_ms: int
    end_ms: int


def find_voices(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """Where somebody speaks. `params`: none.

    Returns `{"spans": [[start_ms, end_ms]]}` in order, counted from the first sample.
    """
    del params
    return {"spans": [[_ms(each["start"]), _ms(each["end"])] for each in _voices(_sound(reader))]}


def transcribe(reader: Reader, params: dict[str, Any], _out: Output) -> dict[str, Any]:
    """What is said. `params`: `model`, the folder of a converted model; `language`, a code, or none to find it out.

    Returns `{"turns": [{"text", "start_ms", "end_ms"}], "language"}`, times counted from the first sample. Raises
    `MissingDependency` with the missing `languages` for one that the model does not know.
    """
    sound = _sound(reader)
    if not _voices(sound):
        return {"turns": [], "language": None}
    model = _model(params["model"])
    language = params["language"]
    if language is not None and language not in model.supported_languages:
        raise MissingDependency(
            f"the speech model does not know the language {language!r}",
            hint="set another language or another model in [transcriber]",
            languages=[language],
        )
    segments, about = model.transcribe(
        sound,
        language=language,
        temperature=0.0,  # one try, without chance: the same sound always gives the same words
        condition_on_previous_text=False,
        word_timestamps=True,
        vad_filter=True,
        vad_parameters=_options(),
        no_speech_threshold=SURE_OF_SILENCE,
        log_prob_threshold=LEAST_LOGPROB,
    )
    end_ms = _ms(len(sound))
    turns = [turn for segment in segments if _is_heard(segment) for turn in _turns(_words(segment), end_ms)]
    return {"turns": turns, "language": about.language}


def _model(folder: str) -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)


def _sound(reader: Reader) -> NDArray[np.float32]:
    import numpy as np

    data = reader.readall()
    samples = np.frombuffer(data[: len(data) // 2 * 2], dtype="<i2").astype(np.float32)
    return samples / np.float32(32_768)


def _options() -> Any:
    vad: Any = importlib.import_module("faster_whisper.vad")
    return vad.VadOptions(
        min_speech_duration_ms=_LEAST_VOICE_MS, min_silence_duration_ms=_LEAST_SILENCE_MS, speech_pad_ms=_ROOM_MS
    )


def _voices(sound: NDArray[np.float32]) -> list[dict[str, int]]:
    vad: Any = importlib.import_module("faster_whisper.vad")
    return vad.get_speech_timestamps(sound, _options(), sampling_rate=RATE_HZ) if len(sound) else []


def _is_heard(segment: Any) -> bool:
    """Whether a segment is one that somebody said, and not one that the model made up or repeats without end."""
    is_silence = segment.no_speech_prob > SURE_OF_SILENCE and segment.avg_logprob < LEAST_LOGPROB
    return not is_silence and segment.compression_ratio <= MOST_REPETITIVE


def _words(segment: Any) -> list[_Word]:
    return [_Word(each.word, round(each.start * 1000), round(each.end * 1000)) for each in segment.words or ()]


def _turns(words: list[_Word], end_ms: int) -> Iterator[dict[str, Any]]:
    """Sentences, or less where somebody pauses or goes on for long; each with the times of its words."""
    for group in _groups(words):
        text = plain_line("".join(word.text for word in group), max_chars=MAX_TURN_CHARS)
        start_ms, stop_ms = max(0, group[0].start_ms), min(end_ms, group[-1].end_ms)
        if text and start_ms < stop_ms:
            yield {"text": text, "start_ms": start_ms, "end_ms": stop_ms}


def _groups(words: list[_Word]) -> Iterable[list[_Word]]:
    groups: list[list[_Word]] = [words[:1]] if words else []
    for before, word in pairwise(words):
        is_over = before.text.rstrip().endswith(_ENDS) or word.start_ms - before.end_ms >= PAUSE_MS
        if is_over or word.end_ms - groups[-1][0].start_ms > MAX_TURN_MS:
            groups.append([])
        groups[-1].append(word)
    return groups


def _ms(samples: int) -> int:
    return samples * 1000 // RATE_HZ
