"""The gate in plain code: what stands out is kept, silence and steady noise are not; a cut falls where it is quiet."""

from __future__ import annotations

import pytest

from eyeline.convert.lanes import SOUND_RATE_HZ
from eyeline.convert.voices import loud_spans, quiet_moment, voices_in
from eyeline.testing.sound import SampleSound, make_noise, make_silence, make_speech

SAID = make_speech("The blue valve was replaced.", rate_hz=SOUND_RATE_HZ)


@pytest.mark.parametrize(
    "sound",
    [
        make_silence(3_000),
        make_noise(3_000),
        make_noise(3_000, level=20_000),
        make_noise(3_000, level=30),
        make_silence(0),
        make_silence(5),
        make_silence(2_000) + make_noise(60, level=20_000) + make_silence(2_000),
    ],
    ids=["silence", "noise", "loud noise", "faint noise", "nothing", "less than a frame", "a click"],
)
def test_silence_and_noise_hold_no_voice(sound: SampleSound) -> None:
    assert loud_spans(sound.pcm) == []


def test_speech_between_silences_is_one_span_with_a_little_room() -> None:
    ((start, end),) = loud_spans((make_silence(2_000) + SAID + make_silence(2_000)).pcm)
    assert 1_700 <= start <= 2_100
    assert 1_900 + SAID.duration_ms <= end + 400 <= 2_700 + SAID.duration_ms


def test_speech_over_noise_stands_out() -> None:
    noise = make_noise(2_000, level=200)
    (span,) = loud_spans((noise + SAID + noise).pcm)
    assert 1_500 < span[0] < span[1] < 2_500 + SAID.duration_ms


def test_two_sentences_far_apart_are_two_spans_inside_the_sound() -> None:
    sound = SAID + make_silence(3_000) + SAID
    first, second = loud_spans(sound.pcm)
    assert 0 <= first[0] < first[1] < second[0] < second[1] <= sound.duration_ms


def test_half_a_sample_at_the_end_changes_nothing() -> None:
    assert loud_spans(SAID.pcm + b"\x01") == loud_spans(SAID.pcm)
    assert voices_in(SAID.pcm, pool=None) == loud_spans(SAID.pcm)


def test_a_cut_falls_into_the_pause_and_never_before_the_moment_from_which_it_may() -> None:
    sound = SAID + make_silence(1_000) + SAID + make_silence(700) + SAID
    pause_ms = 2 * SAID.duration_ms + 1_000
    cut = quiet_moment(sound.pcm, after_ms=SAID.duration_ms + 1_200)
    assert pause_ms <= cut <= pause_ms + 700


def test_sound_that_is_too_short_to_look_at_is_cut_at_its_end() -> None:
    assert quiet_moment(make_silence(150).pcm, after_ms=0) == 150
    assert quiet_moment(make_noise(1_000).pcm, after_ms=900) == 1_000
