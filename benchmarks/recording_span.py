"""Ten seconds from the middle of ten minutes of 1080p, against the `ffmpeg` command that makes the same cut.

Ours is the whole open: index, cut in a bounded child, hashes, audit record. "The same cut" has our size and settings;
the plain command is what people type, in full size. How much of the file was read is counted at the store.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.films import write_film
from benchmarks.measuring import left_out, scaled
from benchmarks.table import Row, in_turns
from eyeline import Eyeline
from eyeline.testing.counted_ranges import counted_ranges

SECONDS, SPAN_S, RUNS = 600, 10, 5
AIM, AIM_READ = 1.0, 0.05
NAMES = ("film.mp4", "film.mkv")
SAME = (
    "-vf scale=854:480:flags=bicubic -c:v libx264 -preset veryfast -crf 25 -maxrate 2500k -bufsize 5000k "
    "-pix_fmt yuv420p -c:a aac -b:a 96k -ar 44100"
).split()


def rows() -> list[Row]:
    """Measure."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        left_out("there is no ffmpeg on this machine (Debian: apt-get install ffmpeg): nothing is compared with it.")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Eyeline(folder / "home") as eye:
            return [row for name in NAMES for row in _of(eye, folder, name=name, ffmpeg=ffmpeg)]


def _of(eye: Eyeline, folder: Path, *, name: str, ffmpeg: str) -> list[Row]:
    film = write_film(folder / name, seconds=scaled(SECONDS, least=60))
    eye.ingest(film)
    length_s = (eye.show(name).source.duration_ms or 0) // 1000
    starts = iter(range(length_s // 2, length_s - SPAN_S))

    def ours(*accept: str) -> None:
        start = next(starts)  # another span each time: nothing is cached
        assert eye.open(name, locator=f"t={start},{start + SPAN_S}", accept=accept or None).parts

    def peer(*how: str) -> None:
        given = ["-ss", str(length_s // 2), "-t", str(SPAN_S), "-i", str(film), *how, str(folder / "cut.mp4")]
        subprocess.run([ffmpeg, "-v", "error", "-y", *given], check=True)

    clip, same, plain, frames = in_turns(lambda: ours("video/mp4"), lambda: peer(*SAME), peer, ours, runs=RUNS)
    remark = f"{_read(eye, name, ['video/mp4']):.1%} of {film.stat().st_size / 1e6:.0f} MB read (aim {AIM_READ:.0%})"
    return [
        Row(f"{SPAN_S} s of {name} as a clip", clip, "ffmpeg, the same cut", same, AIM, remark),
        Row(f"{SPAN_S} s of {name} as a clip", clip, "ffmpeg, plain, 1080p", plain, AIM),
        Row(
            f"{SPAN_S} s of {name} as key frames and sound",
            frames,
            "ffmpeg, the same cut",
            same,
            AIM,
            f"{_read(eye, name, None):.1%} read",
        ),
    ]


def _read(eye: Eyeline, name: str, accept: list[str] | None) -> float:
    """The share of an original that is read for a span from its middle."""
    source = eye.show(name).source
    middle = (source.duration_ms or 0) // 2000 - SPAN_S
    with counted_ranges(source.content) as counted:
        eye.open(name, locator=f"t={middle},{middle + SPAN_S}", accept=accept)
    return sum(counted) / source.byte_count
