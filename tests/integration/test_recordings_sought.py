"""What is read of a stored recording to show some seconds of it: counted at the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from eyeline import Eyeline
from eyeline.media.sample_video import Film, clicks, even_times, make_video
from eyeline.testing.counted_ranges import counted_ranges

SECONDS, SPAN_S = 240, 4
CONTAINERS = {"film.mp4": "mp4", "film.mkv": "matroska", "film.mov": "mov"}
OPENS = {"clip": ["video/mp4"], "sound": ["audio/mpeg"], "key frames": None}
MOST = 0.12
"""Of the file: its index, the span from the key frame before it, and blocks of 64 KiB where only parts are wanted."""


def noisy(at_ms: int, picture: NDArray[np.uint8]) -> None:
    """Something that does not compress, so that pictures outweigh the index."""
    picture[20:] = np.random.default_rng(at_ms).integers(0, 256, picture[20:].shape, dtype=np.uint8)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    inbox = tmp_path_factory.mktemp("inbox")
    film = Film(
        even_times(SECONDS, rate=5),
        width=128,
        height=80,
        key_every=10,
        sound=clicks(SECONDS),
        draw=noisy,
        bit_rate=800_000,
    )
    for name, container in CONTAINERS.items():
        (inbox / name).write_bytes(make_video(replace(film, container=container)))
    with Eyeline(tmp_path_factory.mktemp("home")) as eye:
        assert {item.code for item in eye.ingest(inbox).items} == {"admitted"}
        yield eye


@pytest.mark.requirement("SA-17", "SA-18")
@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("accept", OPENS.values(), ids=list(OPENS))
def test_some_seconds_from_the_middle_are_read_and_not_the_whole(
    home: Eyeline, name: str, accept: list[str] | None
) -> None:
    middle = SECONDS // 2
    with counted_ranges(home.show(name).source.content) as counted:
        answer = home.open(name, locator=f"t={middle},{middle + SPAN_S}", accept=accept)
    assert answer.parts
    assert 0 < sum(counted) <= MOST * home.show(name).source.byte_count
