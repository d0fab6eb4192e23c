from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from eyeline.errors import CorruptMedia, EngineFailed, MediaTooLarge
from eyeline.media.bounded.job import BytesSource, JobLimits, JobResult
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.samples import (
    display_p3,
    end_neatly,
    make_animation,
    make_dimension_bomb,
    make_metadata_bomb,
    make_photo,
    make_picture,
    make_screenshot,
)

PNG, JPEG, GIF = "image/png", "image/jpeg", "image/gif"
ADMIT, RENDER, WEIGH = ("eyeline.media.pictures:admit", "eyeline.media.pictures:render", "eyeline.media.classify:weigh")
BOUNDS = {"max_pixels": 120_000_000, "max_frames": 2000, "max_pages": 10, "max_text_bytes": 1 << 20}


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool(max_parallel=2) as started:
        yield started


def plan(width: int, height: int, **more: object) -> dict[str, Any]:
    size = {"width_px": width, "height_px": height}
    return {"size": size, "media_types": [PNG, JPEG, "image/webp"], "max_bytes": 4 << 20, **more}


def opened(result: JobResult) -> Image.Image:
    image = Image.open(io.BytesIO(result.outputs[0]))
    image.load()
    return image


def pixel(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    return tuple(image.convert("RGB").crop((x, y, x + 1, y + 1)).tobytes())


@pytest.mark.requirement("SA-05", "SA-17", "XC-01")
def test_a_phone_photograph_is_delivered_upright_in_srgb_and_without_its_place(
    pool: BoundedPool, tmp_path: Path
) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(make_photo(3024, 4032, orientation=6, gps=True, profile=display_p3()))
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with path.open("rb") as source:
        admitted = pool.run(ADMIT, {"media_type": JPEG, **BOUNDS}, source=source)
        made = pool.run(RENDER, {"media_type": JPEG, "plan": plan(1176, 1568)}, source=source)
    assert admitted.value["outcome"] == "admitted"
    assert admitted.value["probe"]["size"] == {"width_px": 3024, "height_px": 4032}
    assert admitted.value["probe"]["colour"] == "display_p3"
    image = opened(made)
    assert image.size == (1176, 1568)
    red, green, blue = pixel(image, 1176 // 4, 1568 // 4)
    assert red > 245
    assert max(green, blue) < 25
    top, bottom = pixel(image, 1100, 500), pixel(image, 600, 1500)
    assert top[2] > top[0]
    assert bottom[1] > bottom[2]
    assert not dict(image.getexif())
    assert not any(word in made.outputs[0] for word in (b"Exif", b"ICC_PROFILE", b"Sample One"))
    steps = [each["step"] for each in made.value["transforms"]]
    assert steps == ["decode", "orient", "scale", "colour", "strip", "encode"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_source_that_is_read_where_needed_gives_the_same_bytes_as_a_file(pool: BoundedPool, tmp_path: Path) -> None:
    for media_type, data in (
        (JPEG, make_photo(800, 600, orientation=3)),
        (PNG, make_photo(800, 600, media_type=PNG)),
        ("image/webp", make_photo(800, 600, media_type="image/webp")),
        (GIF, make_animation(GIF, width=400, height=400)),
    ):
        path = tmp_path / "picture"
        path.write_bytes(data)
        params = {"media_type": media_type, "plan": plan(200, 150)}
        with path.open("rb") as source:
            by_file = pool.run(RENDER, params, source=source)
        assert pool.run(RENDER, params, source=BytesSource(data)) == by_file


@pytest.mark.requirement("XC-01")
def test_a_text_chunk_of_300_mib_costs_no_memory_and_not_the_picture(pool: BoundedPool) -> None:
    bomb = BytesSource(make_metadata_bomb(300))
    tight = JobLimits(memory_bytes=160 << 20)
    admitted = pool.run(ADMIT, {"media_type": PNG, **BOUNDS}, source=bomb, limits=tight)
    assert admitted.value["outcome"] == "admitted"
    assert "metadata_dropped" in admitted.value["probe"]["notes"]
    made = pool.run(RENDER, {"media_type": PNG, "plan": plan(60, 40)}, source=bomb, limits=tight)
    assert pixel(opened(made), 30, 2) == (255, 0, 0)


@pytest.mark.requirement("XC-01", "SA-05")
def test_bombs_and_cuts_are_typed_and_the_next_job_works(pool: BoundedPool) -> None:
    bomb = BytesSource(make_dimension_bomb())
    assert pool.run(ADMIT, {"media_type": PNG, **BOUNDS}, source=bomb).value["outcome"] == "over_pixels"
    with pytest.raises(MediaTooLarge):
        pool.run(RENDER, {"media_type": PNG, "plan": plan(100, 100)}, source=bomb)
    neat = BytesSource(end_neatly(make_photo(640, 480)))
    assert pool.run(ADMIT, {"media_type": JPEG, **BOUNDS}, source=neat).value["outcome"] == "truncated"
    with pytest.raises(CorruptMedia):
        pool.run(RENDER, {"media_type": PNG, "plan": plan(9, 9)}, source=BytesSource(b"\x89PNG\r\n\x1a\nnothing"))
    wide = BytesSource(make_dimension_bomb(60_000, 1_900))
    with pytest.raises(EngineFailed) as failed:
        pool.run(ADMIT, {"media_type": PNG, **BOUNDS}, source=wide, limits=JobLimits(wall_ms=5))
    assert failed.value.detail["reason"] == "timeout"
    good = pool.run(RENDER, {"media_type": PNG, "plan": plan(60, 40)}, source=BytesSource(make_picture()))
    assert pixel(opened(good), 30, 2) == (255, 0, 0)


@pytest.mark.requirement("XC-01")
def test_a_picture_that_needs_more_memory_than_a_job_may_have_is_a_typed_failure(pool: BoundedPool) -> None:
    picture = make_picture("image/webp", width=8000, height=6000)
    with pytest.raises(EngineFailed) as failed:
        pool.run(
            ADMIT,
            {"media_type": "image/webp", **BOUNDS},
            source=BytesSource(picture),
            limits=JobLimits(memory_bytes=96 << 20),
        )
    assert failed.value.detail["reason"] in {"over_memory", "crashed"}


def test_a_profile_of_a_broken_kind_in_a_child_is_ignored_too(pool: BoundedPool) -> None:
    broken = display_p3()[:16] + b"Lab " + display_p3()[20:]
    source = BytesSource(make_picture(PNG, profile=broken))
    assert pool.run(ADMIT, {"media_type": PNG, **BOUNDS}, source=source).value["probe"]["notes"] == ["profile_ignored"]


def test_the_classifier_runs_in_a_child(pool: BoundedPool) -> None:
    shot = pool.run(WEIGH, {"media_type": PNG}, source=BytesSource(make_screenshot(600, 800)))
    assert shot.value["emphasis"]["ocr"] > shot.value["emphasis"]["description"]


@pytest.mark.requirement("SA-05", "XC-01")
@pytest.mark.parametrize(("media_type", "frames"), [(GIF, 60), ("image/webp", 60)])
def test_a_long_animation_is_decoded_in_full_in_bounded_memory(pool: BoundedPool, media_type: str, frames: int) -> None:
    colours = tuple((n % 256, 255 - n % 256, 90) for n in range(frames))
    data = make_animation(media_type, colours=colours, width=1000, height=700)
    bounds = {**BOUNDS, "media_type": media_type}
    admitted = pool.run(ADMIT, bounds, source=BytesSource(data), limits=JobLimits(memory_bytes=100 << 20))
    assert (admitted.value["outcome"], admitted.value["probe"]["frames"]) == ("admitted", frames)
