from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.jobs import call, reader_of

from eyeline.errors import MediaError
from eyeline.media import pictures
from eyeline.media.bounded.reader import Reader
from eyeline.media.containers.exif import read_exif
from eyeline.media.containers.view import ByteView
from eyeline.media.picture_geometry import Box, shrink_for, shrunk, to_coded, upright_size, whole_pixels
from eyeline.media.picture_source import Feed
from eyeline.media.samples import make_animation, make_exif, make_photo, make_picture
from eyeline.model.geometry import Size
from eyeline.model.plan import CropBox

OUTCOMES = {"admitted", "malformed", "truncated", "over_pixels", "over_frames", "unsupported"}
SAMPLES = [
    ("image/png", make_picture("image/png", gps=True)),
    ("image/png", make_animation("image/png", width=20, height=20)),
    ("image/jpeg", make_photo(64, 48, gps=True, orientation=6)),
    ("image/jpeg", make_photo(64, 48, progressive=True)),
    ("image/webp", make_photo(64, 48, media_type="image/webp", gps=True)),
    ("image/webp", make_animation("image/webp", width=20, height=20)),
    ("image/gif", make_animation("image/gif", width=20, height=20)),
]


@pytest.mark.requirement("SA-05")
@given(
    sample=st.sampled_from(SAMPLES),
    flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), max_size=6),
    keep=st.floats(0, 1) | st.just(1.0),
    size=st.integers(1, 40),
)
def test_damaged_bytes_have_an_outcome_and_render_or_are_refused(
    sample: tuple[str, bytes], flips: list[tuple[float, int]], keep: float, size: int
) -> None:
    media_type, whole = sample
    data = bytearray(whole)
    for place, change in flips:
        data[min(int(place * len(data)), len(data) - 1)] ^= change
    data = data[: int(len(data) * keep)]
    bounds = {"max_pixels": 1_000_000, "max_frames": 20}
    answer, _ = call(pictures.admit, bytes(data), media_type=media_type, **bounds)
    assert answer["outcome"] in OUTCOMES
    plan: dict[str, Any] = {
        "size": {"width_px": size, "height_px": size},
        "media_types": ["image/png"],
        "max_bytes": 1 << 20,
    }
    try:
        call(pictures.render, bytes(data), media_type=media_type, plan=plan, **bounds)
    except MediaError:
        assert answer["outcome"] != "admitted"


ORIENTATIONS = st.integers(1, 8)
EDGES = st.integers(1, 3000)


@given(orientation=ORIENTATIONS, width=EDGES, height=EDGES, cut=st.tuples(*[st.floats(0, 1) for _ in range(4)]))
def test_a_box_keeps_its_area_and_stays_inside_in_the_coded_frame(
    orientation: int, width: int, height: int, cut: tuple[float, float, float, float]
) -> None:
    upright = upright_size(width, height, orientation=orientation)
    x, y = int(cut[0] * (upright.width_px - 1)), int(cut[1] * (upright.height_px - 1))
    box = Box(x, y, 1 + int(cut[2] * (upright.width_px - x - 1)), 1 + int(cut[3] * (upright.height_px - y - 1)))
    coded = to_coded(box, orientation=orientation, width=width, height=height)
    assert coded.w * coded.h == box.w * box.h
    assert min(coded.x, coded.y) >= 0
    assert coded.x + coded.w <= width
    assert coded.y + coded.h <= height


@given(
    frame=st.tuples(EDGES, EDGES),
    crop=st.tuples(*[st.integers(0, 4_000_000) for _ in range(2)], *[st.integers(1, 4_000_000) for _ in range(2)]),
    wanted=st.tuples(EDGES, EDGES),
)
def test_a_crop_always_comes_to_whole_pixels_of_the_picture(
    frame: tuple[int, int], crop: tuple[int, ...], wanted: tuple[int, int]
) -> None:
    box = whole_pixels(CropBox(*crop), Size(*frame), wanted=Size(*wanted))
    assert min(box.x, box.y) >= 0
    assert min(box.w, box.h) >= 1
    assert box.x + box.w <= frame[0]
    assert box.y + box.h <= frame[1]


@given(size=st.tuples(EDGES, EDGES), share=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)))
def test_shrinking_while_decoding_leaves_enough_and_strays_little(
    size: tuple[int, int], share: tuple[float, float]
) -> None:
    width, height = size
    target = Size(max(1, int(width * share[0])), max(1, int(height * share[1])))
    shrink = shrink_for(Box(0, 0, width, height), width=width, height=height, target=target)
    small = shrunk(Box(0, 0, width, height), shrink)
    assert small.w >= target.width_px
    assert small.h >= target.height_px
    assert (width - small.w * shrink) * target.width_px / width <= 0.25
    assert (height - small.h * shrink) * target.height_px / height <= 0.25


@given(noise=st.binary(max_size=200), cut=st.integers(0, 200))
def test_exif_of_any_bytes_reads_as_some_orientation(noise: bytes, cut: int) -> None:
    for block in (
        noise,
        b"MM\0*" + noise,
        b"Exif\0\0II*\0\x08\0\0\0" + noise,
        make_exif(orientation=5, gps=True)[:cut],
    ):
        assert 1 <= read_exif(block).orientation <= 8


@given(
    data=st.binary(min_size=1, max_size=3000),
    cuts=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 500)), max_size=6),
    own=st.binary(max_size=20),
    reads=st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 900)), max_size=8),
)
def test_a_file_of_pieces_reads_like_the_joined_bytes(
    data: bytes, cuts: list[tuple[int, int]], own: bytes, reads: list[tuple[int, int]]
) -> None:
    ranges = [(start, min(length, len(data) - start)) for start, length in cuts if start < len(data)]
    whole = b"".join(data[start : start + length] for start, length in ranges) + own
    reader: Reader = reader_of(data)
    file = Feed(reader, ByteView(reader)).file((*ranges, own))
    for place, length in reads:
        file.seek(place)
        assert file.read(length) == whole[place : place + length]
    file.seek(0)
    assert file.read() == whole
