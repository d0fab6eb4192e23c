"""Pictures that broke other tools on their way to a model, each through ingest and open."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator

import pytest
from PIL import Image
from tests.support.formats import AVIF, BMP, GIF, HEIC, ICO, JPEG, PNG, SVG, WEBP, heic

from eyeline import Eyeline
from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.media.sample_pictures import (
    BLUE,
    RED,
    WHITE,
    cut_short,
    display_p3,
    encoded,
    make_animation,
    make_dimension_bomb,
    make_drawing,
    make_metadata_bomb,
    make_pages,
    make_picture,
    make_screenshot,
    marked,
    screenshot_line,
)
from eyeline.model.digest import Digest
from eyeline.model.envelope import BoundaryCode
from eyeline.model.limits import MCP_ANSWER
from eyeline.model.manifest import ContentKind, Part, Role
from eyeline.model.record import ItemRecord
from eyeline.presenters.opened import OpenedSource
from eyeline.settings import OcrSettings, Settings

LIME = (0, 255, 0)
GARBAGE = hashlib.shake_256(b"B15").digest(4096)


def noise(width: int, height: int) -> bytes:
    pixels = hashlib.shake_256(b"noise").digest(width * height * 3)
    return encoded(Image.frombytes("RGB", (width, height), pixels), PNG)


def moving(media_type: str) -> bytes:
    """Three frames that are shown for 0.2, 0.2 and 0.2 seconds."""
    return make_animation(media_type, colours=(RED, LIME, BLUE))


def pages() -> bytes:
    return make_pages([Image.new("RGB", (100 + 20 * n, 100), colour) for n, colour in enumerate((RED, LIME, BLUE))])


def cases() -> dict[str, bytes]:
    cmyk = encoded(Image.new("CMYK", (200, 100), (0, 255, 255, 0)), JPEG)
    return {
        "B01_noise.png": noise(1960, 1960),
        "B04_wide.png": encoded(Image.new("RGB", (8001, 40), (0, 0, 128)), PNG),
        "B04_tall.png": noise(463, 1232),
        "B06_tall.png": make_screenshot(1200, 6000),
        "B07_jpeg_bytes.png": make_picture(JPEG),
        "B07_png_bytes.webp": make_picture(PNG),
        "B08_svg_text.png": make_drawing(40, 40, inside="<title>eight</title>"),
        "B09_html_text.png": b"<!doctype html><title>404</title><p>not an image</p>",
        "B10_zero.png": b"",
        "B11_truncated.jpg": cut_short(make_picture(JPEG, width=640, height=480)),
        "B11_truncated.png": cut_short(noise(100, 100)),
        "B15_random.png": GARBAGE,
        "B15_noext": make_picture(PNG),
        **{f"B16_exif_{turn}.jpg": make_picture(JPEG, orientation=turn) for turn in range(1, 9)},
        "B18_photo.heic": heic(),
        "B18_heic_bytes.png": heic(6),
        "B18_photo.avif": make_picture(AVIF),
        "B19_cmyk.jpg": cmyk,
        "B22_odd.png": make_picture(PNG, profile=display_p3().replace(b"RGB ", b"Lab ", 1)),
        "B22_broken.jpg": make_picture(JPEG, profile=b"not a profile"),
        "B23_anim.gif": moving(GIF),
        "B23_anim.webp": moving(WEBP),
        "B23_anim.png": moving(PNG),
        "B24_three_pages.tif": pages(),
        "B25_clip.bmp": make_picture(BMP),
        "B25_icon.ico": encoded(marked(64, 64), ICO, sizes=[(16, 16), (64, 64)]),
        "B26_bomb.png": make_dimension_bomb(),
        "B26_144mp.png": make_dimension_bomb(12_000, 12_000),
        "B27_ztxt.png": make_metadata_bomb(64),
        "B67_alias": make_picture(JPEG),
    }


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return cases()


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Eyeline]:
    # a language without a model: what the pictures say is read elsewhere
    settings = Settings(ocr=OcrSettings(languages=("zxx",)))
    with Eyeline(tmp_path_factory.mktemp("home"), principal="tester", settings=settings) as eye:
        yield eye


@pytest.fixture(scope="module")
def records(eye: Eyeline, files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> dict[str, ItemRecord]:
    inbox = tmp_path_factory.mktemp("inbox")
    for name, data in files.items():
        (inbox / name).write_bytes(data)
    return {item.source: item for item in eye.ingest(inbox).items}


def opened(eye: Eyeline, records: dict[str, ItemRecord], name: str, locator: str | None = None) -> OpenedSource:
    version_id = records[name].version_id
    assert version_id is not None, records[name]
    return eye.open(version_id, locator=locator)


def pixels(part: Part) -> Image.Image:
    image = Image.open(io.BytesIO(part.bytes)).convert("RGB")
    image.load()
    return image


def at(image: Image.Image, x: int, y: int) -> tuple[int, int, int]:
    red, green, blue = image.crop((x, y, x + 1, y + 1)).tobytes()
    return red, green, blue


def is_near(one: tuple[int, ...], other: tuple[int, ...], within: int = 12) -> bool:
    return all(abs(a - b) <= within for a, b in zip(one, other, strict=True))


def looks_marked(image: Image.Image) -> bool:
    width, height = image.size
    corners = ((width // 2, 1, RED), (1, height - 2, BLUE), (width - 2, height - 2, WHITE))
    return all(is_near(at(image, x, y), colour) for x, y, colour in corners)


@pytest.mark.requirement("SA-05", "XC-01")
def test_every_file_is_kept_and_each_has_its_own_right_outcome(
    eye: Eyeline, records: dict[str, ItemRecord], files: dict[str, bytes]
) -> None:
    expected = dict.fromkeys(files, "admitted") | {
        "B10_zero.png": "empty",
        "B11_truncated.jpg": "truncated",
        "B11_truncated.png": "truncated",
        "B15_random.png": "no_route",
        "B26_bomb.png": "over_pixels",
        "B26_144mp.png": "over_pixels",
    }
    assert {name: record.code for name, record in records.items()} == expected
    for name, data in files.items():
        record = records[name]
        if record.tree_path is not None:
            assert record.digest == Digest.of(data)
            assert (eye.tree / record.tree_path).read_bytes() == data


@pytest.mark.requirement("SA-17")
def test_b01_noise_fits_under_the_bytes_of_an_answer_by_quality_then_scale(
    eye: Eyeline, records: dict[str, ItemRecord], files: dict[str, bytes]
) -> None:
    version_id = records["B01_noise.png"].version_id
    assert version_id is not None
    assert len(files["B01_noise.png"]) > 11_000_000
    (part,) = eye.open(version_id, answer=MCP_ANSWER).parts
    assert len(part.bytes) <= MCP_ANSWER.max_media_bytes
    assert part.entry.scale is not None
    assert part.entry.scale.source.width_px == 1960
    assert pixels(part).size == (part.entry.scale.delivered.width_px, part.entry.scale.delivered.height_px)


@pytest.mark.requirement("SA-15", "SA-17")
@pytest.mark.parametrize(("name", "size"), [("B04_wide.png", (1568, 28)), ("B04_tall.png", (463, 1232))])
def test_b04_sides_and_area_of_what_is_delivered_keep_their_bounds(
    eye: Eyeline, records: dict[str, ItemRecord], name: str, size: tuple[int, int]
) -> None:
    (part,) = opened(eye, records, name).parts
    assert pixels(part).size == size


@pytest.mark.requirement("SA-17")
def test_b06_b69_line_200_of_a_tall_screenshot_is_cut_from_the_original_pixels(
    eye: Eyeline, records: dict[str, ItemRecord]
) -> None:
    overview, detail = opened(eye, records, "B06_tall.png", "xywh=pixel:0,3980,600,20").parts
    assert overview.entry.role is Role.OVERVIEW
    source = Image.open(io.BytesIO(make_screenshot(1200, 6000))).convert("RGB")
    shown = pixels(detail).crop((0, 0, 600, 20))
    assert shown.tobytes() == source.crop((0, 3980, 600, 4000)).tobytes()
    assert screenshot_line(200).startswith("line 0200")


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("B07_jpeg_bytes.png", JPEG),
        ("B07_png_bytes.webp", PNG),
        ("B08_svg_text.png", SVG),
        ("B09_html_text.png", "text/html"),
        ("B18_heic_bytes.png", HEIC),
    ],
)
def test_b07_b08_b09_the_type_comes_from_the_bytes_and_a_lying_name_is_noted(
    records: dict[str, ItemRecord], name: str, media_type: str
) -> None:
    record = records[name]
    assert str(record.media_type) == media_type
    assert "type_mismatch" in record.notes


@pytest.mark.requirement("SA-14")
def test_b09_a_page_of_html_has_no_picture_and_its_text_is_offered(
    eye: Eyeline, records: dict[str, ItemRecord]
) -> None:
    version_id = records["B09_html_text.png"].version_id
    assert version_id is not None
    boundary = eye.open(version_id, accept=("image/png",)).envelope.boundary
    assert boundary is not None
    assert boundary.code is BoundaryCode.NOTHING_ACCEPTABLE
    assert "not an image" in eye.open(version_id).parts[0].text


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize("name", ["B11_truncated.jpg", "B11_truncated.png", "B26_bomb.png"])
def test_b11_b26_what_is_not_admitted_says_why_and_where_its_bytes_are(
    eye: Eyeline, records: dict[str, ItemRecord], name: str
) -> None:
    answer = opened(eye, records, name)
    assert answer.parts == ()
    boundary = answer.envelope.boundary
    assert boundary is not None
    assert boundary.code is BoundaryCode.NOT_VIEWABLE
    assert records[name].code in boundary.message
    assert "tree" in boundary.way_out


def test_b15_good_bytes_without_an_extension_open(eye: Eyeline, records: dict[str, ItemRecord]) -> None:
    (part,) = opened(eye, records, "B15_noext").parts
    assert looks_marked(pixels(part))


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize(
    "name",
    [*(f"B16_exif_{turn}.jpg" for turn in range(1, 9)), "B18_photo.heic", "B18_heic_bytes.png", "B18_photo.avif"],
)
def test_b16_b18_what_is_turned_or_of_a_phone_comes_upright_in_a_type_that_every_model_takes(
    eye: Eyeline, records: dict[str, ItemRecord], name: str
) -> None:
    answer = opened(eye, records, name)
    (part,) = answer.parts
    assert looks_marked(pixels(part))
    assert str(part.entry.media_type) in {PNG, JPEG}
    assert answer.envelope.source is not None
    assert answer.envelope.source.size is not None
    assert (answer.envelope.source.size.width_px, answer.envelope.source.size.height_px) == (120, 80)
    assert b"Exif" not in part.bytes


@pytest.mark.requirement("SA-17")
def test_b16_a_region_is_one_of_the_upright_picture(eye: Eyeline, records: dict[str, ItemRecord]) -> None:
    for turn in range(1, 9):
        _, detail = opened(eye, records, f"B16_exif_{turn}.jpg", "xywh=percent:0,80,20,20").parts
        image = pixels(detail)
        assert is_near(at(image, 12, 8), BLUE, within=40)


@pytest.mark.requirement("SA-17")
def test_b19_ink_red_looks_red(eye: Eyeline, records: dict[str, ItemRecord]) -> None:
    (part,) = opened(eye, records, "B19_cmyk.jpg").parts
    red, green, blue = at(pixels(part), 100, 50)
    assert red > 200
    assert max(green, blue) < 90


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("name", ["B22_odd.png", "B22_broken.jpg"])
def test_b22_a_profile_that_does_not_fit_costs_nothing_and_is_noted(
    eye: Eyeline, records: dict[str, ItemRecord], name: str
) -> None:
    assert looks_marked(pixels(opened(eye, records, name).parts[0]))
    version_id = records[name].version_id
    assert version_id is not None
    probe = eye.show(version_id).probe
    assert probe is not None
    assert "profile_ignored" in probe.notes


@pytest.mark.requirement("SA-16", "SA-17")
@pytest.mark.parametrize("name", ["B23_anim.gif", "B23_anim.webp", "B23_anim.png"])
def test_b23_frames_are_counted_shown_on_a_sheet_and_opened_by_number_and_by_time(
    eye: Eyeline, records: dict[str, ItemRecord], name: str
) -> None:
    answer = opened(eye, records, name)
    sheet, words = answer.parts
    assert (sheet.entry.role, words.entry.role) == (Role.OVERVIEW, Role.CONTEXT)
    assert next(each.facts["frames"] for each in sheet.entry.transforms if each.step == "montage") == "1,2,3"
    assert words.text.startswith("frames: 3\nduration: 0.6 s\n")
    assert [str(each.continuation) for each in answer.envelope.truncation] == ["frame=1"]
    assert answer.envelope.source is not None
    assert (answer.envelope.source.frames, answer.envelope.source.duration_ms) == (3, 600)
    for frame, times, colour in ((1, ("0", "0.199"), RED), (2, ("0.2", "0.399"), LIME), (3, ("0.4", "0.599"), BLUE)):
        for locator in (f"frame={frame}", *(f"t={time}" for time in times)):
            (part,) = opened(eye, records, name, locator).parts
            assert is_near(at(pixels(part), 50, 50), colour, within=4)
            assert (part.entry.role, str(part.entry.locator)) == (Role.FRAME, f"frame={frame}")
    _, detail = opened(eye, records, name, "xywh=pixel:10,10,40,40&t=0.25").parts
    assert is_near(at(pixels(detail), 20, 20), LIME, within=4)


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize(
    "case",
    [
        ("B23_anim.gif", "frame=4", LocatorOutOfRange),
        ("B23_anim.gif", "t=0.6", LocatorOutOfRange),
        ("B23_anim.gif", "t=0,0.4", LocatorUnsupported),
        ("B23_anim.gif", "frame=1&t=0.1", LocatorUnsupported),
        ("B23_anim.gif", "page=1", LocatorUnsupported),
        ("B24_three_pages.tif", "page=4", LocatorOutOfRange),
        ("B24_three_pages.tif", "frame=1", LocatorUnsupported),
        ("B24_three_pages.tif", "page=1&xywh=pixel:0,0,120,10", LocatorOutOfRange),
        ("B25_clip.bmp", "frame=1", LocatorUnsupported),
        ("B25_clip.bmp", "t=0", LocatorUnsupported),
        ("B08_svg_text.png", "line=1", LocatorUnsupported),
    ],
)
def test_a_locator_that_a_picture_does_not_have_is_a_typed_error(
    eye: Eyeline, records: dict[str, ItemRecord], case: tuple[str, str, type[Exception]]
) -> None:
    name, locator, kind = case
    with pytest.raises(kind):
        opened(eye, records, name, locator)


@pytest.mark.requirement("SA-16", "SA-17")
def test_b24_pages_of_a_tiff_are_counted_shown_on_a_sheet_and_opened_one_by_one(
    eye: Eyeline, records: dict[str, ItemRecord]
) -> None:
    name = "B24_three_pages.tif"
    answer = opened(eye, records, name)
    sheet, words = answer.parts
    assert next(each.facts["pages"] for each in sheet.entry.transforms if each.step == "montage") == "1,2,3"
    assert words.text.startswith("pages: 3\n")
    assert answer.envelope.source is not None
    assert (answer.envelope.source.pages, answer.envelope.source.frames) == (3, None)
    for page, colour in ((1, RED), (2, LIME), (3, BLUE)):
        (part,) = opened(eye, records, name, f"page={page}").parts
        assert is_near(at(pixels(part), 50, 50), colour, within=4)
        assert pixels(part).size == (80 + 20 * page, 100)
    _, detail = opened(eye, records, name, "page=3&xywh=pixel:100,0,40,100").parts
    assert pixels(detail).size == (40, 100)
    assert is_near(at(pixels(detail), 20, 50), BLUE, within=4)


@pytest.mark.parametrize("name", ["B25_clip.bmp", "B25_icon.ico"])
def test_b25_a_bitmap_and_the_largest_icon_come_as_png(eye: Eyeline, records: dict[str, ItemRecord], name: str) -> None:
    (part,) = opened(eye, records, name).parts
    assert str(part.entry.media_type) == PNG
    assert looks_marked(pixels(part))


@pytest.mark.requirement("XC-01")
def test_b27_a_picture_is_delivered_without_its_exploding_text(eye: Eyeline, records: dict[str, ItemRecord]) -> None:
    (part,) = opened(eye, records, "B27_ztxt.png").parts
    assert looks_marked(pixels(part))
    assert any(each.step == "strip" for each in part.entry.transforms)


@pytest.mark.requirement("SA-14")
@pytest.mark.parametrize("alias", ["image/jpg", "image/pjpeg"])
def test_b67_an_alias_in_accept_means_the_type_it_stands_for(
    eye: Eyeline, records: dict[str, ItemRecord], alias: str
) -> None:
    version_id = records["B67_alias"].version_id
    assert version_id is not None
    (part,) = eye.open(version_id, accept=(alias,)).parts
    assert str(part.entry.media_type) == JPEG


@pytest.mark.requirement("SA-13", "SA-17")
def test_b68_b78_filter_and_factors_of_a_scaling_are_told_with_the_hash_of_what_was_delivered(
    eye: Eyeline, records: dict[str, ItemRecord]
) -> None:
    (part,) = opened(eye, records, "B01_noise.png").parts
    facts = next(each.facts for each in part.entry.transforms if each.step == "scale")
    scale = part.entry.scale
    assert scale is not None
    assert (facts["kernel"], facts["to"]) == ("lanczos3", str(scale.delivered))
    assert scale.delivered.width_px * scale.factor_x == pytest.approx(1960)
    assert scale.delivered.height_px * scale.factor_y == pytest.approx(1960)
    assert part.entry.digest == Digest.of(part.bytes)


@pytest.mark.requirement("SA-10")
def test_assets_of_several_frames_and_pages_are_made_at_conversion(
    eye: Eyeline, records: dict[str, ItemRecord]
) -> None:
    for name in ("B23_anim.gif", "B24_three_pages.tif"):
        folder = (eye.tree / str(records[name].tree_path)).parent / str(records[name].representation_id) / "assets"
        assert {path.stem for path in folder.iterdir()} == {"preview", "contact-sheet"}


def test_only_pictures_come_where_no_text_is_acceptable(eye: Eyeline, records: dict[str, ItemRecord]) -> None:
    version_id = records["B23_anim.gif"].version_id
    assert version_id is not None
    parts = eye.open(version_id, accept=("image/*",)).parts
    assert [part.entry.content_kind for part in parts] == [ContentKind.PICTURE]
