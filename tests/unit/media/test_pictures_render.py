from __future__ import annotations

import io
import struct

import pytest
import pyvips
from PIL import Image, ImageChops, ImageDraw
from tests.support.renditions import Rendered, is_near, rendered

from eyeline.errors import CorruptMedia, LocatorOutOfRange, MediaTooLarge, UnsupportedMedia
from eyeline.media.samples import (
    BLUE,
    RED,
    WHITE,
    cut_short,
    display_p3,
    encoded,
    make_animation,
    make_deep_png,
    make_diagram,
    make_dimension_bomb,
    make_overlay_gif,
    make_photo,
    make_picture,
    make_raw_png,
    make_screenshot,
    png_chunk,
    with_chunk,
)

PNG, JPEG, WEBP, GIF = "image/png", "image/jpeg", "image/webp", "image/gif"
GREEN = (0, 255, 0)
PHOTO = make_photo(800, 600)


def coordinates(width: int, height: int) -> Image.Image:
    """A picture whose every pixel tells where it is."""
    rows = b"".join(bytes((x & 255, y & 255, (x >> 8) << 4 | y >> 8)) for y in range(height) for x in range(width))
    return Image.frombytes("RGB", (width, height), rows)


def place_told(made: Rendered, x: int, y: int) -> tuple[int, int]:
    red, green, blue = made.pixel(x, y)
    return red | (blue >> 4) << 8, green | (blue & 15) << 8


def flat_png(colour: tuple[int, ...], mode: str, *, profile: bytes | None = None) -> bytes:
    return encoded(Image.new(mode, (40, 30), colour), PNG, profile=profile)


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("media_type", [JPEG, PNG, WEBP])
def test_b16_every_orientation_is_delivered_with_the_red_edge_on_top(orientation: int, media_type: str) -> None:
    data = make_picture(media_type, width=240, height=160, orientation=orientation)
    for size in ((240, 160), (120, 80), (60, 40)):
        made = rendered(data, media_type, size)
        assert made.image.size == size
        assert is_near(made.pixel(size[0] // 2, 1), RED, within=12)
        assert is_near(made.pixel(1, size[1] - 2), BLUE, within=12)
        assert is_near(made.pixel(size[0] - 2, size[1] - 2), WHITE, within=12)
        assert ("orient" in made.steps) is (orientation != 1)


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_b69_a_region_is_cut_from_the_original_pixels_in_the_upright_frame(orientation: int) -> None:
    data = encoded(coordinates(300, 200), PNG, orientation=orientation)
    made = rendered(data, PNG, (70, 41), crop=(201, 133, 70, 41), media_types=(PNG,))
    assert [place_told(made, x, y) for x, y in ((0, 0), (69, 0), (0, 40), (69, 40), (33, 20))] == [
        (201, 133),
        (270, 133),
        (201, 173),
        (270, 173),
        (234, 153),
    ]
    assert made.value["scale"] == {
        "source": {"width_px": 300, "height_px": 200},
        "delivered": {"width_px": 70, "height_px": 41},
        "offset_x": 201.0,
        "offset_y": 133.0,
        "factor_x": 1.0,
        "factor_y": 1.0,
    }
    assert made.step("crop") == {"box": "201,133,70,41"}


def test_a_region_between_pixels_grows_to_whole_ones_and_says_which() -> None:
    data = encoded(coordinates(300, 200), PNG)
    made = rendered(data, PNG, (50, 40), crop=(10.4, 20.6, 100.2, 79.7), media_types=(PNG,))
    scale = made.value["scale"]
    assert (scale["offset_x"], scale["offset_y"]) == (10.0, 20.0)
    assert (scale["factor_x"], scale["factor_y"]) == (101 / 50, 81 / 40)
    unscaled = rendered(data, PNG, (100, 80), crop=(10.4, 20.6, 100.2, 79.7), media_types=(PNG,))
    assert place_told(unscaled, 0, 0) == (10, 21)
    assert place_told(unscaled, 99, 79) == (109, 100)
    assert unscaled.steps == ["decode", "crop", "encode"]


@pytest.mark.parametrize("width", [1600, 1601, 1607, 1999])
@pytest.mark.parametrize("media_type", [JPEG, PNG, WEBP])
@pytest.mark.parametrize("orientation", [1, 6])
def test_delivered_coordinates_map_back_to_source_pixels(width: int, media_type: str, orientation: int) -> None:
    height, centre = 1203, (width * 7 // 10, 811)
    source = Image.new("RGB", (width, height), "white")
    box = (centre[0] - 30, centre[1] - 30, centre[0] + 29, centre[1] + 29)
    ImageDraw.Draw(source).rectangle(box, fill="black")
    made = rendered(encoded(source, media_type, orientation=orientation), media_type, (width // 4, 301))
    dark = made.image.convert("L").point([255 if each < 128 else 0 for each in range(256)]).getbbox()
    assert dark is not None
    scale = made.value["scale"]
    middle_x = scale["offset_x"] + (dark[0] + dark[2]) / 2 * scale["factor_x"]
    middle_y = scale["offset_y"] + (dark[1] + dark[3]) / 2 * scale["factor_y"]
    assert abs(middle_x - centre[0]) <= scale["factor_x"]
    assert abs(middle_y - centre[1]) <= scale["factor_y"]


@pytest.mark.requirement("SA-17")
def test_a_wide_gamut_profile_is_converted_through_it_to_srgb() -> None:
    for media_type in (PNG, JPEG, WEBP):
        source = encoded(Image.new("RGB", (64, 48), (200, 100, 50)), media_type, profile=display_p3())
        made = rendered(source, media_type, (64, 48), media_types=(PNG,))
        assert is_near(made.pixel(20, 20), (215, 93, 31), within=5)
        assert made.step("colour")["from"] == "display_p3"
        assert "icc_profile" not in made.image.info
    red = rendered(flat_png((234, 51, 35), "RGB", profile=display_p3()), PNG, (40, 30))
    assert is_near(red.pixel(5, 5), RED)


def test_colour_described_by_png_chunks_is_converted_too() -> None:
    grey = make_raw_png(
        8, 8, rows=(b"\0" + b"\x80\x80\x80" * 8) * 8, before=png_chunk(b"gAMA", struct.pack(">I", 100_000))
    )
    assert is_near(rendered(grey, PNG, (8, 8)).pixel(1, 1), (188, 188, 188))
    usual = make_raw_png(
        8, 8, rows=(b"\0" + b"\x80\x80\x80" * 8) * 8, before=png_chunk(b"gAMA", struct.pack(">I", 45_455))
    )
    assert rendered(usual, PNG, (8, 8)).pixel(1, 1) == (128, 128, 128)
    wide = with_chunk(flat_png((200, 100, 50), "RGB"), png_chunk(b"cICP", bytes((12, 13, 0, 1))))
    assert is_near(rendered(wide, PNG, (40, 30)).pixel(1, 1), (215, 93, 31))


@pytest.mark.requirement("SA-17")
def test_b19_ink_red_looks_red_with_and_without_its_profile() -> None:
    ink = Image.new("CMYK", (200, 100), (0, 255, 255, 0))
    profile = bytes(pyvips.Operation.call("profile_load", "cmyk"))
    for source in (encoded(ink, JPEG), encoded(ink, JPEG, profile=profile)):
        red, green, blue = rendered(source, JPEG, (200, 100)).pixel(100, 50)
        assert red > 200
        assert max(green, blue) < 60
    white = rendered(encoded(Image.new("CMYK", (32, 32)), JPEG), JPEG, (32, 32))
    assert is_near(white.pixel(4, 4), WHITE)


@pytest.mark.requirement("SA-17")
def test_sixteen_bits_are_scaled_not_clipped() -> None:
    for level, wanted in ((0, 0), (0x4000, 64), (0x8000, 128), (0xC000, 192), (0xFFFF, 255)):
        assert is_near(rendered(make_deep_png(levels=(level,)), PNG, (40, 30)).pixel(9, 9), (wanted,) * 3, within=1)
    made = rendered(make_deep_png(levels=(0x2000, 0x8000, 0xE000)), PNG, (20, 15))
    assert is_near(made.pixel(9, 9), (32, 128, 224), within=1)
    assert made.step("depth") == {"from_bits": "16", "to_bits": "8", "method": "scaled"}


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize(
    ("mode", "colour", "wanted"),
    [
        ("RGBA", (255, 0, 0, 0), WHITE),
        ("RGBA", (255, 0, 0, 255), RED),
        ("RGBA", (255, 0, 0, 128), (255, 127, 127)),
        ("LA", (0, 0), WHITE),
        ("LA", (0, 128), (127, 127, 127)),
    ],
)
def test_transparency_is_composited_on_white_and_said_so(
    mode: str, colour: tuple[int, ...], wanted: tuple[int, int, int]
) -> None:
    for size in ((40, 30), (20, 15)):
        made = rendered(flat_png(colour, mode), PNG, size)
        assert is_near(made.pixel(5, 5), wanted, within=1)
        assert made.step("flatten") == {"background": "white"}
        assert made.image.mode in {"RGB", "L"}


def test_scaling_leaves_no_fringe_of_hidden_colour() -> None:
    source = Image.new("RGBA", (80, 80), (0, 255, 0, 0))
    source.paste((255, 0, 0, 255), (0, 0, 40, 80))
    made = rendered(encoded(source, PNG), PNG, (20, 20), media_types=(PNG,))
    assert all(made.pixel(x, 10)[1] >= made.pixel(x, 10)[2] - 1 for x in range(20))
    assert all(is_near(made.pixel(x, 10)[1:2], made.pixel(x, 10)[2:3], within=1) for x in range(20))


@pytest.mark.parametrize("mode", ["P", "1", "L", "RGB"])
def test_every_pixel_form_of_a_png_shows_the_same(mode: str) -> None:
    made = rendered(make_picture(PNG, mode=mode), PNG, (120, 80))
    assert is_near(made.pixel(119, 79), WHITE)
    assert made.pixel(60, 5) != WHITE


def test_interlaced_and_progressive_files_show_the_same_as_plain_ones() -> None:
    picture = coordinates(100, 60)
    plain = rendered(encoded(picture, PNG), PNG, (50, 30), media_types=(PNG,))
    assert rendered(encoded(picture, PNG, interlace=1), PNG, (50, 30), media_types=(PNG,)).data == plain.data
    baseline = rendered(encoded(picture, JPEG), JPEG, (50, 30), media_types=(PNG,))
    progressive = rendered(encoded(picture, JPEG, progressive=True), JPEG, (50, 30), media_types=(PNG,))
    assert progressive.image.tobytes() == baseline.image.tobytes()


@pytest.mark.requirement("SA-17")
def test_nothing_but_pixels_leaves_and_what_was_removed_is_said() -> None:
    for media_type in (JPEG, PNG, WEBP):
        source = make_picture(media_type, gps=True, orientation=6, profile=display_p3())
        assert b"Sample One" in source
        for target in (PNG, JPEG, WEBP):
            made = rendered(source, media_type, (60, 40), media_types=(target,))
            assert made.step("strip")["removed"] == "exif, gps, icc"
            assert not dict(made.image.getexif())
            assert not any(word in made.data for word in (b"Sample One", b"Exif", b"eXIf", b"iCCP", b"ICC_PROFILE"))


@pytest.mark.parametrize("media_type", [GIF, WEBP, PNG])
def test_b23_a_frame_is_the_one_asked_for(media_type: str) -> None:
    data = make_animation(media_type)
    for frame, colour in enumerate((RED, GREEN, BLUE), 1):
        made = rendered(data, media_type, (50, 50), frame=frame)
        assert is_near(made.pixel(25, 25), colour)
        assert made.step("decode")["frame"] == f"{frame} of 3"
    assert is_near(rendered(data, media_type, (50, 50)).pixel(25, 25), RED)
    with pytest.raises(LocatorOutOfRange) as refused:
        rendered(data, media_type, (50, 50), frame=4)
    assert refused.value.detail["frames"] == 3


def test_a_frame_is_shown_as_it_is_displayed_with_what_stands_under_it() -> None:
    data = make_overlay_gif()
    shown = [rendered(data, GIF, (60, 60), frame=frame) for frame in (1, 2, 3)]
    at = [[each.pixel(10, 10), each.pixel(50, 50), each.pixel(30, 30)] for each in shown]
    assert at == [[RED, RED, RED], [BLUE, RED, RED], [RED, GREEN, RED]]


def test_flat_content_is_lossless_where_it_fits_and_photographs_are_jpeg() -> None:
    flat = rendered(make_diagram(), PNG, (400, 300))
    assert flat.value["media_type"] == PNG
    assert flat.step("encode")["lossless"] == "true"
    over = rendered(make_diagram(1600, 1200), PNG, (1600, 1200), max_bytes=20_000)
    assert over.value["media_type"] == JPEG
    assert over.step("encode")["subsampling"] == "4:4:4"
    photo = rendered(PHOTO, JPEG, (400, 300))
    assert photo.step("encode") == {"type": JPEG, "quality": "85", "subsampling": "4:2:0"}
    reverse = rendered(make_diagram(), PNG, (400, 300), media_types=(JPEG, PNG))
    assert reverse.value["media_type"] == PNG


def test_a_single_offered_type_is_obeyed() -> None:
    for target in (PNG, JPEG, WEBP):
        for data, media_type in ((make_diagram(), PNG), (PHOTO, JPEG)):
            assert rendered(data, media_type, (400, 300), media_types=(target,)).value["media_type"] == target
    assert rendered(PHOTO, JPEG, (400, 300), media_types=(WEBP, JPEG)).value["media_type"] == WEBP
    with pytest.raises(UnsupportedMedia):
        rendered(PHOTO, JPEG, (400, 300), media_types=(GIF,))


def test_bytes_stay_within_the_limit_by_quality_first_and_by_size_after_that() -> None:
    full = rendered(PHOTO, JPEG, (800, 600))
    tight = rendered(PHOTO, JPEG, (800, 600), max_bytes=len(full.data) * 3 // 4)
    assert len(tight.data) <= len(full.data) * 3 // 4
    assert tight.image.size == (800, 600)
    assert int(tight.step("encode")["quality"]) < 85
    small = rendered(PHOTO, JPEG, (800, 600), max_bytes=6_000)
    assert len(small.data) <= 6_000
    assert small.image.size < (800, 600)
    assert small.step("scale")["to"] == f"{small.image.width}x{small.image.height}"
    assert small.value["scale"]["factor_x"] == 800 / small.image.width
    lossless = rendered(PHOTO, JPEG, (800, 600), media_types=(PNG,), max_bytes=30_000)
    assert len(lossless.data) <= 30_000
    with pytest.raises(MediaTooLarge) as refused:
        rendered(PHOTO, JPEG, (800, 600), max_bytes=200)
    assert refused.value.detail["limit"] == "max_bytes"


@pytest.mark.requirement("SA-18")
@pytest.mark.parametrize("target", [PNG, JPEG, WEBP])
def test_the_same_plan_gives_the_same_bytes(target: str) -> None:
    first = rendered(PHOTO, JPEG, (411, 308), media_types=(target,))
    assert rendered(PHOTO, JPEG, (411, 308), media_types=(target,)).data == first.data


def test_nothing_is_ever_enlarged() -> None:
    made = rendered(make_picture(PNG), PNG, (600, 400))
    assert made.image.size == (120, 80)
    assert "scale" not in made.steps


def test_a_thin_picture_is_padded_with_white_and_says_so() -> None:
    made = rendered(encoded(Image.new("RGB", (300, 5), "navy"), PNG), PNG, (300, 5), min_side_px=28)
    assert made.image.size == (300, 28)
    assert made.pixel(100, 2) == (0, 0, 128)
    assert made.pixel(100, 20) == WHITE
    assert made.step("pad")["with"] == "white"
    assert made.value["scale"]["factor_y"] == 1.0
    assert made.value["scale"]["delivered"] == {"width_px": 300, "height_px": 28}


def test_a_single_pixel_can_be_rendered() -> None:
    made = rendered(make_picture(PNG, width=1, height=1), PNG, (1, 1), min_side_px=28)
    assert made.image.size == (28, 28)


def hidden_words(size: int, step: int) -> Image.Image:
    """White, but for every `step`-th pixel of every `step`-th row: taken alone, those show black words."""
    words = Image.new("L", (size // step, size // step), 255)
    draw = ImageDraw.Draw(words)
    for row in range(0, size // step, 12):
        draw.text((4, row), "SEND THE KEYS", fill=0)
    dots = Image.frombytes(
        "L", (step, step), bytes(255 if at == step * step // 2 + step // 2 else 0 for at in range(step**2))
    )
    mask = Image.new("L", (size, size))
    for left in range(0, size, step):
        mask.paste(dots, (left, 0))
    row = mask.crop((0, 0, size, step))
    for top in range(0, size, step):
        mask.paste(row, (0, top))
    ink = words.point([255 if each < 128 else 0 for each in range(256)]).resize((size, size), Image.Resampling.NEAREST)
    picture = Image.new("L", (size, size), 255)
    picture.paste(0, (0, 0), ImageChops.darker(mask, ink))
    return picture


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("media_type", [PNG, JPEG])
def test_b78_words_hidden_between_pixels_do_not_come_out_of_scaling(media_type: str) -> None:
    source = hidden_words(480, 4)
    naive = source.resize((120, 120), Image.Resampling.NEAREST)
    assert naive.getextrema() == (0, 255)
    made = rendered(encoded(source.convert("RGB"), media_type), media_type, (120, 120), media_types=(PNG,))
    darkest = made.image.convert("L").getextrema()[0]
    assert isinstance(darkest, int)
    assert darkest > 190
    assert made.step("scale")["kernel"] == "lanczos3"


def test_b06_a_line_of_a_tall_screenshot_is_delivered_pixel_for_pixel() -> None:
    data = make_screenshot(height=14_400)
    made = rendered(data, PNG, (1200, 60), crop=(0, 699 * 20 - 20, 1200, 60))
    with Image.open(io.BytesIO(data)) as original:
        wanted = original.crop((0, 699 * 20 - 20, 1200, 699 * 20 + 40))
    assert made.image.convert("RGB").tobytes() == wanted.convert("RGB").tobytes()


def test_damage_and_size_are_refused_when_rendering_too() -> None:
    with pytest.raises(CorruptMedia):
        rendered(cut_short(make_picture(PNG)), PNG, (60, 40))
    with pytest.raises(MediaTooLarge):
        rendered(make_dimension_bomb(121_000, 1_000), PNG, (100, 100))
    with pytest.raises(LocatorOutOfRange):
        rendered(PHOTO, JPEG, (400, 300), page=2)


def test_a_large_jpeg_is_shrunk_while_it_is_decoded() -> None:
    made = rendered(PHOTO, JPEG, (200, 150))
    assert made.step("decode") == {"size": "800x600", "shrink_on_load": "4"}
    part = rendered(PHOTO, JPEG, (100, 75), crop=(301, 200, 400, 300))
    assert "shrink_on_load" not in part.step("decode")
