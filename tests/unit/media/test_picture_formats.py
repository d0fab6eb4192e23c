from __future__ import annotations

import io
import struct
from typing import Any

import pytest
import pyvips
from PIL import Image, ImageDraw
from tests.support.formats import AVIF, BMP, GIF, HEIC, HEIC_FOLDER, ICO, JP2, PNG, TIFF, heic, marked_samples
from tests.support.renditions import Rendered, admitted, is_near, rendered

from eyeline.media.containers import icc
from eyeline.media.sample_pictures import (
    BLUE,
    RED,
    WHITE,
    cut_short,
    display_p3,
    encoded,
    make_exif,
    make_pages,
    make_picture,
    marked,
)

SAMPLES = marked_samples()
GREY = (128, 128, 128)


def probe(data: bytes, media_type: str) -> dict[str, Any]:
    answer = admitted(data, media_type)
    assert answer["outcome"] == "admitted", answer
    return answer["probe"]


def looks_marked(made: Rendered, *, within: int = 12) -> bool:
    width, height = made.image.size
    return (
        is_near(made.pixel(width // 2, 1), RED, within=within)
        and is_near(made.pixel(1, height - 2), BLUE, within=within)
        and is_near(made.pixel(width - 2, height - 2), WHITE, within=within)
    )


def plain(colour: object, mode: str, *, size: tuple[int, int] = (40, 30)) -> Image.Image:
    # Pillow takes a number or a tuple by mode; its stub knows no such rule
    return Image.new(mode, size, colour)  # pyright: ignore[reportArgumentType]


def two_colours() -> Image.Image:
    picture = plain(1, "P")
    picture.putpalette(bytes((255, 0, 0, 0, 0, 255)))
    return picture


def tiff_of(levels: tuple[float, ...], form: str, interpretation: str, **options: Any) -> bytes:
    image = pyvips.Image.black(40, 30, bands=len(levels)).linear([1] * len(levels), list(levels)).cast(form)
    return image.copy(interpretation=interpretation).tiffsave_buffer(**options)


@pytest.mark.requirement("SA-05", "SA-17")
@pytest.mark.parametrize("media_type", sorted(SAMPLES))
def test_a_marked_picture_comes_out_marked_whole_scaled_and_cut(media_type: str) -> None:
    data = SAMPLES[media_type]
    assert probe(data, media_type)["size"] == {"width_px": 120, "height_px": 80}
    assert looks_marked(rendered(data, media_type, (120, 80)))
    assert looks_marked(rendered(data, media_type, (60, 40)))
    detail = rendered(data, media_type, (30, 20), crop=(0, 60, 30, 20))
    assert is_near(detail.pixel(15, 10), BLUE, within=12)
    assert (detail.value["scale"]["offset_x"], detail.value["scale"]["offset_y"]) == (0.0, 60.0)


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("media_type", [TIFF, AVIF, HEIC])
def test_b16_every_orientation_of_tiff_avif_and_heic_has_the_red_edge_on_top(orientation: int, media_type: str) -> None:
    data = heic(orientation) if media_type == HEIC else make_picture(media_type, orientation=orientation)
    found = probe(data, media_type)
    assert found["size"] == {"width_px": 120, "height_px": 80}
    for size in ((120, 80), (60, 40)):
        assert looks_marked(rendered(data, media_type, size))
    corner = rendered(data, media_type, (20, 15), crop=(0, 65, 20, 15))
    assert is_near(corner.pixel(10, 7), BLUE, within=12)
    told = corner.step("decode").get("turned") or ("orient" in corner.steps)
    assert bool(told) is (orientation != 1)


@pytest.mark.parametrize("turned", [1, 6])
def test_b16_an_orientation_in_the_exif_of_a_heic_is_no_second_turn(turned: int) -> None:
    data = heic(turned)
    entry = data.index(struct.pack(">HHI", 0x0112, 3, 1))
    lying = data[: entry + 8] + struct.pack(">H", 8) + data[entry + 10 :]
    assert lying != data
    assert looks_marked(rendered(lying, HEIC, (120, 80)))


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize(
    ("data", "media_type", "colour"),
    [
        (tiff_of((0x8000,), "ushort", "grey16"), TIFF, GREY),
        (tiff_of((0x8000, 0x4000, 0xFFFF), "ushort", "rgb16"), TIFF, (128, 64, 255)),
        (encoded(plain(0x8000, "I;16"), JP2), JP2, GREY),
        (tiff_of((0.5,), "float", "b-w"), TIFF, GREY),
    ],
    ids=["grey-tiff", "rgb-tiff", "grey-jp2", "float-tiff"],
)
def test_deep_samples_are_scaled_and_not_clipped(data: bytes, media_type: str, colour: tuple[int, ...]) -> None:
    made = rendered(data, media_type, (40, 30))
    assert is_near(made.pixel(20, 15), colour, within=1)
    assert ("depth" in made.steps) or made.step("decode")["range"]


def test_numbers_that_are_no_colours_are_stretched_and_that_is_said() -> None:
    ramp = pyvips.Image.xyz(40, 30).extract_band(0).cast("float").linear([250.0], [-3000.0])
    data = ramp.copy(interpretation="b-w").tiffsave_buffer()
    assert "range_stretched" in probe(data, TIFF)["notes"]
    made = rendered(data, TIFF, (40, 30), media_types=(PNG,))
    assert (made.pixel(0, 0), made.pixel(39, 0)) == ((0, 0, 0), (255, 255, 255))
    assert is_near(made.pixel(20, 0), (131, 131, 131), within=2)


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("bits", [8, 16])
def test_b19_ink_red_in_a_tiff_looks_red_with_and_without_its_profile(bits: int) -> None:
    ink = tuple(level * (257 if bits == 16 else 1) for level in (0, 255, 255, 0))
    form = "ushort" if bits == 16 else "uchar"
    profile: Any = bytes(pyvips.Operation.call("profile_load", "cmyk"))
    bare = tiff_of(ink, form, "cmyk")
    image = pyvips.Image.new_from_buffer(bare, "").copy()
    image.set_type(pyvips.GValue.blob_type, "icc-profile-data", profile)
    for data in (bare, image.tiffsave_buffer()):
        assert probe(data, TIFF)["colour"] == "cmyk"
        made = rendered(data, TIFF, (40, 30), media_types=(PNG,))
        red, green, blue = made.pixel(20, 15)
        assert red > 200
        assert max(green, blue) < 80
        assert made.step("colour")["to"] == "srgb"


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("media_type", [TIFF, AVIF])
def test_a_wide_gamut_profile_in_tiff_and_avif_is_converted_through(media_type: str) -> None:
    options: dict[str, Any] = {"quality": 100, "subsampling": "4:4:4"} if media_type == AVIF else {}
    data = encoded(plain((234, 51, 35), "RGB"), media_type, profile=display_p3(), **options)
    assert probe(data, media_type)["colour"] == "display_p3"
    made = rendered(data, media_type, (40, 30), media_types=(PNG,))
    assert is_near(made.pixel(20, 15), (255, 0, 0), within=6)
    assert made.step("colour") == {"from": "display_p3", "to": "srgb", "intent": "relative colorimetric"}


@pytest.mark.requirement("SA-17")
def test_an_adobe_profile_moves_green_where_it_belongs() -> None:
    profile = icc.matrix_profile(icc.ADOBE_XY, gamma=2.2)
    made = rendered(encoded(plain((144, 190, 120), "RGB"), TIFF, profile=profile), TIFF, (40, 30), media_types=(PNG,))
    red, green, blue = made.pixel(20, 15)
    assert red < 132
    assert is_near((green, blue), (190, 118), within=4)


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize("media_type", [TIFF, AVIF, PNG])
@pytest.mark.parametrize(
    "profile", [b"not a profile at all", display_p3()[:200], display_p3().replace(b"RGB ", b"Lab ", 1)]
)
def test_b22_a_profile_that_does_not_fit_is_ignored_and_noted(media_type: str, profile: bytes) -> None:
    data = encoded(marked(120, 80), media_type, profile=profile)
    assert "profile_ignored" in probe(data, media_type)["notes"]
    assert looks_marked(rendered(data, media_type, (120, 80)))


@pytest.mark.requirement("SA-17")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (encoded(plain((255, 0, 0, 0), "RGBA"), TIFF), TIFF),
        (encoded(plain((100, 0), "LA"), TIFF), TIFF),
        (tiff_of((255, 0, 0, 0), "uchar", "srgb", premultiply=True), TIFF),
        (encoded(plain((255, 0, 0, 0), "RGBA"), JP2), JP2),
        (encoded(plain((255, 0, 0, 0), "RGBA"), AVIF), AVIF),
        (encoded(plain((255, 0, 0, 0), "RGBA", size=(64, 64)), ICO), ICO),
        (encoded(plain((255, 0, 0, 0), "RGBA", size=(48, 48)), ICO, bitmap_format="bmp"), ICO),
        (encoded(two_colours(), PNG, transparency=b"\xff\x00"), PNG),
        (encoded(plain(1, "P"), GIF, transparency=1), GIF),
        (b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>', "image/svg+xml"),
    ],
    ids=["tiff", "tiff-la", "tiff-premultiplied", "jp2", "avif", "ico-png", "ico-bmp", "png-palette", "gif", "svg"],
)
def test_what_is_transparent_comes_on_white_and_that_is_said(data: bytes, media_type: str) -> None:
    found = probe(data, media_type)
    assert found["has_alpha"] is True
    size = (found["size"]["width_px"], found["size"]["height_px"])
    made = rendered(data, media_type, size)
    assert made.pixel(size[0] // 2, size[1] // 2) == WHITE
    assert made.step("flatten") == {"background": "white"}


def test_the_alpha_of_a_heic_comes_on_white_by_its_amount() -> None:
    data = (HEIC_FOLDER / "transparent.heic").read_bytes()
    assert probe(data, HEIC)["has_alpha"] is True
    made = rendered(data, HEIC, (120, 80))
    assert is_near(made.pixel(60, 1), WHITE, within=6)
    assert is_near(made.pixel(1, 78), BLUE, within=10)


def test_a_fourth_channel_of_no_meaning_is_left_out() -> None:
    data = bytearray(encoded(plain((10, 200, 30, 0), "RGBA"), TIFF))
    place = data.index(struct.pack("<HHI", 338, 3, 1))
    data[place + 8 : place + 10] = struct.pack("<H", 0)
    assert probe(bytes(data), TIFF)["has_alpha"] is False
    assert rendered(bytes(data), TIFF, (40, 30), media_types=(PNG,)).pixel(20, 15) == (10, 200, 30)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
@pytest.mark.parametrize("media_type", [TIFF, BMP])
def test_every_kind_of_pixel_of_tiff_and_bmp_is_read(mode: str, media_type: str) -> None:
    picture = marked(120, 80).convert(mode)
    made = rendered(encoded(picture, media_type), media_type, (120, 80), media_types=(PNG,))
    for place in ((60, 1), (1, 78), (118, 78)):
        assert made.pixel(*place) == tuple(picture.convert("RGB").crop((*place, place[0] + 1, place[1] + 1)).tobytes())


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg", "group4"])
def test_every_usual_compression_of_a_tiff_is_read(compression: str) -> None:
    picture = marked(120, 80).convert("1" if compression == "group4" else "RGB")
    made = rendered(encoded(picture, TIFF, compression=compression), TIFF, (120, 80))
    assert is_near(made.pixel(118, 78), WHITE, within=6)
    expected = picture.convert("RGB").crop((60, 1, 61, 2)).tobytes()
    assert is_near(made.pixel(60, 1), tuple(expected), within=12)


def test_a_tiled_pyramid_is_one_page_and_its_region_comes_from_the_finest_level() -> None:
    buffer = io.BytesIO()
    marked(1200, 800).save(buffer, "PNG")
    finest = pyvips.Image.new_from_buffer(buffer.getvalue(), "")
    data = finest.tiffsave_buffer(tile=True, pyramid=True, compression="deflate")
    found = probe(data, TIFF)
    assert (found["frames"], found["size"]) == (1, {"width_px": 1200, "height_px": 800})
    detail = rendered(data, TIFF, (302, 10), crop=(0, 700, 302, 10), media_types=(PNG,))
    assert [detail.pixel(x, 5) for x in (299, 300, 301)] == [BLUE, BLUE, WHITE]


def test_a_big_tiff_is_read() -> None:
    data = tiff_of((10, 20, 30), "uchar", "srgb", bigtiff=True)
    assert data[2:4] == b"+\x00"
    assert rendered(data, TIFF, (40, 30), media_types=(PNG,)).pixel(1, 1) == (10, 20, 30)


@pytest.mark.requirement("SA-16")
def test_b24_pages_of_a_tiff_keep_their_own_size_turn_and_colour() -> None:
    upright, turned = marked(120, 80), marked(90, 200).transpose(Image.Transpose.ROTATE_90)
    pages = [upright, turned, plain(77, "L", size=(33, 44))]
    data = bytearray(make_pages(pages, tiffinfo={274: 1}))
    second = data.index(struct.pack("<HHI", 274, 3, 1), data.index(struct.pack("<HHI", 274, 3, 1)) + 12)
    data[second + 8 : second + 10] = struct.pack("<H", 6)
    found = probe(bytes(data), TIFF)
    assert (found["frames"], found["frames_are_pages"], found["duration_ms"]) == (3, True, None)
    assert [(each["width_px"], each["height_px"]) for each in found["frame_sizes"]] == [(120, 80), (90, 200), (33, 44)]
    assert looks_marked(rendered(bytes(data), TIFF, (120, 80), frame=1))
    assert looks_marked(rendered(bytes(data), TIFF, (90, 200), frame=2))
    third = rendered(bytes(data), TIFF, (33, 44), frame=3)
    assert third.pixel(16, 20) == (77, 77, 77)
    assert third.step("decode")["page"] == "3 of 3"


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(("form", "extra"), [("png", {}), ("bmp", {"bitmap_format": "bmp"})])
def test_b25_the_largest_picture_of_an_icon_is_the_one_delivered(form: str, extra: dict[str, Any]) -> None:
    del form
    sizes = [(16, 16), (128, 128), (48, 48)]
    data = encoded(marked(128, 128), ICO, sizes=sizes, **extra)
    assert probe(data, ICO)["size"] == {"width_px": 128, "height_px": 128}
    assert looks_marked(rendered(data, ICO, (128, 128)))


def test_b25_a_torn_picture_of_an_icon_does_not_cost_the_others() -> None:
    data = bytearray(encoded(marked(128, 128), ICO, sizes=[(16, 16), (128, 128)]))
    places = [struct.unpack_from("<I", data, 6 + 16 * index + 12)[0] for index in range(2)]
    data[max(places) + 8 : max(places) + 30] = bytes(22)
    assert probe(bytes(data), ICO)["size"] == {"width_px": 16, "height_px": 16}


def test_a_cursor_is_read_as_the_icon_it_is() -> None:
    data = bytearray(encoded(marked(32, 32), ICO, sizes=[(32, 32)]))
    data[2] = 2
    assert looks_marked(rendered(bytes(data), ICO, (32, 32)))


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize("media_type", [TIFF, BMP, ICO, AVIF, HEIC, JP2])
def test_b11_a_file_that_is_cut_is_truncated_in_every_format(media_type: str) -> None:
    data = SAMPLES[media_type]
    for share in (0.5, 0.9):
        assert admitted(cut_short(data, share=share), media_type)["outcome"] == "truncated"


@pytest.mark.parametrize("media_type", sorted(SAMPLES))
def test_b26_more_pixels_than_allowed_are_refused_from_the_header_alone(media_type: str) -> None:
    if media_type == "image/svg+xml":
        return
    assert admitted(SAMPLES[media_type], media_type, max_pixels=120 * 80 - 1)["outcome"] == "over_pixels"


def test_the_largest_page_counts_against_the_pixels_and_all_pages_against_the_frames() -> None:
    data = make_pages([marked(10, 10), marked(100, 100), marked(10, 10)])
    assert admitted(data, TIFF, max_pixels=9_999)["outcome"] == "over_pixels"
    assert admitted(data, TIFF, max_frames=2)["outcome"] == "over_frames"
    assert admitted(data, TIFF, max_frames=3, max_pixels=10_000)["outcome"] == "admitted"


def test_directories_in_a_circle_end() -> None:
    data = bytearray(make_pages([marked(20, 10), marked(20, 10)]))
    first = struct.unpack_from("<I", data, 4)[0]
    count = struct.unpack_from("<H", data, first)[0]
    struct.pack_into("<I", data, first + 2 + 12 * count, first)
    found = probe(bytes(data), TIFF)
    assert found["frames"] == 1
    assert "directories_left_out" in found["notes"]


@pytest.mark.parametrize("compression", ["zstd", "lzma"])
def test_a_coding_that_is_not_built_in_is_unsupported_and_not_called_damage(compression: str) -> None:
    assert admitted(encoded(marked(60, 40), TIFF, compression=compression), TIFF)["outcome"] == "unsupported"


@pytest.mark.parametrize("media_type", [TIFF, AVIF])
def test_place_and_other_metadata_do_not_leave_and_what_was_removed_is_said(media_type: str) -> None:
    exif = make_exif(gps=True)
    made = rendered(encoded(marked(60, 40), media_type, exif=exif), media_type, (60, 40))
    assert "gps" in made.step("strip")["removed"]
    assert b"Sample One" not in made.data


def test_a_screenshot_stays_lossless_and_sharp_from_every_lossless_format() -> None:
    picture = Image.new("RGB", (300, 120), "white")
    ImageDraw.Draw(picture).text((10, 40), "sharp 0123 edges", fill=(20, 30, 40))
    for media_type in (TIFF, BMP, JP2):
        made = rendered(encoded(picture, media_type), media_type, (300, 120))
        assert made.value["media_type"] == PNG
        assert made.image.convert("RGB").tobytes() == picture.tobytes()
