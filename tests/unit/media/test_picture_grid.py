"""What was encoded is known again when it is read at an eighth of its size, and other pixels are not taken for it."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from PIL import Image

from eyeline.errors import CorruptMedia
from eyeline.media.pictures import render, reread
from eyeline.media.sample_pictures import encoded, make_photo, make_picture, make_screenshot


class _Out:
    def __init__(self) -> None:
        self.data = b""

    def add(self, data: bytes) -> None:
        self.data += data


def made(data: bytes, size: tuple[int, int], media_type: str, **plan: Any) -> tuple[bytes, dict[str, Any]]:
    """A picture as it is made strictly, and the report."""
    out = _Out()
    wanted = {"media_types": ["image/png", "image/jpeg"], "max_bytes": 10 << 20, "lasting": True}
    sized = {"size": {"width_px": size[0], "height_px": size[1]}}
    params = {"media_type": media_type, "strict": True, "plan": {**sized, **wanted, **plan}}
    report = render(io.BytesIO(data), params, out)
    return out.data, report


def is_same(data: bytes, report: dict[str, Any]) -> bool:
    params = {"media_type": report["media_type"], "max_pixels": 10**8, "max_frames": 1, "grid": report["grid"]}
    return reread(io.BytesIO(data), params, None)["is_same"]


def noise(width: int, height: int, *, seed: int = 1) -> bytes:
    pixels = random.Random(seed).randbytes(width * height * 3)
    return encoded(Image.frombytes("RGB", (width, height), pixels), "image/bmp")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_is_known_again_however_it_lay(orientation: int) -> None:
    data, report = made(make_photo(613, 457, orientation=orientation), (613, 457), "image/jpeg")
    assert report["media_type"] == "image/jpeg"
    assert is_same(data, report)
    other, _ = made(make_photo(613, 457, orientation=orientation % 8 + 1), (613, 457), "image/jpeg")
    assert is_same(other, report)


@pytest.mark.parametrize(
    ("size", "plan"),
    [
        *(((side, 300), {}) for side in (1, 7, 8, 9, 127, 128, 129, 517)),
        ((517, 391), {"max_bytes": 30_000}),
        ((300, 3), {"media_types": ["image/jpeg"]}),
        ((300, 300), {"media_types": ["image/png"]}),
    ],
)
def test_noise_is_known_again_at_every_size_and_quality(size: tuple[int, int], plan: dict[str, Any]) -> None:
    data, report = made(noise(*size), size, "image/bmp", **plan)
    assert is_same(data, report)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_flat_and_transparent_pictures_are_known_again(mode: str) -> None:
    data, report = made(make_picture("image/png", width=333, height=222, mode=mode), (333, 222), "image/png")
    assert is_same(data, report)


def test_another_picture_of_the_same_size_is_not_taken_for_it() -> None:
    _, report = made(make_photo(640, 480), (640, 480), "image/jpeg")
    turned, _ = made(make_photo(480, 640), (480, 640), "image/jpeg")
    for other in (make_screenshot(640, 480), noise(640, 480)):
        data, told = made(other, (640, 480), "image/png" if other[:4] == b"\x89PNG" else "image/bmp")
        assert not is_same(data, {**report, "media_type": told["media_type"]})
    assert not is_same(turned, report)


@pytest.mark.parametrize("percent", [3, 25, 50, 75, 90])
def test_a_picture_that_ends_early_is_damaged_or_another_one(percent: int) -> None:
    data, report = made(make_photo(640, 480), (640, 480), "image/jpeg")
    cut = data[: len(data) * percent // 100] + b"\xff\xd9"
    try:
        known = is_same(cut, report)
    except CorruptMedia:
        known = False
    assert not known


def test_a_coded_value_that_was_lost_changes_all_that_follow() -> None:
    data, report = made(make_photo(640, 480), (640, 480), "image/jpeg")
    start = data.index(b"\xff\xda") + 14
    zeroed = data[: start + 200] + bytes(400) + data[start + 600 :]
    try:
        known = is_same(zeroed, report)
    except CorruptMedia:
        known = False
    assert not known
