"""Long films made quickly: some seconds are encoded once, and their packets repeated with later times."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from eyeline.media.sample_video import Film, clicks, even_times, make_video

WIDTH, HEIGHT, RATE, REEL_S = 1920, 1080, 30, 20
_BLOCK, _PICTURES = 8, 4


def write_film(path: Path, *, seconds: int = 0, byte_count: int = 0) -> Path:
    """A film of 1080p H.264 and AAC at some 6 Mbit/s, at least so long or so large; MP4 or Matroska by its name."""
    reel = _reel()
    with av.open(str(path), "w") as written:
        made: Any = written
        with av.open(io.BytesIO(reel)) as template:
            streams = [made.add_stream_from_template(each) for each in template.streams]
        for turn, packets in enumerate(_turns(reel)):
            if turn and turn * REEL_S >= seconds and path.stat().st_size >= byte_count:
                break
            for packet in packets:
                shift = round(turn * REEL_S / packet.time_base)
                packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                packet.stream = streams[packet.stream.index]
                made.mux(packet)
    return path


def _turns(reel: bytes) -> Iterator[list[Any]]:
    while True:
        with av.open(io.BytesIO(reel)) as opened:
            source: Any = opened
            # what the coder of the sound puts before the beginning would overlap with the turn before
            yield [each for each in source.demux() if each.dts is not None and 0 <= each.pts * each.time_base < REEL_S]


def _reel() -> bytes:
    generator = np.random.default_rng(7)
    shape = HEIGHT // _BLOCK, WIDTH // _BLOCK, 3
    grounds = [generator.integers(0, 255, shape, dtype=np.uint8) for _ in range(_PICTURES)]
    grounds = [each.repeat(_BLOCK, 0).repeat(_BLOCK, 1) for each in grounds]

    def draw(at_ms: int, picture: NDArray[np.uint8]) -> None:
        place = at_ms // 10 % (WIDTH - 200)
        ground = grounds[at_ms * _PICTURES // (REEL_S * 1000)]
        picture[HEIGHT // 12 :] = ground[HEIGHT // 12 :]
        picture[300:500, place : place + 200] = 255

    film = Film(
        even_times(REEL_S, rate=RATE),
        width=WIDTH,
        height=HEIGHT,
        key_every=2 * RATE,
        sound=clicks(REEL_S),
        bit_rate=6_000_000,
        draw=draw,
    )
    return make_video(film)
