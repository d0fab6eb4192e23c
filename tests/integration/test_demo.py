"""The demo does the main job: what an agent was handed is decoded here, and looked at."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps
from tests.support.cli import COMMAND, WAIT_S, environment, invoke

from eyeline.cli.demo_samples import CHOSEN_LINE, LINE_PX
from eyeline.media.sample_recordings import time_in
from eyeline.model.digest import Digest

P3_TO_SRGB = np.array([[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]])
"""Linear light of Display P3 as linear light of sRGB; both have the same white and the same curve."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "kept"
    command = [*COMMAND, "demo", "--keep", str(folder)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=2 * WAIT_S, env=environment())
    told = done.stdout.decode()
    assert (done.returncode, "✗" in told, b"Traceback" in done.stderr) == (0, False, False), told + done.stderr.decode()
    (folder / "told.txt").write_text(told)
    return folder


def delivered(demo: Path, name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest of an answer and its files."""
    folder = demo / "delivered" / name
    manifest = json.loads((folder / "manifest.json").read_bytes())
    return manifest, {file: (folder / file).read_bytes() for file in manifest["files"]}


def linear(picture: Image.Image) -> NDArray[np.float64]:
    """Rows of linear light from 0 to 1; sRGB and Display P3 share the curve."""
    share = np.asarray(picture.convert("RGB"), dtype=np.float64) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def meadow(picture: Image.Image) -> NDArray[np.float64]:
    """Mean linear light of the grass at the foot of the photograph."""
    width, height = picture.size
    grass = picture.crop((width // 10, height * 9 // 10, width * 9 // 10, height * 99 // 100))
    return linear(grass).reshape(-1, 3).mean(axis=0)


@pytest.mark.requirement("SA-01", "SA-12", "SA-13")
def test_the_photograph_is_delivered_upright_in_srgb_and_without_its_position(demo: Path) -> None:
    original = (demo / "inbox" / "balloon.jpg").read_bytes()
    manifest, files = delivered(demo, "photograph")
    (picture,) = (Image.open(io.BytesIO(data)) for data in files.values())
    assert picture.size == (1176, 1568)
    red, green, blue = np.asarray(picture.convert("RGB"))[1568 // 4, 1176 // 4].tolist()
    assert red > 240
    assert max(green, blue) < 40
    assert (dict(picture.getexif()), "icc_profile" in picture.info) == ({}, False)

    source = Image.open(io.BytesIO(original))
    assert source.size == (4032, 3024)
    assert source.getexif().get_ifd(0x8825)
    upright = ImageOps.exif_transpose(source)
    before, after = meadow(upright), meadow(picture)
    assert np.abs(P3_TO_SRGB @ before - after).max() < 0.01
    assert np.abs(before - after).max() > 0.01, "as if the profile had been dropped"

    kept = demo / "home" / "tree" / manifest["source"]["tree_path"]
    assert kept.read_bytes() == original
    assert manifest["source"]["content"] == str(Digest.of(original))


@pytest.mark.requirement("SA-17")
def test_the_small_print_is_delivered_in_the_pixels_of_the_original(demo: Path) -> None:
    manifest, files = delivered(demo, "screenshot-region")
    assert manifest["files"] == ["01-overview.png", "02-detail.png"]
    detail = Image.open(io.BytesIO(files["02-detail.png"])).convert("RGB")
    top = (CHOSEN_LINE - 2) * LINE_PX
    whole = Image.open(demo / "inbox" / "status.png").convert("RGB")
    assert detail.tobytes() == whole.crop((0, top, 640, top + 3 * LINE_PX)).tobytes()


@pytest.mark.requirement("SA-17")
def test_a_page_and_a_region_of_a_scan_are_delivered(demo: Path) -> None:
    manifest, files = delivered(demo, "manual-page-2")
    assert manifest["files"] == ["01-page.png", "02-source_text.txt"]
    assert "working pressure is 4.2 bar" in files["02-source_text.txt"].decode()
    page = np.asarray(Image.open(io.BytesIO(files["01-page.png"])).convert("RGB"))
    assert page.shape == (1568, 1212, 3)
    assert (page[10, 600] < (60, 100, 160)).all(), "the blue band is at the top"
    scan, files = delivered(demo, "scan-region")
    assert "PX-4417-B" in files["03-source_text.txt"].decode()
    detail = np.asarray(Image.open(io.BytesIO(files["02-detail.png"])).convert("L"))
    assert (detail < 90).mean() > 0.02, "there is ink"
    assert scan["content_manifest"][1]["locator"].startswith("page=1&xywh=percent:")


@pytest.mark.requirement("SA-17")
def test_what_is_said_in_a_recording_and_a_video_is_delivered_with_its_words(demo: Path) -> None:
    manifest, files = delivered(demo, "briefing")
    assert manifest["files"] == ["01-audio.mp3", "02-transcript.txt"]
    assert "safety report" in files["02-transcript.txt"].decode()
    manifest, files = delivered(demo, "walk-through")
    assert manifest["files"][-2:] == ["04-audio.mp3", "05-transcript.txt"]
    for name, entry in zip(manifest["files"][:3], manifest["content_manifest"], strict=False):
        assert entry["locator"] == f"t={time_in(files[name]) / 1000:g}"


def test_the_damaged_one_is_answered_with_a_no(demo: Path) -> None:
    manifest, files = delivered(demo, "damaged")
    assert (manifest["boundary"]["code"], files) == ("not_viewable", {})


@pytest.mark.requirement("SA-13")
def test_every_delivered_file_is_what_its_manifest_says(demo: Path) -> None:
    for folder in sorted((demo / "delivered").iterdir()):
        manifest, files = delivered(demo, folder.name)
        digests = [str(Digest.of(data)) for data in files.values()]
        assert digests == [entry["digest"] for entry in manifest["content_manifest"]]


def test_what_it_tells_names_the_kept_pictures_and_counts_its_claims(demo: Path) -> None:
    told = (demo / "told.txt").read_text()
    assert f"{told.count('✓')} claims checked, all of them hold" in told
    kept = [Path(line.split("kept ")[1].strip()) for line in told.splitlines() if line.startswith("  kept ")]
    assert len(kept) == 9
    assert all(path.is_file() for path in kept)


def test_it_never_clears_a_folder_that_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert invoke(tmp_path / "home", "demo", "--keep", str(tmp_path)).exit_code == 11
    assert (tmp_path / "mine.txt").read_text() == "mine"
