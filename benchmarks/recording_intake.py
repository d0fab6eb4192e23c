"""A large sound and a large video taken in: time against `ffmpeg` that decodes as much of them, and peak memory.

Taking in stores, hashes and publishes the file, walks through all of it, decodes all sound and every key frame, and
draws its previews. The peer decodes all sound and every key frame and keeps nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.films import write_film
from benchmarks.measuring import left_out, python, ran, scaled
from benchmarks.table import Row
from eyeline.media.sample_video import make_sound

SOUND_BYTES, VIDEO_BYTES = 300_000_000, 2_000_000_000
MOST_MB, ROOM = 300, 3.5
RATE_HZ, REEL_S = 48_000, 60

INGEST = """
import sys
from pathlib import Path
from eyeline import Eyeline
with Eyeline(Path(sys.argv[2])) as eye:
    (item,) = eye.ingest(Path(sys.argv[1])).items
    assert item.code == "admitted", item
"""


def rows() -> list[Row]:
    """Measure."""
    ffmpeg = shutil.which("ffmpeg")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if ffmpeg is None:
            left_out(
                "there is no ffmpeg on this machine (Debian: apt-get install ffmpeg): nothing is compared with it."
            )
            return []
        if shutil.disk_usage(folder).free < scaled(VIDEO_BYTES) * ROOM:
            left_out(f"{scaled(VIDEO_BYTES) * ROOM / 1e9:.0f} GB of free disk are needed.")
            return []
        made = (
            _sound(folder / "sound.wav", scaled(SOUND_BYTES)),
            write_film(folder / "film.mp4", byte_count=scaled(VIDEO_BYTES)),
        )
        return [_row(each, folder, ffmpeg) for each in made]


def _row(file: Path, folder: Path, ffmpeg: str) -> Row:
    ours = python(INGEST, file, folder / "home")
    shutil.rmtree(folder / "home")
    peer = ran([ffmpeg, "-v", "error", "-skip_frame", "nokey", "-i", file, "-map", "0", "-f", "null", "-"])
    size = f"{file.stat().st_size / 1e6:.0f} MB"
    file.unlink()
    remark = f"peak memory {ours.peak} (aim {MOST_MB} MB)"
    return Row(f"take in {file.name}, {size}", ours.ms, "ffmpeg decodes as much", peer.ms, None, remark)


def _sound(path: Path, byte_count: int) -> Path:
    """So many bytes of a swept tone as WAV."""
    times = np.arange(REEL_S * RATE_HZ) / RATE_HZ
    reel = (np.sin(2 * np.pi * (200 + 40 * times) * times) * 9_000).astype(np.int16)
    turns = max(1, byte_count // reel.nbytes)
    path.write_bytes(make_sound(np.tile(reel, turns), rate_hz=RATE_HZ, container="wav", codec="pcm_s16le"))
    return path
