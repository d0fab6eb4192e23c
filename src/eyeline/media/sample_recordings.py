"""Sample recordings for the demo: somebody speaks, in a sound and in a video, at times that are known."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from eyeline.media.sample_speech import SampleSound, make_silence, make_speech
from eyeline.media.sample_video import Film, even_times, make_sound, make_video, time_shown

RATE_HZ = 48_000
_PACE, _FRAMES_A_SECOND = 130, 10


def make_spoken(sentences: tuple[str, ...], *, pause_ms: int) -> tuple[SampleSound, tuple[int, ...]]:
    """Sentences with a pause around each, and when each of them begins, in milliseconds."""
    sound = make_silence(pause_ms, rate_hz=RATE_HZ)
    starts: list[int] = []
    for sentence in sentences:
        starts.append(sound.duration_ms)
        sound = sound + make_speech(sentence, words_a_minute=_PACE) + make_silence(pause_ms)
    return sound, tuple(starts)


def make_spoken_mp3(sound: SampleSound) -> bytes:
    """A sound as MP3."""
    return make_sound(np.frombuffer(sound.pcm, dtype="<i2"), rate_hz=sound.rate_hz)


def make_spoken_video(sound: SampleSound, *, shot_ms: int = 4_000) -> bytes:
    """A video of that length in which the sound is heard; each frame carries its own time in its pixels."""
    times = even_times(sound.duration_ms / 1000, rate=_FRAMES_A_SECOND)
    samples = np.frombuffer(sound.pcm, dtype="<i2")
    return make_video(Film(times, width=640, height=360, shot_ms=shot_ms, sound=samples, sound_rate_hz=sound.rate_hz))


def time_in(picture: bytes) -> int:
    """The time in milliseconds that a delivered frame of such a video carries."""
    return time_shown(np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")))
