"""Sample speech says something, is always the same, and keeps its length at every rate."""

from __future__ import annotations

import io
import wave

import pytest

from eyeline.errors import EngineFailed
from eyeline.testing.sound import SampleSound, make_noise, make_silence, make_speech

TEXT = "The blue valve was replaced on Tuesday."


def test_the_same_words_always_give_the_same_samples() -> None:
    first = make_speech(TEXT)
    make_speech.cache_clear()
    assert make_speech(TEXT) == first
    assert first.duration_ms > 1_500
    assert make_speech("Something else.") != first


def test_another_rate_keeps_the_length() -> None:
    own, other = make_speech(TEXT), make_speech(TEXT, rate_hz=16_000)
    assert other.rate_hz == 16_000
    assert abs(other.duration_ms - own.duration_ms) <= 1


def test_a_wave_file_holds_the_sound_in_every_channel() -> None:
    speech = make_speech(TEXT)
    with wave.open(io.BytesIO(speech.wav(channels=2))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, speech.rate_hz)
        frames = file.readframes(file.getnframes())
    assert frames[0::4] == frames[2::4] == speech.pcm[0::2]


def test_sounds_follow_each_other() -> None:
    both = make_silence(500) + make_speech(TEXT) + make_noise(250)
    assert both.rate_hz == 16_000
    assert not any(both.pcm[: 2 * 8_000])
    assert abs(both.duration_ms - 750 - make_speech(TEXT).duration_ms) <= 2


def test_noise_stays_below_its_level_and_is_not_silence() -> None:
    loudest = max(abs(int.from_bytes(pair, "little", signed=True)) for pair in _pairs(make_noise(100, level=500)))
    assert 400 < loudest <= 500


def test_a_voice_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(EngineFailed):
        make_speech(TEXT, voice="no such voice")


def _pairs(sound: SampleSound) -> list[bytes]:
    return [sound.pcm[place : place + 2] for place in range(0, len(sound.pcm), 2)]
