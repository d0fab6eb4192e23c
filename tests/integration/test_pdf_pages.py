"""Pages and texts through the bounded pool; pictures are looked at with another decoder than wrote them."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from eyeline.errors import CorruptMedia, EncryptedMedia, LocatorOutOfRange, MediaTooLarge
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_pdf import (
    SampleField,
    SampleFill,
    SamplePage,
    SamplePicture,
    make_pdf,
    make_scanned_pdf,
)

MIB = 1 << 20
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
SMALL = JobLimits(memory_bytes=192 * MIB)


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool() as running:
        yield running


def render(pool: BoundedPool, data: bytes, *, limits: JobLimits = SMALL, **plan: Any) -> tuple[Any, dict[str, Any]]:
    """The picture that a plan makes, decoded, and what the job says of it."""
    width, height = plan.pop("size")
    plan = {"media_types": ["image/png"], "max_bytes": 8 * MIB, **plan}
    plan["size"] = {"width_px": width, "height_px": height}
    if "crop" in plan:
        plan["crop"] = dict(zip("xywh", plan["crop"], strict=True))
    params = {"media_type": "application/pdf", "plan": plan}
    result = pool.run("eyeline.media.pdf:render", params, source=BytesSource(data), limits=limits)
    (encoded,) = result.outputs
    assert len(encoded) <= plan["max_bytes"]
    image = Image.open(io.BytesIO(encoded))
    assert image.get_format_mimetype() == result.value["media_type"]
    assert image.size == tuple(result.value["size"].values())
    return image.convert("RGB"), result.value


def step(value: dict[str, Any], name: str) -> dict[str, str]:
    return next(each["facts"] for each in value["transforms"] if each["step"] == name)


def near(image: Any, x: float, y: float, colour: tuple[int, int, int]) -> bool:
    return all(abs(a - b) <= 8 for a, b in zip(image.getpixel((round(x), round(y))), colour, strict=True))


CORNERS = SamplePage(
    size_pt=(300, 200),
    crop=(20, 30, 200, 100),
    fills=(
        SampleFill((0, 0, 300, 200), (0.5, 0.5, 0.5)),
        SampleFill((20, 30, 200, 100), (1, 1, 1)),
        SampleFill((20, 30, 20, 20), (1, 0, 0)),
        SampleFill((200, 30, 20, 20), (0, 1, 0)),
        SampleFill((20, 110, 20, 20), (0, 0, 1)),
    ),
)
"""A crop box of 200 by 100 points: red at its top left, green at its top right, blue at its bottom left."""


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize(
    ("rotate", "clockwise"),
    [
        (0, (RED, GREEN, WHITE, BLUE)),
        (90, (BLUE, RED, GREEN, WHITE)),
        (180, (WHITE, BLUE, RED, GREEN)),
        (270, (GREEN, WHITE, BLUE, RED)),
    ],
)
def test_a_page_is_upright_and_shows_its_crop_box_and_nothing_beside_it(
    pool: BoundedPool, rotate: int, clockwise: tuple[Any, ...]
) -> None:
    page = SamplePage(size_pt=CORNERS.size_pt, crop=CORNERS.crop, fills=CORNERS.fills, rotate=rotate)
    width, height = (400, 200) if rotate in (0, 180) else (200, 400)
    image, value = render(pool, make_pdf([page]), size=(width, height))
    corners = ((1, 1), (width - 2, 1), (width - 2, height - 2), (1, height - 2))
    for (x, y), colour in zip(corners, clockwise, strict=True):
        assert near(image, x, y, colour), (x, y)
    assert value["scale"]["source"] == {"width_px": width // 2, "height_px": height // 2}
    assert (value["scale"]["factor_x"], value["scale"]["offset_x"]) == (0.5, 0.0)
    assert step(value, "render")["dpi"] == "144"


@pytest.mark.requirement("SA-17", "SA-18")
def test_a_region_is_drawn_at_its_own_resolution_and_maps_back(pool: BoundedPool) -> None:
    """Red begins at 20.5, 10.25 points and is 4 by 2 points; the region is 18 to 28 by 9 to 14 points."""
    page = SamplePage(size_pt=(100, 100), fills=(SampleFill((20.5, 10.25, 4, 2), (1, 0, 0)),))
    crop = (18_000, 9_000, 10_000, 5_000)
    image, value = render(pool, make_pdf([page]), size=(800, 400), crop=crop)
    reds = [(x, y) for y in range(400) for x in range(800) if image.getpixel((x, y))[1] < 128]
    scale = value["scale"]
    left, top = (min(point[axis] for point in reds) for axis in (0, 1))
    right, bottom = (max(point[axis] for point in reds) + 1 for axis in (0, 1))
    assert scale["offset_x"] + left * scale["factor_x"] == pytest.approx(20.5, abs=0.02)
    assert scale["offset_y"] + top * scale["factor_y"] == pytest.approx(10.25, abs=0.02)
    assert (right - left) * scale["factor_x"] == pytest.approx(4, abs=0.03)
    assert (bottom - top) * scale["factor_y"] == pytest.approx(2, abs=0.03)
    assert step(value, "crop") == {"box": "18,9,10,5", "unit": "point"}
    assert step(value, "render")["dpi"] == "5760"


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_region_follows_the_rotation_of_its_page(pool: BoundedPool, rotate: int) -> None:
    """The corner that is red when upright is cut out where the page turns it to."""
    page = SamplePage(size_pt=CORNERS.size_pt, crop=CORNERS.crop, fills=CORNERS.fills, rotate=rotate)
    x, y = {0: (0, 0), 90: (80, 0), 180: (180, 80), 270: (0, 180)}[rotate]
    image, _ = render(pool, make_pdf([page]), size=(40, 40), crop=(x * 1000, y * 1000, 20_000, 20_000))
    assert image.getcolors() == [(1600, RED)]


@pytest.mark.requirement("SA-17")
def test_b36_a_page_of_200_inches_is_drawn_within_the_budget_and_its_region_sharply(pool: BoundedPool) -> None:
    marks = (SampleFill((14_390, 14_390, 4, 4), (1, 0, 0)), SampleFill((0, 0, 7_200, 7_200), (0, 0, 1)))
    data = make_pdf([SamplePage(size_pt=(14_400, 14_400), fills=marks)])
    image, value = render(pool, data, size=(1000, 1000))
    assert near(image, 250, 250, BLUE)
    assert near(image, 750, 750, WHITE)
    assert step(value, "render")["dpi"] == "5"
    image, value = render(pool, data, size=(1000, 1000), crop=(14_380_000, 14_380_000, 20_000, 20_000))
    assert near(image, 600, 600, RED)
    assert near(image, 400, 400, WHITE)
    assert step(value, "render")["dpi"] == "3600"


@pytest.mark.requirement("SA-17")
def test_b31_page_500_of_701_is_drawn_without_loading_the_others(pool: BoundedPool) -> None:
    pages = [SamplePage(fills=(SampleFill((0, 0, 612, 792), (number / 1000, 0, 0)),)) for number in range(1, 702)]
    image, value = render(pool, make_pdf(pages), size=(612, 792), page=500)
    assert near(image, 300, 300, (128, 0, 0))
    assert step(value, "render")["page"] == "500 of 701"
    assert value["pages_loaded"] == 1


def test_form_fields_are_drawn(pool: BoundedPool) -> None:
    image, _ = render(
        pool, make_pdf([SamplePage(fields=(SampleField((100, 100, 200, 20), "HHHHHH"),))]), size=(612, 792)
    )
    dark = [x for x in range(100, 300) for y in range(100, 120) if sum(image.getpixel((x, y))) < 200]
    assert 100 <= min(dark) < max(dark) < 200


def test_letters_are_smoothed_in_grey_and_a_page_without_colour_goes_out_grey(pool: BoundedPool) -> None:
    image, value = render(pool, make_pdf(["Grey letters only"]), size=(612, 792))
    assert all(red == green == blue for _, (red, green, blue) in image.getcolors(1 << 20))
    assert step(value, "encode")["lossless"] == "true"


def test_a_scan_gives_way_in_quality_then_in_size_until_it_fits(pool: BoundedPool) -> None:
    noise = bytes((17 * at * at + at // 7) % 251 for at in range(3 * 600 * 776))
    data = make_scanned_pdf([SamplePicture(noise, 600, 776, (0, 0, 612, 792))])
    image, value = render(
        pool, data, size=(1211, 1568), max_bytes=60_000, media_types=["image/png", "image/jpeg", "image/webp"]
    )
    assert value["media_type"] == "image/jpeg"
    assert image.width < 1211
    assert value["scale"]["factor_x"] == pytest.approx(612 / image.width)
    assert float(step(value, "render")["dpi"]) == pytest.approx(72 * image.width / 612, rel=0.01)
    with pytest.raises(MediaTooLarge):
        render(pool, data, size=(1211, 1568), max_bytes=100)


def test_a_thin_region_is_padded_with_white_and_the_scale_stays_true(pool: BoundedPool) -> None:
    page = SamplePage(fills=(SampleFill((0, 0, 612, 792), (0, 0, 1)),))
    image, value = render(pool, make_pdf([page]), size=(100, 4), crop=(0, 0, 100_000, 4_000), min_side_px=28)
    assert image.size == (100, 28)
    assert near(image, 50, 2, BLUE)
    assert near(image, 50, 20, WHITE)
    assert value["scale"]["factor_y"] == 1.0
    assert step(value, "pad")["to"] == "100x28"


def test_a_region_that_ends_outside_is_cut_and_one_outside_is_refused(pool: BoundedPool) -> None:
    data = make_pdf([CORNERS])
    image, value = render(pool, data, size=(80, 40), crop=(180_000, 0, 40_000, 20_000))
    assert image.size == (40, 40)
    assert image.getcolors() == [(1600, GREEN)]
    assert value["scale"]["factor_x"] == 0.5
    with pytest.raises(LocatorOutOfRange):
        render(pool, data, size=(80, 40), crop=(200_000, 0, 40_000, 20_000))


def test_a_page_that_is_lost_or_not_there_or_locked_says_so(pool: BoundedPool) -> None:
    data = make_pdf([SamplePage(lost=True), CORNERS])
    with pytest.raises(CorruptMedia) as lost:
        render(pool, data, size=(100, 100), page=1)
    assert lost.value.detail["reason"] == "unreadable_page"
    with pytest.raises(LocatorOutOfRange) as outside:
        render(pool, data, size=(100, 100), page=3)
    assert outside.value.detail["pages"] == 2
    with pytest.raises(EncryptedMedia):
        render(pool, make_pdf(["B32"], user_password="x"), size=(100, 100))
    assert near(render(pool, data, size=(200, 100), page=2)[0], 1, 1, RED)


@pytest.mark.requirement("SA-05")
def test_admission_and_text_of_a_pdf_come_out_of_the_child(pool: BoundedPool) -> None:
    source = BytesSource(make_pdf(["first page", SamplePage(lost=True), "third page"]))
    admitted = pool.run(
        "eyeline.media.pdf:admit", {"media_type": "application/pdf", "max_pages": 10}, source=source
    ).value
    assert (admitted["outcome"], admitted["probe"]["notes"]) == ("admitted", ["unreadable_pages"])
    read = pool.run("eyeline.media.pdf:read_text", {"first": 1, "last": 3}, source=source).value
    assert [page.get("text") for page in read["pages"]] == ["first page", None, "third page"]
    outline = pool.run("eyeline.media.pdf:read_outline", {}, source=source).value
    assert (outline["outline"], outline["links"]) == ([], [])


@pytest.mark.requirement("SA-05")
def test_a_text_much_larger_than_the_memory_of_the_child_is_admitted_and_read_by_range(pool: BoundedPool) -> None:
    line = b"a line of a log that goes on and on and says much the same each time\n"
    count = 1_000_000
    tight = JobLimits(memory_bytes=32 * MIB)
    with tempfile.TemporaryFile() as source:
        for _ in range(100):
            source.write(line * (count // 100))
        source.write(b"the end")
        source.flush()
        params = {"media_type": "text/plain", "max_text_bytes": MIB}
        probe = pool.run("eyeline.media.text:admit", params, source=source, limits=tight).value["probe"]
        assert (probe["lines"], probe["chars"]) == (count + 1, count * len(line) + 7)
        assert "over_text_bound" in probe["notes"]
        params = {"encoding": probe["encoding"], "lines": [count, count + 1]}
        read = pool.run("eyeline.media.text:read_text", params, source=source, limits=tight)
    assert read.outputs[0] == line + b"the end"
    assert json.dumps(read.value)
