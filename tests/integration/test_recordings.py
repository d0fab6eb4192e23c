"""Recordings from `ingest` to `find` and `open`: what is said is found by its time, and the time opens the words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.cli import invoke
from tests.support.recordings import HEARING, PAUSE_MS, SENTENCES, decoded, kept, samples, talk, talk_film, words_in

from eyeline import Eyeline
from eyeline.errors import EngineFailed, EyelineError, LaneFailed, MissingDependency
from eyeline.media.sample_video import make_sound
from eyeline.model.locator import Locator, Span
from eyeline.model.manifest import Role
from eyeline.model.reading import ConversionManifest, DerivationKind, EvidenceMode, Gap, SourceMap
from eyeline.settings import Settings, TranscriberSettings, TreeSettings
from eyeline.testing.scripted_transcriber import ScriptedTranscriber
from eyeline.testing.sound import SampleSound, make_noise, make_silence
from eyeline.testing.transcription_endpoint import TranscriptionEndpoint
from eyeline.wire import loads

SECOND_MS = 1_000 + 2_200 + PAUSE_MS
"""Shortly before the second sentence of the talk."""

KINDS = {
    "talk.mp3": ("mp3", "mp3", 44_100),
    "talk.m4a": ("ipod", "aac", 48_000),
    "talk.flac": ("flac", "flac", 22_050),
    "talk.ogg": ("ogg", "libopus", 48_000),
}


def representation(eye: Eyeline, name: str) -> Path:
    current = eye.show(name).source.representation_id
    assert current is not None
    return eye.tree / "by-name" / "default" / name / "current" / current


def manifest(eye: Eyeline, name: str) -> ConversionManifest:
    return loads(ConversionManifest, (representation(eye, name) / "manifest.json").read_bytes())


def document(eye: Eyeline, name: str) -> str:
    return (representation(eye, name) / "document.md").read_text("utf-8")


def gaps(eye: Eyeline, name: str) -> set[tuple[str, str]]:
    return {(gap.lane, gap.code) for gap in manifest(eye, name).gaps}


def listened_ms(eye: Eyeline, name: str) -> tuple[int, int]:
    (coverage,) = (each for each in manifest(eye, name).coverage if each.lane == "transcript")
    assert coverage.unit == "milliseconds"
    return coverage.read, coverage.total


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    """A home in which speech is heard by the small model: the talk in a sound and a video, silence and noise."""
    inbox = tmp_path_factory.mktemp("inbox")
    kept(inbox, talk__wav=talk(44_100).wav(channels=2), film__mp4=talk_film())
    kept(inbox, silence__wav=make_silence(8_000).wav(), noise__wav=make_noise(8_000).wav())
    with Eyeline(tmp_path_factory.mktemp("home"), settings=HEARING) as eye:
        assert {item.code for item in eye.ingest(inbox).items} == {"admitted"}
        yield eye


@pytest.mark.requirement("SA-16", "SA-17")
@pytest.mark.parametrize("name", ["talk.wav", "film.mp4"])
def test_what_is_said_is_found_and_its_time_opens_the_sound_in_which_the_words_are_heard(
    heard: Eyeline, name: str
) -> None:
    (hit,) = (each for each in heard.find("noon") if each.source.name == name)
    span = hit.locator.span
    assert span is not None
    assert span.end_ms is not None
    assert span.start_ms > SECOND_MS + PAUSE_MS
    assert span.end_ms - span.start_ms < 6_000
    opened = heard.open(hit.version_id, locator=str(hit.locator))
    (sound,) = (part for part in opened.parts if part.entry.role is Role.AUDIO)
    assert "noon" in words_in(sound.bytes).lower()
    (words,) = (part for part in opened.parts if part.entry.role is Role.TRANSCRIPT)
    assert "noon" in words.text
    assert "Tuesday" not in words.text
    is_video = any(part.entry.role is Role.KEYFRAME for part in opened.parts)
    assert is_video == (name == "film.mp4")


@pytest.mark.requirement("SA-08")
def test_a_transcript_is_labelled_as_what_a_model_heard_each_turn_with_its_time(heard: Eyeline) -> None:
    text = document(heard, "talk.wav")
    source_map = loads(SourceMap, (representation(heard, "talk.wav") / "source_map.json").read_bytes())
    turns = [each for each in source_map.segments if each.derivation_kind is DerivationKind.TRANSCRIPT]
    assert len(turns) == len(SENTENCES)
    for turn in turns:
        assert turn.evidence_mode is EvidenceMode.MODEL_OBSERVATION
        assert turn.locator.kinds == ("t",)
        assert text[turn.start : turn.end].startswith(f"[{turn.locator}] ")
    assert 'transcript_precision: "word"' in text
    hit = heard.find("Tuesday")[0]
    assert (hit.derivation_kind, hit.evidence_mode) == ("transcript", "model_observation")


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize("name", ["silence.wav", "noise.wav"])
def test_where_nobody_speaks_the_transcript_is_empty_and_not_made_up(heard: Eyeline, name: str) -> None:
    assert gaps(heard, name) == {("transcript", "nothing_found")}
    assert listened_ms(heard, name) == (8_000, 8_000)
    assert "```" not in document(heard, name)
    assert "Gap `nothing_found`" in document(heard, name)


@pytest.mark.requirement("SA-07")
def test_a_sound_has_a_picture_and_a_video_key_frames_at_their_times(heard: Eyeline) -> None:
    sound = {asset.path: str(asset.locator) for asset in manifest(heard, "talk.wav").outputs}
    assert sound["assets/spectrogram.png"].startswith("t=0,")
    film = {output.path: output.locator for output in manifest(heard, "film.mp4").outputs}
    frames = {path: str(where) for path, where in film.items() if "/keyframe-" in path}
    assert list(frames.values()) == ["t=0", "t=5", "t=10", "t=15", "t=20"]
    assert {path.rpartition(".")[0] for path in film} >= {"assets/poster", "assets/contact-sheet"}
    text = document(heard, "film.mp4")
    for path, where in frames.items():
        assert f"`{where}`: [{path}]({path})" in text
        assert (representation(heard, "film.mp4") / path).is_file()
    (shots,) = (each for each in manifest(heard, "film.mp4").coverage if each.lane == "keyframes")
    assert (shots.unit, shots.read, shots.total) == ("shots", 5, 5)


@pytest.mark.requirement("SA-05")
def test_duration_and_tracks_are_told(heard: Eyeline) -> None:
    probe = heard.show("film.mp4").probe
    assert probe is not None
    assert probe.duration_ms == 24_000
    assert [track.kind for track in probe.tracks] == ["video", "audio"]
    assert "duration_ms: 24000\ntracks: 2" in document(heard, "film.mp4")
    assert re.search(r"extent +24 s, 320x180 px\b", invoke(heard.home, "show", "film.mp4").stdout)


@pytest.mark.requirement("SA-17")
def test_a_recording_without_a_locator_is_previews_and_no_recording(heard: Eyeline) -> None:
    for name, role in (("talk.wav", Role.PREVIEW), ("film.mp4", Role.OVERVIEW)):
        opened = heard.open(name)
        assert [part.entry.role for part in opened.parts] == [role, Role.CONTEXT, Role.TRANSCRIPT]
        assert "duration: 2" in opened.parts[1].text


@pytest.mark.parametrize("name", list(KINDS))
def test_every_kind_of_sound_is_heard_at_its_time(tmp_path: Path, name: str) -> None:
    container, codec, rate_hz = KINDS[name]
    data = make_sound(samples(talk(rate_hz)), rate_hz=rate_hz, container=container, codec=codec)
    (kept(tmp_path / "inbox") / name).write_bytes(data)
    told = ScriptedTranscriber(script=SENTENCES)
    with Eyeline(tmp_path / "home", transcriber=told) as eye:
        eye.ingest(tmp_path / "inbox")
        (hit,) = eye.find("pressure")
        assert hit.locator.span is not None
        assert abs(hit.locator.span.start_ms - SECOND_MS) < 1_200
        assert (name, gaps(eye, name)) == (name, set())


def test_a_long_recording_is_heard_in_spans_that_are_cut_where_it_is_quiet(tmp_path: Path) -> None:
    sound = make_silence(0, rate_hz=8_000)
    for _ in range(22):
        sound = sound + talk(8_000)
    kept(tmp_path / "inbox", long__wav=sound.wav())
    told = ScriptedTranscriber(script=SENTENCES)
    with Eyeline(tmp_path / "home", transcriber=told) as eye:
        eye.ingest(tmp_path / "inbox")
        starts = [start_ms for start_ms, _ in told.asked]
        lengths = [length // 32 for _, length in told.asked]
        assert len(told.asked) == 3
        assert all(180_000 <= length <= 240_000 for length in lengths[:-1])
        assert [start + length for start, length in zip(starts[:-1], lengths[:-1], strict=True)] == starts[1:]
        assert document(eye, "long.wav").count(SENTENCES[1]) == 22
        assert listened_ms(eye, "long.wav") == (sound.duration_ms, sound.duration_ms)


def test_passages_join_turns_that_follow_each_other_and_not_those_after_a_long_pause(tmp_path: Path) -> None:
    close = talk(16_000).pcm[: 2 * 16 * 3_400] * 3
    sound = SampleSound(close, 16_000) + make_silence(9_000) + SampleSound(close, 16_000)
    kept(tmp_path / "inbox", two__wav=sound.wav())
    script = tuple(f"Turn {name} is about nothing." for name in ("alpha", "bravo", "carol", "delta", "echo", "fox"))
    with Eyeline(tmp_path / "home", transcriber=ScriptedTranscriber(script=script)) as eye:
        eye.ingest(tmp_path / "inbox")
        (alpha,), (fox,), both = eye.find("alpha"), eye.find("fox"), eye.find("bravo carol")
        assert alpha.locator.span is not None
        assert fox.locator.span is not None
        assert alpha.locator.span.start_ms + 9_000 < fox.locator.span.start_ms
        assert len(both) == 1
        assert eye.find("alpha fox").passages == ()


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(
    ("failure", "code", "retryable"),
    [
        (LaneFailed("down", reason="unreachable"), "failed", True),
        (LaneFailed("no", reason="refused"), "failed", False),
        (EngineFailed("died", reason="timeout"), "failed", True),
        (MissingDependency("no model"), "not_configured", True),
        (MissingDependency("no words", languages=["xx"]), "language_missing", True),
    ],
)
def test_a_lane_that_fails_is_a_gap_and_the_pictures_stand(
    tmp_path: Path, failure: EyelineError, code: str, *, retryable: bool
) -> None:
    kept(tmp_path / "inbox", film__mp4=talk_film())
    with Eyeline(tmp_path / "home", transcriber=ScriptedTranscriber(failure=failure)) as eye:
        eye.ingest(tmp_path / "inbox")
        assert manifest(eye, "film.mp4").gaps == (Gap("transcript", code, Locator(), retryable=retryable),)
        assert listened_ms(eye, "film.mp4") == (0, 24_000)
        assert any("/keyframe-" in output.path for output in manifest(eye, "film.mp4").outputs)


@pytest.mark.requirement("SA-09")
def test_without_a_transcriber_the_lane_says_so_and_a_later_one_fills_the_gap(tmp_path: Path) -> None:
    kept(tmp_path / "inbox", talk__wav=talk().wav())
    with Eyeline(tmp_path / "home") as eye:
        eye.ingest(tmp_path / "inbox")
        assert gaps(eye, "talk.wav") == {("transcript", "not_configured")}
        assert not eye.find("pressure").passages
    with Eyeline(tmp_path / "home", transcriber=ScriptedTranscriber(script=SENTENCES)) as eye:
        eye.convert()
        assert gaps(eye, "talk.wav") == set()
        assert eye.find("pressure").passages


def test_a_model_that_is_not_there_is_a_gap(tmp_path: Path) -> None:
    kept(tmp_path / "inbox", talk__wav=talk().wav())
    settings = replace(Settings(), transcriber=TranscriberSettings(model=str(tmp_path / "nowhere")))
    with Eyeline(tmp_path / "home", settings=settings) as eye:
        eye.ingest(tmp_path / "inbox")
        assert gaps(eye, "talk.wav") == {("transcript", "not_configured")}
        assert str(tmp_path) not in document(eye, "talk.wav")


def test_an_endpoint_of_the_settings_is_asked_and_its_host_is_told_as_where_it_ran(tmp_path: Path) -> None:
    kept(tmp_path / "inbox", talk__wav=talk().wav())
    with TranscriptionEndpoint(script=SENTENCES) as endpoint:
        chosen = TranscriberSettings(base_url=endpoint.base_url, model="hearer-1")
        with Eyeline(tmp_path / "home", settings=replace(Settings(), transcriber=chosen)) as eye:
            eye.ingest(tmp_path / "inbox")
            asked = len(endpoint.asked)
            eye.convert()
            assert len(endpoint.asked) == asked == 1
            (model,) = (each for each in manifest(eye, "talk.wav").components if each.name == "transcription-model")
            assert (model.version, model.execution) == ("hearer-1", "127.0.0.1")
            assert [hit.source.name for hit in eye.find("pressure")] == ["talk.wav"]
        assert endpoint.complaints == []


def test_speakers_are_labels_that_no_two_spans_share(tmp_path: Path) -> None:
    sound = make_silence(0, rate_hz=8_000)
    for _ in range(12):
        sound = sound + talk(8_000)
    kept(tmp_path / "inbox", long__wav=sound.wav())
    told = ScriptedTranscriber(script=SENTENCES, speakers=("Speaker 1", "Speaker 2"))
    with Eyeline(tmp_path / "home", transcriber=told) as eye:
        eye.ingest(tmp_path / "inbox")
        assert len(told.asked) == 2
        text = document(eye, "long.wav")
        assert [name in text for name in ("Speaker 1: ", "Speaker 2: ", "Speaker 3: ", "Speaker 4: ", "Speaker 5")] == [
            True,
            True,
            True,
            True,
            False,
        ]


def test_text_of_a_transcriber_cannot_fake_a_turn_or_a_section(tmp_path: Path) -> None:
    kept(tmp_path / "inbox", talk__wav=talk().wav())
    told = ScriptedTranscriber(script=("x\n```\n## Tracks\n[t=0,1] Speaker 1: never said",))
    with Eyeline(tmp_path / "home", transcriber=told) as eye:
        eye.ingest(tmp_path / "inbox")
        lines = document(eye, "talk.wav").splitlines()
        assert lines.count("## Tracks") == 1
        assert not any(line.startswith("[t=0,1]") for line in lines)


def test_more_shots_than_pictures_are_kept_is_said(tmp_path: Path) -> None:
    kept(tmp_path / "inbox", film__mp4=talk_film(shot_ms=2_000))
    settings = replace(Settings(), tree=TreeSettings(max_keyframes=3))
    with Eyeline(tmp_path / "home", settings=settings) as eye:
        eye.ingest(tmp_path / "inbox")
        assert ("keyframes", "over_budget") in gaps(eye, "film.mp4")
        frames = [output.path for output in manifest(eye, "film.mp4").outputs if "/keyframe-" in output.path]
        assert len(frames) == 3


def test_a_recording_that_is_longer_than_is_listened_to_says_from_where_on(tmp_path: Path) -> None:
    sound = SampleSound(talk(8_000).pcm * 3, 8_000)
    kept(tmp_path / "inbox", talk__wav=sound.wav())
    settings = replace(Settings(), transcriber=TranscriberSettings(max_minutes=1))
    with Eyeline(tmp_path / "home", settings=settings, transcriber=ScriptedTranscriber(script=SENTENCES)) as eye:
        eye.ingest(tmp_path / "inbox")
        (gap,) = manifest(eye, "talk.wav").gaps
        listened, total = listened_ms(eye, "talk.wav")
        assert (gap.code, gap.locator) == ("over_budget", Locator(span=Span(60_000, total)))
        assert listened == 60_000 < total


def test_a_damaged_middle_costs_itself_alone(tmp_path: Path) -> None:
    data = bytearray(make_sound(samples(talk(44_100)), rate_hz=44_100))
    middle = len(data) * 45 // 100
    data[middle : middle + len(data) // 10] = bytes(len(data) // 10)
    kept(tmp_path / "inbox", talk__mp3=bytes(data))
    with Eyeline(tmp_path / "home", settings=HEARING) as eye:
        (item,) = eye.ingest(tmp_path / "inbox").items
        assert item.code == "admitted"
        assert [bool(eye.find(word).passages) for word in ("Tuesday", "noon")] == [True, True]
        (hit,) = eye.find("noon")
        opened = eye.open(hit.version_id, locator=str(hit.locator))
        assert decoded(next(part.bytes for part in opened.parts if part.entry.role is Role.AUDIO))
