"""Sample videos and sounds: every frame carries its own time in its pixels, so that a test can read which it got."""

from __future__ import annotations

import io
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame
from numpy.typing import NDArray

BITS = 20
"""How many squares along the upper edge carry the time in milliseconds, the most significant first."""

SHOTS = ((176, 48, 48), (48, 128, 64), (48, 64, 176), (176, 160, 48), (128, 48, 144), (48, 144, 160))
"""The ground of the picture, shot after shot."""

_CLOCK = 90_000


@dataclass(frozen=True, slots=True)
class Film:
    """What a sample video is made of.

    `times_ms` are the times of its frames, which last until the next; `shot_ms` how long the ground keeps its colour;
    `key_every` how many frames stand between key frames; `turn` degrees counter-clockwise that a player turns it by;
    `aspect` the width of a pixel over its height; `sound` the samples of its track of sound, or none.
    """

    times_ms: Sequence[int]
    width: int = 320
    height: int = 180
    shot_ms: int = 2000
    key_every: int = 30
    container: str = "mp4"
    codec: str = "libx264"
    turn: int = 0
    aspect: Fraction | None = None
    sound: NDArray[np.int16] | None = None
    sound_rate_hz: int = 48_000
    sound_codec: str = "aac"
    bit_rate: int = 1_000_000
    draw: Callable[[int, NDArray[np.uint8]], None] | None = None


def even_times(seconds: float, *, rate: int = 25) -> list[int]:
    """Times of frames that follow each other evenly."""
    return [round(number * 1000 / rate) for number in range(round(seconds * rate))]


def uneven_times(seconds: float) -> list[int]:
    """Times of frames that are shown for 20, 40 and 120 milliseconds in turn."""
    times, at = [0], 0
    while at < seconds * 1000 - 120:
        at += (20, 40, 120)[len(times) % 3]
        times.append(at)
    return times


def make_video(film: Film) -> bytes:
    """The bytes of a video."""
    target = io.BytesIO()
    with av.open(target, "w", format=film.container) as opened:
        out: Any = opened
        video = _video_track(out, film)
        sound = out.add_stream(film.sound_codec, rate=film.sound_rate_hz) if film.sound is not None else None
        if sound is not None:
            sound.layout = "mono"
        heard = iter(()) if film.sound is None else sounding(out, sound, samples=film.sound, rate_hz=film.sound_rate_hz)
        heard_ms = next(heard, math.inf)
        for number, at_ms in enumerate(film.times_ms):
            while heard_ms <= at_ms:
                heard_ms = next(heard, math.inf)
            frame = VideoFrame.from_ndarray(_picture(film, at_ms), format="rgb24")
            frame = frame.reformat(format="yuv420p", dst_colorspace=5)
            frame.pts, frame.time_base = at_ms * _CLOCK // 1000, Fraction(1, _CLOCK)
            frame.pict_type = 1 if number % film.key_every == 0 else 0
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
        deque(heard, maxlen=0)
    return target.getvalue()


def make_sound(
    samples: NDArray[np.int16], *, rate_hz: int = 48_000, container: str = "mp3", codec: str = "mp3"
) -> bytes:
    """The bytes of a sound of one channel."""
    target = io.BytesIO()
    with av.open(target, "w", format=container) as opened:
        out: Any = opened
        stream = out.add_stream(codec, rate=rate_hz)
        stream.layout = "mono"
        write_sound(out, stream, samples=samples, rate_hz=rate_hz)
    return target.getvalue()


def clicks(seconds: float, *, rate_hz: int = 48_000) -> NDArray[np.int16]:
    """Silence with a click of ten milliseconds at every whole second."""
    samples = np.zeros(round(seconds * rate_hz), dtype=np.int16)
    click = (np.sin(np.arange(rate_hz // 100) * 2 * np.pi * 1000 / rate_hz) * 20_000).astype(np.int16)
    for second in range(int(seconds)):
        start = second * rate_hz
        samples[start : start + len(click)] = click[: len(samples) - start]
    return samples


def time_shown(pixels: NDArray[np.uint8]) -> int:
    """The time in milliseconds that a picture of a sample video carries, at whatever size it was delivered."""
    height, width = pixels.shape[:2]
    row = pixels[max(1, height // 36)]
    bits = [int(row[int((place + 0.5) * width / BITS)].mean() > 127) for place in range(BITS)]
    return int("".join(map(str, bits)), 2)


def _video_track(out: Any, film: Film) -> Any:
    video = out.add_stream(film.codec, rate=30)
    video.width, video.height, video.pix_fmt = film.width, film.height, "yuv420p"
    video.codec_context.time_base = video.time_base = Fraction(1, _CLOCK)
    video.bit_rate = film.bit_rate
    if film.codec == "libx264":
        video.options = {"preset": "ultrafast", "g": "100000", "forced-idr": "1"}
    if film.aspect is not None:
        video.codec_context.sample_aspect_ratio = film.aspect
    if film.turn:
        video.set_display_rotation(film.turn)
    return video


def _picture(film: Film, at_ms: int) -> NDArray[np.uint8]:
    picture = np.empty((film.height, film.width, 3), dtype=np.uint8)
    picture[:] = SHOTS[at_ms // film.shot_ms % len(SHOTS)]
    edges = [round(place * film.width / BITS) for place in range(BITS + 1)]
    for place in range(BITS):
        lit = at_ms >> (BITS - 1 - place) & 1
        picture[: film.height // 12, edges[place] : edges[place + 1]] = 255 if lit else 0
    if film.draw is not None:
        film.draw(at_ms, picture)
    return picture


def write_sound(out: Any, stream: Any, *, samples: NDArray[np.int16], rate_hz: int) -> None:
    """Encode samples of one channel into a track."""
    deque(sounding(out, stream, samples=samples, rate_hz=rate_hz), maxlen=0)


def sounding(out: Any, stream: Any, *, samples: NDArray[np.int16], rate_hz: int) -> Iterator[float]:
    """The same little by little; yields up to where it got, in milliseconds."""
    resampler = av.AudioResampler(format=stream.format, layout="mono", rate=rate_hz)
    for start in range(0, len(samples), 4096):
        yield start * 1000 / rate_hz
        frame = AudioFrame.from_ndarray(samples[None, start : start + 4096], format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate_hz, start, Fraction(1, rate_hz)
        for part in resampler.resample(frame):
            out.mux(stream.encode(part))
    for part in resampler.resample(None):
        out.mux(stream.encode(part))
    out.mux(stream.encode(None))
