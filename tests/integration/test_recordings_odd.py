"""Recordings that are odd or damaged: what can be shown is shown at its time, and what cannot is said."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image
from tests.support.recordings import SENTENCES, talk
from tests.support.recordings import samples as samples_of

from eyeline import Eyeline
from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.media.sample_video import SHOTS, Film, clicks, even_times, make_video, time_shown, write_sound
from eyeline.model.locator import Locator, Span
from eyeline.model.manifest import Role
from eyeline.model.probe import Track
from eyeline.model.reading import ConversionManifest
from eyeline.presenters.opened import OpenedSource
from eyeline.testing.scripted_transcriber import ScriptedTranscriber
from eyeline.wire import loads

Take = Callable[[str, bytes], Eyeline]


@pytest.fixture
def take(tmp_path: Path) -> Any:
    """Takes a file in and answers the application it is in."""
    with Eyeline(tmp_path / "home") as eye:

        def take(name: str, data: bytes) -> Eyeline:
            (tmp_path / name).write_bytes(data)
            (item,) = eye.ingest(tmp_path / name).items
            assert item.code == "admitted"
            return eye

        yield take


def manifest(eye: Eyeline, name: str) -> ConversionManifest:
    current = eye.show(name).source.representation_id
    assert current is not None
    return loads(
        ConversionManifest, (eye.tree / "by-name/default" / name / "current" / current / "manifest.json").read_bytes()
    )


def tracks(eye: Eyeline, name: str) -> tuple[Track, ...]:
    probe = eye.show(name).probe
    assert probe is not None
    return probe.tracks


def pixels(data: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def roles(opened: OpenedSource) -> list[Role]:
    return [part.entry.role for part in opened.parts]


def lasts_s(data: bytes) -> dict[str, float]:
    """How long each track of a clip lasts."""
    with av.open(io.BytesIO(data)) as opened:
        clip: Any = opened
        return {each.type: float((each.duration or 0) * (each.time_base or 0)) for each in clip.streams}


def moved(data: bytes, *, by_ms: int) -> bytes:
    """The same MP4 with all its packets earlier: what lies before the beginning is cut off by an edit list."""
    target = io.BytesIO()
    with av.open(io.BytesIO(data)) as opened, av.open(target, "w", format="mp4") as written:
        source: Any = opened
        made: Any = written
        streams: dict[int, Any] = {each.index: made.add_stream_from_template(each) for each in source.streams}
        for packet in source.demux():
            if packet.dts is None or packet.pts is None:
                continue
            shift = round(by_ms / 1000 / packet.time_base)
            packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
            packet.stream = streams[packet.stream.index]
            made.mux(packet)
    return target.getvalue()


def overwritten(data: bytes, kind: str, *, from_ms: int, to_ms: int, filled: bytes) -> bytes:
    """The same file with packets of a track between two times filled with one byte."""
    changed, place = bytearray(data), 0
    with av.open(io.BytesIO(data)) as opened:
        source: Any = opened
        for packet in source.demux(next(each for each in source.streams if each.type == kind)):
            if packet.pts is not None and packet.size:
                place = data.index(bytes(packet), place)
                if from_ms <= packet.pts * packet.time_base * 1000 < to_ms:
                    changed[place : place + packet.size] = filled * packet.size
    return bytes(changed)


@pytest.mark.requirement("SA-17")
def test_a_stream_with_a_single_key_frame_is_shown_from_its_beginning(take: Take) -> None:
    film = Film(even_times(6), container="mpegts", key_every=10_000, sound=clicks(6))
    eye = take("segment.ts", make_video(film))
    began_ms = tracks(eye, "segment.ts")[0].start_ms
    for asked_ms in (0, 500, 3_000):
        (part,) = eye.open("segment.ts", locator=f"t={asked_ms / 1000}").parts
        span = part.entry.locator.span
        assert span is not None
        assert span.start_ms <= max(asked_ms, began_ms)
        assert time_shown(pixels(part.bytes)) in range(max(0, asked_ms - 80), asked_ms + 1)
    (clip,) = eye.open("segment.ts", locator="t=0,2", accept=["video/mp4"]).parts
    assert lasts_s(clip.bytes)["video"] == pytest.approx(2, abs=0.1)


@pytest.mark.requirement("SA-17")
def test_a_video_whose_only_key_frame_is_cut_off_by_an_edit_is_shown(take: Take) -> None:
    eye = take("trimmed.mp4", moved(make_video(Film(even_times(4), key_every=10_000)), by_ms=1_500))
    (part,) = eye.open("trimmed.mp4", locator="t=0.5").parts
    assert abs(time_shown(pixels(part.bytes)) - 2_000) <= 40
    assert tracks(eye, "trimmed.mp4")[0].is_moving


@pytest.mark.requirement("SA-17")
def test_sound_that_ends_before_the_pictures_is_not_claimed_beyond_its_end(take: Take) -> None:
    eye = take("short-sound.mp4", make_video(Film(even_times(8), sound=clicks(3))))
    half = eye.open("short-sound.mp4", locator="t=2,5")
    sound = next(part for part in half.parts if part.entry.role is Role.AUDIO)
    span = sound.entry.locator.span
    assert span is not None
    assert span.start_ms == 2_000
    assert abs((span.end_ms or 0) - 3_000) <= 60
    assert half.envelope.truncation == ()
    after = eye.open("short-sound.mp4", locator="t=5,7")
    assert set(roles(after)) == {Role.KEYFRAME}
    assert "no_sound" in after.envelope.notes
    nothing = eye.open("short-sound.mp4", locator="t=5,7", accept=["audio/mpeg"])
    assert nothing.parts == ()
    assert "audio, aac, 48000 Hz, 1 channel, up to 3" in eye.open("short-sound.mp4").parts[1].text


@pytest.mark.requirement("SA-17")
def test_pictures_that_end_before_the_sound_are_not_shown_for_what_comes_later(take: Take) -> None:
    eye = take("short-video.mp4", make_video(Film(even_times(3), sound=clicks(8))))
    opened = eye.open("short-video.mp4", locator="t=5,7")
    assert roles(opened) == [Role.AUDIO]
    assert "no_frame_in_span" in opened.envelope.notes


@pytest.mark.requirement("SA-07", "SA-17")
def test_damaged_sound_costs_neither_the_pictures_nor_the_sound_that_is_good(take: Take) -> None:
    noise = np.random.default_rng(8).integers(-9_000, 9_000, 8 * 48_000, dtype=np.int16)
    film = make_video(Film(even_times(8), sound=noise))
    eye = take("damaged.mp4", overwritten(film, "audio", from_ms=4_000, to_ms=6_000, filled=b"\xff"))
    gap = next(each for each in manifest(eye, "damaged.mp4").gaps if each.code == "damaged")
    assert gap.lane == "transcript"
    assert gap.locator.span is not None
    assert abs(gap.locator.span.start_ms - 4_000) <= 60
    assert abs((gap.locator.span.end_ms or 0) - 6_000) <= 60
    inside = eye.open("damaged.mp4", locator="t=4.5,5.5")
    assert Role.KEYFRAME in roles(inside)
    assert "damaged_sound" in inside.envelope.notes
    across = eye.open("damaged.mp4", locator="t=3,7")
    assert {Role.KEYFRAME, Role.AUDIO} <= set(roles(across))
    before = eye.open("damaged.mp4", locator="t=1,3")
    assert not {"damaged_sound", "damaged_pictures"} & set(before.envelope.notes)


@pytest.mark.requirement("SA-07", "SA-17")
def test_damaged_pictures_cost_neither_the_sound_nor_the_pictures_that_are_good(take: Take) -> None:
    film = Film(even_times(8), sound=clicks(8), key_every=25, container="webm", codec="libvpx", sound_codec="libopus")
    data = overwritten(make_video(film), "video", from_ms=3_000, to_ms=5_000, filled=b"\0")
    eye = take("damaged.webm", data)
    assert [part.entry.locator for part in eye.open("damaged.webm", locator="t=7").parts] == [Locator(span=Span(7_000))]
    inside = eye.open("damaged.webm", locator="t=3.2,4.8")
    assert Role.AUDIO in roles(inside)
    assert "damaged_pictures" in inside.envelope.notes
    assert ("keyframes", "damaged") in {(gap.lane, gap.code) for gap in manifest(eye, "damaged.webm").gaps}


@pytest.mark.requirement("SA-17")
def test_a_clip_has_the_colours_of_the_video_and_says_which_they_are(take: Take) -> None:
    eye = take("film.mp4", make_video(Film(even_times(3))))
    (clip,) = eye.open("film.mp4", locator="t=0,1.5", accept=["video/mp4"]).parts
    with av.open(io.BytesIO(clip.bytes)) as source:
        opened: Any = source
        frame = next(opened.decode(video=0))
        assert int(frame.colorspace) == 1
        shown = frame.to_ndarray(format="rgb24", src_colorspace=1)[100, 100].astype(int)
    assert np.abs(shown - SHOTS[0]).max() <= 8


@pytest.mark.requirement("SA-17")
def test_a_clip_of_a_picture_that_stands_lasts_as_long_as_its_span(take: Take) -> None:
    eye = take("slides.mp4", make_video(Film((0, 10_000, 20_000, 20_040), sound=clicks(20))))
    (clip,) = eye.open("slides.mp4", locator="t=12,18", accept=["video/mp4"]).parts
    assert lasts_s(clip.bytes) == pytest.approx({"video": 6, "audio": 6}, abs=0.1)


def tone(hertz: int, seconds: int) -> Any:
    return (np.sin(np.arange(seconds * 48_000) * 2 * np.pi * hertz / 48_000) * 9_000).astype(np.int16)


def with_tracks(film: bytes, *sounds: Any) -> bytes:
    """The video of a film with tracks of sound, as Matroska."""
    target = io.BytesIO()
    with av.open(io.BytesIO(film)) as opened, av.open(target, "w", format="matroska") as written:
        source: Any = opened
        made: Any = written
        pictures = made.add_stream_from_template(source.streams.video[0])
        tracks_made = [made.add_stream("aac", rate=48_000) for _ in sounds]
        for each in tracks_made:
            each.layout = "mono"
        for each, samples in zip(tracks_made, sounds, strict=True):
            write_sound(made, each, samples=samples, rate_hz=48_000)
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = pictures
                made.mux(packet)
    return target.getvalue()


def pitch_hz(data: bytes) -> float:
    """The pitch of a delivered sound, counted from how often it crosses zero."""
    with av.open(io.BytesIO(data)) as opened:
        source: Any = opened
        samples = np.concatenate([frame.to_ndarray()[0] for frame in source.decode(audio=0)])
        return float(np.count_nonzero(np.diff(np.signbit(samples)))) / 2 / (len(samples) / 48_000)


@pytest.mark.requirement("SA-16", "SA-17")
def test_of_several_tracks_of_sound_the_one_that_is_named_is_heard(take: Take) -> None:
    film = make_video(Film(even_times(6)))
    eye = take("tracks.mkv", with_tracks(film, tone(300, 2), tone(1_200, 6)))
    heard = {
        where: next(part for part in eye.open("tracks.mkv", locator=where).parts if part.entry.role is Role.AUDIO)
        for where in ("t=0.5,1.5", "t=0.5,1.5&track=3", "t=3,4")
    }
    assert {where: round(pitch_hz(part.bytes), -2) for where, part in heard.items()} == {
        "t=0.5,1.5": 300,
        "t=0.5,1.5&track=3": 1_200,
        "t=3,4": 1_200,
    }
    assert [part.entry.locator.track for part in heard.values()] == [2, 3, 3]
    with pytest.raises(LocatorOutOfRange, match="track=1 is no track that can be heard") as refused:
        eye.open("tracks.mkv", locator="t=1,2&track=1")
    assert refused.value.hint == "those that can: 2, 3"
    with pytest.raises(LocatorUnsupported):
        eye.open("tracks.mkv", locator="track=2")


@pytest.mark.requirement("SA-16", "SA-17")
def test_what_is_said_in_another_track_is_found_and_opened_there(tmp_path: Path) -> None:
    speech = samples_of(talk(48_000))[: 48_000 * 9]
    data = with_tracks(make_video(Film(even_times(9))), 0 * tone(300, 9), speech)
    (tmp_path / "tracks.mkv").write_bytes(data)
    with Eyeline(tmp_path / "home", transcriber=ScriptedTranscriber(script=SENTENCES)) as eye:
        eye.ingest(tmp_path / "tracks.mkv")
        (hit,) = eye.find("Tuesday")
        assert hit.locator.track == 3
        opened = eye.open(hit.version_id, locator=str(hit.locator))
        assert opened.parts[-1].entry.role is Role.TRANSCRIPT
        assert "Tuesday" in opened.parts[-1].text
        elsewhere = eye.open(hit.version_id, locator=str(replace(hit.locator, track=2)))
        assert "Tuesday" not in "".join(part.text for part in elsewhere.parts if part.entry.role is Role.TRANSCRIPT)
