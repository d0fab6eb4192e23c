"""What a transcription endpoint answers is held to its shape, its span and the voices that were found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eyeline.convert.lanes import Precision, Transcript
from eyeline.convert.transcription import MAX_TURN_CHARS, NotATranscription, read_transcription

ALL = [(0, 10_000)]


def read(told: Any, *, voices: list[tuple[int, int]] | None = None) -> Transcript:
    return read_transcription(json.dumps(told).encode(), extent_ms=10_000, voices=voices or ALL)


def segment(start: float, end: float, text: str = "words", **further: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, **further}


def times(heard: Transcript) -> list[tuple[int, int]]:
    return [(turn.start_ms, turn.end_ms) for turn in heard.turns]


def test_times_are_held_to_the_span_and_put_in_order() -> None:
    heard = read({"segments": [segment(9, 12), segment(-1, 2.0004), segment(11, 12), segment(4, 4), segment(6, 5)]})
    assert times(heard) == [(0, 2_000), (9_000, 10_000)]
    assert heard.precision is Precision.SEGMENT


def test_a_segment_begins_and_ends_with_its_words() -> None:
    words = [{"word": "one", "start": 1.2, "end": 1.5}, {"word": "two", "start": 2.0, "end": 2.4}]
    heard = read({"segments": [segment(1, 3), segment(5, 6)], "words": words})
    assert (times(heard), heard.precision) == ([(1_200, 2_400), (5_000, 6_000)], Precision.WORD)


def test_words_without_segments_are_turns_of_their_own() -> None:
    heard = read({"text": "one", "words": [{"word": "one", "start": 1.2, "end": 1.5}]})
    assert (times(heard), heard.precision) == ([(1_200, 1_500)], Precision.WORD)


@pytest.mark.parametrize(
    "doubt",
    [{"no_speech_prob": 0.9, "avg_logprob": -1.5}, {"compression_ratio": 5.0}],
)
def test_what_the_model_itself_doubts_is_left_out(doubt: dict[str, Any]) -> None:
    heard = read({"segments": [segment(1, 2, "Thank you.", **doubt)], "words": [], "text": "Thank you."})
    assert heard.turns == ()
    assert len(read({"segments": [segment(1, 2), segment(3, 4, **doubt)]}).turns) == 1


def test_what_was_heard_where_no_voice_is_was_made_up() -> None:
    told = {"segments": [segment(0, 1.9), segment(3, 4), segment(7, 8)]}
    assert times(read(told, voices=[(2_000, 5_000)])) == [(3_000, 4_000)]


def test_a_long_text_is_cut_and_an_empty_one_is_no_turn() -> None:
    heard = read({"segments": [segment(0, 1, "word " * MAX_TURN_CHARS), segment(1, 2, " \u200b ")]})
    assert [len(turn.text) <= MAX_TURN_CHARS for turn in heard.turns] == [True]


def test_voices_are_numbered_whatever_they_are_called() -> None:
    named = [segment(place, place + 1, speaker=name) for place, name in enumerate(["Bob", 7, "Bob", None])]
    assert [turn.speaker for turn in read({"segments": named}).turns] == ["Speaker 1", "Speaker 2", "Speaker 1", None]


@pytest.mark.parametrize(
    ("language", "kept"), [("English", "english"), ("en", "en"), ("<b>", None), (7, None), ("x" * 99, None)]
)
def test_a_language_is_a_word_or_nothing(language: Any, kept: str | None) -> None:
    assert read({"text": "words", "language": language}).language == kept


@pytest.mark.parametrize(
    "told",
    [
        [],
        "text",
        {},
        {"text": 7},
        {"segments": {}},
        {"segments": ["words"]},
        {"segments": [{"start": 0, "end": 1}]},
        {"segments": [segment(True, 2)]},
        {"segments": [{**segment(0, 2), "end": "2"}]},
        {"segments": [segment(0, 1e300)]},
        {"text": "words", "words": [{"word": "one"}]},
    ],
)
def test_another_shape_is_no_transcription(told: Any) -> None:
    with pytest.raises(NotATranscription):
        read(told)


@pytest.mark.parametrize("answer", [b"", b"{", b"\xff", b"[" * 100_000, b'{"segments": [{"start": NaN}]}'])
def test_half_an_answer_is_no_transcription(answer: bytes) -> None:
    with pytest.raises(NotATranscription):
        read_transcription(answer, extent_ms=10_000, voices=ALL)


def test_no_segments_is_an_empty_transcript() -> None:
    assert read({"segments": [], "text": ""}).turns == ()
    assert read({"segments": []}).turns == ()
