from __future__ import annotations

import io
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from tests.support.jobs import call

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaTooLarge, UnsupportedMedia
from eyeline.media.recordings import admit, cut, render, render_each, samples, shots
from eyeline.media.sample_video import SHOTS, Film, clicks, even_times, make_sound, make_video, time_shown, uneven_times
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG, MP3, MP4, PNG, WAV
from eyeline.model.locator import Span
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CropBox, CutPlan, RenditionPlan, Sheet
from eyeline.model.probe import Probe
from eyeline.wire import to_plain, validate

FILM = Film(even_times(12), sound=clicks(12))
CONTAINERS = {
    "video/mp4": {},
    "video/quicktime": {"container": "mov"},
    "video/x-matroska": {"container": "matroska"},
    "video/mp2t": {"container": "mpegts"},
    "video/webm": {"container": "webm", "codec": "libvpx", "sound_codec": "libopus"},
}


@cache
def film(**changes: Any) -> bytes:
    from dataclasses import replace

    return make_video(replace(FILM, **changes))


def decided(data: bytes, media_type: str = "video/mp4", **bounds: int) -> dict[str, Any]:
    limits = {"max_pixels": 10_000_000, "max_duration_ms": 3_600_000, **bounds}
    answer, outputs = call(admit, data, media_type=media_type, **limits)
    assert outputs == ()
    return answer


def probed(data: bytes, media_type: str = "video/mp4") -> Probe:
    answer = decided(data, media_type)
    assert answer["outcome"] == "admitted", answer["reason"]
    return validate(Probe, answer["probe"])


def pixels(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


WHOLE = Size(320, 180)


def frame_plan(instant_ms: int, size: Size = WHOLE, crop: CropBox | None = None) -> dict[str, Any]:
    return to_plain(RenditionPlan(size, (JPEG, PNG), 1 << 20, instant_ms=instant_ms, crop=crop))


def drawn(data: bytes, plan: dict[str, Any], media_type: str = "video/mp4") -> tuple[dict[str, Any], NDArray[np.uint8]]:
    report, (encoded,) = call(render, data, media_type=media_type, plan=plan)
    return report, pixels(encoded)


def cut_of(
    data: bytes, media_type: str, span: Span, *, to: MediaType, size: Size | None = None, most: int = 1 << 20
) -> tuple[dict[str, Any], bytes]:
    plan = to_plain(CutPlan(span, to, most, size))
    value, (made,) = call(cut, data, media_type=media_type, plan=plan)
    return value, made


def heard(data: bytes, media_type: str) -> NDArray[np.int16]:
    length = probed(data, media_type).duration_ms
    _, (pcm,) = call(samples, data, media_type=media_type, start_ms=0, end_ms=length, rate_hz=16_000)
    return np.frombuffer(pcm, "<i2")


def loud_ms(sound: NDArray[np.int16], rate_hz: int = 16_000) -> list[int]:
    """When each click begins, in milliseconds."""
    loud = np.flatnonzero(np.abs(sound.astype(int)) > 4000)
    starts = loud[np.insert(np.diff(loud) > rate_hz // 10, 0, True)]
    return [round(int(start) * 1000 / rate_hz) for start in starts]


@pytest.mark.requirement("SA-05")
def test_a_probe_tells_every_track_and_how_long_it_lasts() -> None:
    probe = probed(film())
    video, sound = probe.tracks
    assert (video.kind, video.codec, video.coded, video.frame_rate) == ("video", "h264", Size(320, 180), 25.0)
    assert (sound.kind, sound.codec, sound.sample_rate_hz, sound.channels) == ("audio", "aac", 48_000, 1)
    assert not video.variable_rate
    assert probe.duration_ms is not None
    assert abs(probe.duration_ms - 12_000) <= 40
    assert probe.notes == ()


@pytest.mark.requirement("SA-05")
def test_the_size_of_a_video_is_the_one_it_is_shown_in() -> None:
    probe = probed(film(turn=90, aspect=Fraction(4, 3)))
    assert probe.size == Size(180, 427)
    assert (probe.tracks[0].coded, probe.tracks[0].rotation) == (Size(320, 180), 270)


@pytest.mark.requirement("SA-05")
def test_frames_that_are_shown_for_different_times_are_told() -> None:
    track = probed(film(times_ms=tuple(uneven_times(10)), container="matroska"), "video/x-matroska").tracks[0]
    assert track.variable_rate
    assert track.frame_rate is not None
    assert abs(track.frame_rate - 1000 / 60) < 0.5


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize("media_type", CONTAINERS)
@pytest.mark.parametrize("instant_ms", [0, 39, 40, 5000, 7777, 11_990])
def test_an_instant_gives_the_frame_that_is_shown_then(media_type: str, instant_ms: int) -> None:
    data = film(**CONTAINERS[media_type])
    start_ms = probed(data, media_type).tracks[0].start_ms
    report, picture = drawn(data, frame_plan(instant_ms), media_type)
    carried = time_shown(picture)
    assert carried == max(0, (instant_ms - start_ms) // 40 * 40)
    assert abs(report["at_ms"] - start_ms - carried) <= 1


@pytest.mark.requirement("SA-16")
def test_frames_of_different_duration_are_found_by_their_own_times() -> None:
    times = tuple(uneven_times(10))
    data = film(times_ms=times, container="matroska")
    for instant_ms in (19, 20, 59, 60, 179, 180, 3333, 8000, 9990):
        report, picture = drawn(data, frame_plan(instant_ms), "video/x-matroska")
        expected = max(time for time in times if time <= instant_ms)
        assert (time_shown(picture), report["at_ms"]) == (expected, expected)
        again, _ = drawn(data, frame_plan(report["at_ms"]), "video/x-matroska")
        assert again["at_ms"] == report["at_ms"]


@pytest.mark.requirement("SA-17")
def test_a_frame_is_upright_in_the_right_colours_and_a_region_is_cut_from_it() -> None:
    def corner(_: int, picture: NDArray[np.uint8]) -> None:
        picture[140:, 260:] = (255, 255, 255)

    data = make_video(Film(even_times(3), draw=corner, turn=90))
    report, picture = drawn(data, frame_plan(1500, Size(180, 320)))
    assert picture.shape == (320, 180, 3)
    # turned counter-clockwise: what is at the lower right stands at the upper right
    assert picture[10, 170].min() > 240
    assert np.abs(picture[200, 90].astype(int) - SHOTS[0]).max() < 12
    report, detail = drawn(data, frame_plan(1500, Size(40, 60), CropBox(140_000, 0, 40_000, 60_000)))
    assert detail.shape == (60, 40, 3)
    assert detail.mean() > 240
    assert (report["scale"]["offset_x"], report["scale"]["factor_x"]) == (140.0, 1.0)
    steps = [each["step"] for each in report["transforms"]]
    assert steps == ["decode", "colour", "orient", "crop", "encode"]


@pytest.mark.requirement("SA-17")
def test_a_sheet_shows_frames_with_their_true_times() -> None:
    sheet = Sheet((), 2, Size(160, 90), (0, 3010, 7999))
    plan = to_plain(RenditionPlan(sheet.size, (PNG,), 1 << 20, sheet=sheet))
    report, picture = drawn(film(), plan)
    montage = next(each for each in report["transforms"] if each["step"] == "montage")
    assert montage["facts"]["t"] == "0.000,3.000,7.960"
    cells = [(8, 8), (8, 176), (126, 8)]
    assert [time_shown(picture[top : top + 90, left : left + 160]) for top, left in cells] == [0, 3000, 7960]


@pytest.mark.requirement("SA-17")
def test_shots_begin_where_the_picture_changes() -> None:
    data = film(key_every=10)
    found, _ = call(shots, data, media_type="video/mp4", start_ms=0, end_ms=12_000, max_shots=6)
    assert found["shots"] == 6
    assert all(
        abs(time - wanted) <= 500 for time, wanted in zip(found["times_ms"], range(0, 12_000, 2000), strict=True)
    )
    inside, _ = call(shots, data, media_type="video/mp4", start_ms=3500, end_ms=6500, max_shots=6)
    assert inside["times_ms"][0] == 3480
    assert all(3480 <= time < 6500 for time in inside["times_ms"])


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("media_type", CONTAINERS)
@pytest.mark.parametrize(("to", "slack_ms"), [(WAV, 1), (MP3, 3)])
def test_sound_is_cut_where_it_was_asked_for(media_type: str, to: MediaType, slack_ms: int) -> None:
    value, made = cut_of(film(**CONTAINERS[media_type]), media_type, Span(3500, 8500), to=to)
    assert value["span"] == {"start_ms": 3500, "end_ms": 8500}
    starts = loud_ms(heard(made, str(to)))
    assert [round(start, -2) for start in starts] == [500, 1500, 2500, 3500, 4500]
    # where the container cannot say that the first samples are the coder's own, the clock begins with those
    first = max(track.start_ms or 0 for track in probed(film(**CONTAINERS[media_type]), media_type).tracks)
    assert all(abs(start - 500 - 1000 * place - first) <= slack_ms for place, start in enumerate(starts))


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("changes", [{}, {"times_ms": tuple(uneven_times(12)), "container": "matroska"}])
def test_a_clip_begins_and_ends_within_one_frame(changes: dict[str, Any]) -> None:
    media_type = "video/x-matroska" if changes else "video/mp4"
    _, made = cut_of(film(**changes), media_type, Span(3510, 8490), to=MP4, size=Size(320, 180))
    probe = probed(made)
    assert probe.duration_ms is not None
    assert abs(probe.duration_ms - 4980) <= 120
    times = changes.get("times_ms", FILM.times_ms)
    for instant_ms in (0, 1000, 2222, 4900):
        report, picture = drawn(made, frame_plan(instant_ms))
        expected = max(time for time in times if time <= 3510 + instant_ms)
        assert abs(time_shown(picture) - expected) <= 40
        assert report["at_ms"] <= instant_ms
    assert [round(start, -2) for start in loud_ms(heard(made, "video/mp4"))] == [500, 1500, 2500, 3500, 4500]


@pytest.mark.requirement("SA-17")
def test_a_cut_is_made_coarser_and_then_shorter_until_it_fits() -> None:
    _, fine = cut_of(film(), "video/mp4", Span(0, 10_000), to=MP3)
    coarse_value, coarse = cut_of(film(), "video/mp4", Span(0, 10_000), to=MP3, most=40_000)
    short_value, short = cut_of(film(), "video/mp4", Span(0, 10_000), to=WAV, most=64_044)
    assert len(coarse) <= 40_000 < len(fine)
    assert coarse_value["span"]["end_ms"] == 10_000
    assert (short_value["span"]["end_ms"], len(short)) == (4000, 64_044)
    _, small = cut_of(film(), "video/mp4", Span(0, 10_000), to=MP4, size=Size(320, 180), most=200_000)
    assert len(small) <= 200_000
    with pytest.raises(MediaTooLarge):
        cut_of(film(), "video/mp4", Span(0, 10_000), to=WAV, most=8_000)


@pytest.mark.requirement("SA-12")
def test_the_same_plan_gives_the_same_bytes() -> None:
    plan = (film(), "video/mp4", Span(2000, 4000))
    for to, size in ((MP3, None), (WAV, None), (MP4, Size(320, 180))):
        assert cut_of(*plan, to=to, size=size)[1] == cut_of(*plan, to=to, size=size)[1]


@pytest.mark.requirement("SA-10")
def test_the_sound_is_drawn_with_its_pitch_and_its_pauses() -> None:
    rate = 32_000
    tone = np.sin(np.arange(4 * rate) * 2 * np.pi * 1000 / rate) * 12_000
    tone[: 2 * rate] = 0
    data = make_sound(tone.astype(np.int16), rate_hz=rate, container="wav", codec="pcm_s16le")
    plan = to_plain(RenditionPlan(Size(652, 342), (PNG,), 1 << 20, spectrogram=Span(0, 4000)))
    _, picture = drawn(data, plan, "audio/wav")
    pitch = picture[80:320, 52:].astype(int).sum(axis=2)
    assert pitch[:, :280].max() < 60
    row = int(pitch[:, 400].argmax())
    assert abs(row / 240 - np.log(16) / np.log(16_000 / 60)) < 0.02
    assert pitch[row, 320:590].min() > 500


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("media_type", "container", "codec"),
    [
        ("audio/mpeg", "mp3", "libmp3lame"),
        ("audio/flac", "flac", "flac"),
        ("audio/ogg", "ogg", "libopus"),
        ("audio/mp4", "ipod", "aac"),
        ("audio/aac", "adts", "aac"),
        ("audio/aiff", "aiff", "pcm_s16be"),
        ("audio/wav", "wav", "pcm_s16le"),
    ],
)
def test_every_kind_of_sound_is_heard_in_time(media_type: str, container: str, codec: str) -> None:
    data = make_sound(clicks(5), container=container, codec=codec)
    probe = probed(data, media_type)
    assert (probe.size, [track.kind for track in probe.tracks]) == (None, ["audio"])
    value, made = cut_of(data, media_type, Span(1500, 4500), to=WAV)
    starts = loud_ms(heard(made, "audio/wav"))
    assert [round(start, -2) for start in starts] == [500, 1500, 2500]
    assert value["span"] == {"start_ms": 1500, "end_ms": 4500}


def test_a_video_without_sound_says_so_and_is_shown() -> None:
    data = film(sound=None)
    assert [track.kind for track in probed(data).tracks] == ["video"]
    with pytest.raises(UnsupportedMedia) as caught:
        cut_of(data, "video/mp4", Span(0, 1000), to=WAV)
    assert caught.value.detail["reason"] == "no_sound"
    with pytest.raises(LocatorOutOfRange):
        call(samples, data, media_type="video/mp4", start_ms=0, end_ms=1000, rate_hz=16_000)


@pytest.mark.requirement("SA-05")
def test_damage_in_the_middle_costs_what_is_damaged() -> None:
    data = bytearray(film(container="matroska"))
    middle = len(data) // 2
    data[middle : middle + 3000] = bytes(3000)
    probe = probed(bytes(data), "video/x-matroska")
    assert probe.duration_ms is not None
    assert probe.duration_ms > 11_000
    for instant_ms, carried in ((1000, 1000), (11_000, 11_000)):
        assert time_shown(drawn(bytes(data), frame_plan(instant_ms), "video/x-matroska")[1]) == carried


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("data", "media_type", "outcome"),
    [
        (lambda: film()[: len(film()) * 7 // 10], "video/mp4", "truncated"),
        (lambda: film()[:40] + bytes(4000), "video/mp4", "malformed"),
        (lambda: b"RIFF\x24\0\0\0WAVE" + bytes(40), "audio/wav", "malformed"),
        (lambda: b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n", "video/mp4", "malformed"),
        (lambda: b"#EXTM3U\n", "application/vnd.apple.mpegurl", "unsupported"),
    ],
    ids=["cut", "empty", "header", "playlist", "playlist type"],
)
def test_what_cannot_be_decoded_has_its_outcome(data: Any, media_type: str, outcome: str) -> None:
    assert decided(data(), media_type)["outcome"] == outcome


@pytest.mark.requirement("SA-05")
def test_a_recording_over_a_bound_is_not_admitted_and_says_which() -> None:
    assert decided(film(), max_pixels=50_000)["outcome"] == "over_pixels"
    assert decided(film(), max_duration_ms=11_000)["outcome"] == "over_duration"


def test_one_picture_that_cannot_be_made_costs_no_other() -> None:
    small = to_plain(RenditionPlan(Size(320, 180), (PNG,), 10, instant_ms=0))
    value, made = call(render_each, film(), media_type="video/mp4", plans=[small, frame_plan(2000)])
    assert value["made"][0] is None
    assert time_shown(pixels(made[0])) == 2000


def test_a_recording_that_is_none_is_corrupt() -> None:
    with pytest.raises(CorruptMedia):
        drawn(b"\0" * 5000, frame_plan(0))
