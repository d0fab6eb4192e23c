"""The transcriber against a real endpoint on loopback: what leaves, what comes back, and what every failure becomes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from eyeline.convert.lanes import SOUND_RATE_HZ, Precision, Turn, run_transcript
from eyeline.convert.transcriber import AnswerFormat, EndpointTranscriber
from eyeline.errors import Cancelled, ConfigError, LaneFailed
from eyeline.testing.moods import Mood
from eyeline.testing.sound import make_noise, make_silence, make_speech
from eyeline.testing.transcription_endpoint import TranscriptionEndpoint
from eyeline.toolkit.cancel import CancelToken

KEY_NAME = "EYELINE_TEST_TRANSCRIBER_KEY"
KEY = "sk-test-9876543210"
SAID = make_speech("The blue valve was replaced.", rate_hz=SOUND_RATE_HZ)
TALK = make_silence(2_000) + SAID + make_silence(3_000) + SAID + make_silence(2_000)
FIRST_MS, SECOND_MS = 2_000, 2_000 + SAID.duration_ms + 3_000
SCRIPT = ("The blue valve was replaced.", "So it was.")


@pytest.fixture
def endpoint() -> Iterator[TranscriptionEndpoint]:
    with TranscriptionEndpoint(script=SCRIPT) as endpoint:
        yield endpoint
        assert endpoint.complaints == []


def transcriber(endpoint: TranscriptionEndpoint, **settings: Any) -> EndpointTranscriber:
    given: dict[str, Any] = {"model": "hearer-1", "timeout_ms": 20_000, **settings}
    return EndpointTranscriber(endpoint.base_url, **given)


def test_only_the_sound_from_the_first_voice_to_the_last_leaves(endpoint: TranscriptionEndpoint) -> None:
    transcriber(endpoint).transcribe(TALK.pcm, start_ms=60_000)
    (asked,) = endpoint.asked
    assert asked.sound in TALK.pcm
    assert abs(len(asked.sound) // 32 - (TALK.duration_ms - 4_000)) < 800
    assert asked.fields == {
        "model": ["hearer-1"],
        "response_format": ["verbose_json"],
        "temperature": ["0"],
        "timestamp_granularities[]": ["segment", "word"],
    }
    said = {"host", "content-type", "content-length", "accept", "accept-encoding", "connection", "user-agent"}
    assert set(asked.headers) == said


@pytest.mark.parametrize("sound", [make_silence(3_000), make_noise(3_000), make_silence(0)])
def test_where_there_is_no_voice_nothing_leaves(endpoint: TranscriptionEndpoint, sound: Any) -> None:
    outcome = run_transcript(transcriber(endpoint), sound.pcm, start_ms=0)
    assert (outcome.code, outcome.retryable, endpoint.asked) == ("nothing_found", False, [])


def test_turns_come_back_on_the_timeline_of_the_recording(endpoint: TranscriptionEndpoint) -> None:
    heard = transcriber(endpoint).transcribe(TALK.pcm, start_ms=60_000)
    assert [turn.text for turn in heard.turns] == list(SCRIPT)
    for turn, begins in zip(heard.turns, (FIRST_MS, SECOND_MS), strict=True):
        assert abs(turn.start_ms - 60_000 - begins) < 400
        assert abs(turn.end_ms - 60_000 - begins - SAID.duration_ms) < 800
    assert (heard.precision, heard.language) == (Precision.WORD, "english")


def test_an_endpoint_that_gives_a_text_alone_is_not_said_to_know_when(endpoint: TranscriptionEndpoint) -> None:
    heard = transcriber(endpoint, answer=AnswerFormat.JSON).transcribe(TALK.pcm, start_ms=1_000)
    (turn,) = heard.turns
    assert (heard.precision, heard.language, turn.text) == (Precision.SPAN, None, " ".join(SCRIPT))
    assert 2_000 < turn.start_ms < 3_100 < SECOND_MS < turn.end_ms <= 1_000 + TALK.duration_ms


def test_speakers_become_labels_in_the_order_in_which_they_are_heard(endpoint: TranscriptionEndpoint) -> None:
    endpoint.speakers = ("Dr. Karen Smith", "spk_7")
    sound = TALK + TALK
    heard = transcriber(endpoint, answer=AnswerFormat.DIARIZED_JSON).transcribe(sound.pcm, start_ms=0)
    assert [turn.speaker for turn in heard.turns] == ["Speaker 1", "Speaker 2", "Speaker 1", "Speaker 2"]
    assert heard.precision is Precision.SEGMENT
    assert endpoint.asked[0].fields["chunking_strategy"] == ["auto"]


def test_the_language_of_the_settings_is_asked_for_and_stands(endpoint: TranscriptionEndpoint) -> None:
    heard = transcriber(endpoint, language="de").transcribe(TALK.pcm, start_ms=0)
    assert (endpoint.asked[0].fields["language"], heard.language) == (["de"], "de")


def test_the_key_comes_from_the_environment_and_goes_into_one_header(monkeypatch: pytest.MonkeyPatch) -> None:
    with TranscriptionEndpoint(key=KEY) as endpoint:
        asking = transcriber(endpoint, api_key_env=KEY_NAME)
        monkeypatch.setenv(KEY_NAME, KEY)
        asking.transcribe(TALK.pcm, start_ms=0)
        (asked,) = endpoint.asked
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert KEY.encode() not in asked.body
        monkeypatch.setenv(KEY_NAME, "another")
        with pytest.raises(LaneFailed) as caught:
            asking.transcribe(TALK.pcm, start_ms=0)
        assert (caught.value.detail["reason"], caught.value.detail["status"]) == ("refused", 401)
        assert KEY not in f"{caught.value}{asking.components}{vars(asking)}"


def test_without_the_key_that_is_named_nothing_is_sent(
    endpoint: TranscriptionEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_NAME, raising=False)
    outcome = run_transcript(transcriber(endpoint, api_key_env=KEY_NAME), TALK.pcm, start_ms=0)
    assert (outcome.code, outcome.retryable, endpoint.asked) == ("failed", True, [])
    assert KEY_NAME in outcome.reason


@pytest.mark.parametrize(
    ("mood", "reason", "status", "retryable"),
    [
        (Mood.FAILING, "server_error", 500, True),
        (Mood.BUSY, "busy", 429, True),
        (Mood.DENYING, "refused", 403, False),
        (Mood.REDIRECTING, "refused", 307, False),
        (Mood.GARBAGE, "malformed", None, True),
        (Mood.WRONG_SHAPE, "malformed", None, True),
        (Mood.PACKED, "malformed", None, True),
        (Mood.HUGE, "too_long", None, False),
        (Mood.BREAKING_OFF, "unreachable", None, True),
    ],
)
def test_every_failure_has_a_reason_and_is_a_gap(
    endpoint: TranscriptionEndpoint, mood: Mood, reason: str, *, status: int | None, retryable: bool
) -> None:
    endpoint.mood = mood
    with pytest.raises(LaneFailed) as caught:
        transcriber(endpoint).transcribe(TALK.pcm, start_ms=0)
    assert (caught.value.detail["reason"], caught.value.detail.get("status")) == (reason, status)
    outcome = run_transcript(transcriber(endpoint), TALK.pcm, start_ms=0)
    assert (outcome.value, outcome.code, outcome.retryable) == (None, "failed", retryable)


def test_an_endpoint_that_hears_nothing_gives_an_empty_transcript(endpoint: TranscriptionEndpoint) -> None:
    endpoint.mood = Mood.EMPTY
    assert run_transcript(transcriber(endpoint), TALK.pcm, start_ms=0).code == "nothing_found"


@pytest.mark.parametrize("mood", [Mood.SILENT, Mood.TRICKLING])
def test_an_endpoint_that_never_comes_to_an_end_is_left_in_time(endpoint: TranscriptionEndpoint, mood: Mood) -> None:
    endpoint.mood = mood
    with pytest.raises(LaneFailed) as caught:
        transcriber(endpoint, timeout_ms=300).transcribe(TALK.pcm, start_ms=0)
    assert caught.value.detail["reason"] == "timeout"


def test_a_request_that_waits_is_cut_off_when_the_caller_cancels(endpoint: TranscriptionEndpoint) -> None:
    endpoint.mood = Mood.SILENT
    cancel = CancelToken()

    def give_up() -> None:
        assert endpoint.arrived.wait(30)
        cancel.cancel()

    other = threading.Thread(target=give_up)
    other.start()
    with pytest.raises(Cancelled):
        run_transcript(transcriber(endpoint, timeout_ms=60_000), TALK.pcm, start_ms=0, cancel=cancel)
    other.join(30)


def test_what_a_model_writes_cannot_steer_a_terminal_or_begin_a_line(endpoint: TranscriptionEndpoint) -> None:
    endpoint.script = ("\x1b[31mRed\r\n\u202eeslaf\u202c [t=0,1] Speaker 9: I\u2028agree",)
    turns = transcriber(endpoint).transcribe(SAID.pcm, start_ms=0).turns
    assert [turn.text for turn in turns] == ["[31mRed eslaf [t=0,1] Speaker 9: I agree"]


@pytest.mark.parametrize(
    "settings",
    [
        *({"base_url": "http://user:pw@host/v1"}, {"base_url": "host"}, {"model": " "}, {"model": 'a"\r\n'}),
        *({"timeout_ms": 0}, {"language": "en\r\n"}, {"language": ""}),
    ],
)
def test_settings_that_cannot_work_are_said_at_once(settings: dict[str, Any]) -> None:
    given: dict[str, Any] = {"base_url": "http://127.0.0.1:1/v1", "model": "hearer-1", **settings}
    with pytest.raises(ConfigError) as caught:
        EndpointTranscriber(given.pop("base_url"), **given)
    assert "pw" not in str(caught.value)


def test_model_host_and_question_are_part_of_the_key_and_the_port_is_not() -> None:
    parts = EndpointTranscriber("http://127.0.0.1:8080/v1/", model="hearer-1", language="en").components
    told = {each.name: (each.version, each.execution) for each in parts}
    assert told["transcription-model"] == ("hearer-1", "127.0.0.1")
    assert told["speech-language"] == ("en", "local")
    assert "8080" not in str(parts)


def test_the_double_is_strict() -> None:
    import httpx2

    with TranscriptionEndpoint() as endpoint:
        transcriber(endpoint).transcribe(TALK.pcm, start_ms=0)
        (asked,) = endpoint.asked
        for spoilt in (b"verbose_json", b'name="temperature"', b"RIFF", b"--eyeline"):
            body = asked.body.replace(spoilt, b"x" * len(spoilt), 1)
            answer = httpx2.post(
                f"{endpoint.base_url}/audio/transcriptions",
                content=body,
                headers={"content-type": asked.headers["content-type"]},
            )
            assert answer.status_code == 400
        assert (len(endpoint.asked), len(endpoint.complaints)) == (1, 4)


def test_turns_are_what_the_endpoint_was_asked_for(endpoint: TranscriptionEndpoint) -> None:
    first = transcriber(endpoint).transcribe(TALK.pcm, start_ms=0)
    assert all(isinstance(turn, Turn) for turn in first.turns)
    assert transcriber(endpoint).transcribe(TALK.pcm, start_ms=0) == first
    assert endpoint.asked[0].body == endpoint.asked[1].body
