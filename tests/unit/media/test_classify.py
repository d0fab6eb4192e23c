from __future__ import annotations

from typing import Any

import pytest
from PIL import Image
from tests.support.jobs import call

from eyeline.errors import CorruptMedia
from eyeline.media import classify
from eyeline.media.samples import (
    encoded,
    make_animation,
    make_deep_png,
    make_diagram,
    make_photo,
    make_picture,
    make_scan_page,
    make_screenshot,
)


def weigh(data: bytes, media_type: str = "image/png", **params: object) -> dict[str, Any]:
    value, outputs = call(classify.weigh, data, media_type=media_type, **params)
    assert outputs == ()
    return value


SCREENSHOT = make_screenshot(1200, 1600)
PHOTO = make_photo(1600, 1200)


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (SCREENSHOT, "image/png"),
        (PHOTO, "image/jpeg"),
        (make_diagram(), "image/png"),
        (make_picture("image/png", width=1, height=1), "image/png"),
        (make_picture("image/png", width=3000, height=1), "image/png"),
        (make_deep_png(), "image/png"),
        (make_picture("image/jpeg", mode="CMYK"), "image/jpeg"),
        (make_picture("image/png", mode="RGBA"), "image/png"),
        (make_animation("image/gif"), "image/gif"),
        (make_animation("image/webp"), "image/webp"),
        (encoded(Image.new("RGB", (300, 200)), "image/jpeg", orientation=6), "image/jpeg"),
    ],
    ids=range(11),
)
def test_no_lane_ever_gets_nothing(data: bytes, media_type: str) -> None:
    emphasis = weigh(data, media_type)["emphasis"]
    assert emphasis["ocr"] + emphasis["description"] == pytest.approx(1)
    assert min(emphasis.values()) >= 0.2


@pytest.mark.requirement("SA-09")
def test_text_draws_emphasis_to_ocr_and_a_scene_to_description() -> None:
    screenshot, photo = weigh(SCREENSHOT)["emphasis"], weigh(PHOTO, "image/jpeg")["emphasis"]
    diagram = weigh(make_diagram())["emphasis"]
    scan = weigh(
        make_scan_page(tuple(f"line {n} of a scanned letter with some words" for n in range(24))).data, "image/jpeg"
    )
    assert screenshot["ocr"] > 0.6
    assert photo["description"] > 0.6
    assert photo["ocr"] < diagram["ocr"] < screenshot["ocr"]
    assert scan["emphasis"]["ocr"] > photo["ocr"]


def test_a_frame_can_be_meant() -> None:
    assert weigh(make_animation("image/gif"), "image/gif", frame=2)["facts"]["flat"] == 1.0


def test_what_cannot_be_opened_is_not_weighed() -> None:
    with pytest.raises(CorruptMedia):
        weigh(b"\x89PNG\r\n\x1a\n")
