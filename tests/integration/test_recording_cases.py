"""Recordings that broke others (the ids are those of the cases): each comes to what it should, taken in and viewed."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.support.luring_recordings import luring_recordings
from tests.support.outside import CANARY, watched

from eyeline import Eyeline
from eyeline.app.viewer import Viewer
from eyeline.media.sample_video import Film, clicks, even_times, make_video, time_shown
from eyeline.model.geometry import Size
from eyeline.model.manifest import Role
from eyeline.model.record import ItemRecord
from eyeline.model.viewing import ViewStatus
from eyeline.testing.scripted_transcriber import ScriptedTranscriber
from eyeline.testing.sound import make_silence

Take = Callable[[str, bytes], ItemRecord]
OPENED = """
import sys
import av
options = dict(each.split("=") for each in sys.argv[2:])
try:
    av.open(sys.argv[1], timeout=5.0, format=options.pop("format", None), options=options)
except av.error.FFmpegError:
    pass
"""
WAIT_S = 60


@pytest.fixture
def eye(tmp_path: Path) -> Iterator[Eyeline]:
    with Eyeline(tmp_path / "home", transcriber=ScriptedTranscriber()) as eye:
        yield eye


@pytest.fixture
def take(eye: Eyeline, tmp_path: Path) -> Take:
    """Takes bytes in under a name and answers their record."""

    def take(name: str, data: bytes) -> ItemRecord:
        (tmp_path / name).write_bytes(data)
        return eye.ingest(tmp_path / name).items[0]

    return take


def pixels(data: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.requirement("SA-05", "SA-17")
def test_b43_a_turned_video_is_shown_upright_in_its_display_size(eye: Eyeline, take: Take, tmp_path: Path) -> None:
    take("turned.mp4", make_video(Film(even_times(3), turn=90)))
    probe = eye.show("turned.mp4").probe
    assert probe is not None
    assert (probe.size, probe.tracks[0].coded) == (Size(180, 320), Size(320, 180))
    (part,) = eye.open("turned.mp4", locator="t=1").parts
    shown = pixels(part.bytes)
    assert shown.shape[:2] == (320, 180)
    assert time_shown(np.rot90(shown, -1)) == 1_000
    assert "180x320 (coded 320x180)" in eye.open("turned.mp4").parts[1].text
    with Viewer(tmp_path) as viewer:
        assert "180x320 (coded 320x180)" in viewer.view("turned.mp4").parts[-1].text


@pytest.mark.requirement("SA-09", "SA-17")
def test_b45_a_video_without_sound_says_so_and_its_frames_are_served(eye: Eyeline, take: Take, tmp_path: Path) -> None:
    take("mute.mp4", make_video(Film(even_times(3))))
    opened = eye.open("mute.mp4", locator="t=0,2")
    assert {part.entry.role for part in opened.parts} == {Role.KEYFRAME}
    assert opened.envelope.notes == ("no_sound",)
    assert "no audio track" in eye.open("mute.mp4").parts[1].text
    with Viewer(tmp_path) as viewer:
        assert "no audio track" in viewer.view("mute.mp4").parts[-1].text


@pytest.mark.requirement("SA-09")
def test_b46_silence_has_an_empty_transcript(eye: Eyeline, take: Take) -> None:
    assert take("silence.wav", make_silence(4_000).wav()).code == "admitted"
    conversion = eye.show("silence.wav").conversion
    assert conversion is not None
    assert [(gap.lane, gap.code) for gap in conversion.gaps] == [("transcript", "nothing_found")]
    assert all(part.entry.role is not Role.TRANSCRIPT for part in eye.open("silence.wav").parts)
    assert eye.check().clean


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_b47_a_video_that_is_cut_before_its_index_is_kept_and_typed(
    eye: Eyeline, take: Take, tmp_path: Path, share: float
) -> None:
    data = make_video(Film(even_times(3), sound=clicks(3)))
    record = take("cut.mp4", data[: int(data.index(b"moov") * share)])
    assert record.code in ("truncated", "malformed")
    boundary = eye.open("cut.mp4").envelope.boundary
    assert boundary is not None
    assert boundary.code == "not_viewable"
    with Viewer(tmp_path) as viewer:
        (item,) = viewer.view("cut.mp4").report.items
    assert (item.status, item.code) == (ViewStatus.FAILED, record.code)


@pytest.mark.requirement("SA-05", "XC-03")
def test_b48_nothing_that_a_recording_names_is_opened(eye: Eyeline, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "inbox").mkdir()
    with watched(tmp_path / "outside") as outside:
        for name, data in luring_recordings(outside).items():
            (tmp_path / "inbox" / name).write_bytes(data)
        codes = {item.source: item.code for item in eye.ingest(tmp_path / "inbox").items}
        for name in ("alias.mov", "linked.mkv"):
            assert codes[name] == "admitted"
            assert eye.open(name, locator="t=0,1").parts
        with Viewer(tmp_path / "inbox") as viewer:
            batch = viewer.view(*sorted(codes))
        assert (outside.file_events(), outside.port_calls) == (0, [])
    assert not any(CANARY in part.text for part in batch.parts if part.entry.content_kind == "text")
    assert codes["playlist.mp4"] == "no_route"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "playlist.mp4",
            [
                "format=hls",
                "allowed_extensions=ALL",
                "extension_picky=0",
                "protocol_whitelist=file,http,tcp,crypto,data",
            ],
        ),
        ("alias.mov", ["enable_drefs=1", "use_absolute_path=1"]),
    ],
)
def test_b48_a_decoder_that_is_let_goes_where_the_recording_leads(
    tmp_path: Path, name: str, options: list[str]
) -> None:
    with watched(tmp_path) as outside:
        (tmp_path / name).write_bytes(luring_recordings(outside)[name])
        command = [sys.executable, "-c", OPENED, str(tmp_path / name), *options]
        subprocess.run(command, check=True, capture_output=True, timeout=WAIT_S)
        assert outside.file_events() + len(outside.port_calls) > 0
