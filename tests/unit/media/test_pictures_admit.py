from __future__ import annotations

import io
import struct
from typing import Any

import pytest
import pyvips
from PIL import Image
from tests.support.renditions import admitted

from eyeline.errors import StoreError
from eyeline.media import pictures
from eyeline.media.bounded.reader import Reader
from eyeline.media.containers import icc
from eyeline.media.samples import (
    cut_short,
    display_p3,
    encoded,
    end_neatly,
    make_animation,
    make_deep_png,
    make_dimension_bomb,
    make_metadata_bomb,
    make_overlay_gif,
    make_photo,
    make_picture,
    make_png_without_pixels,
    make_raw_png,
    png_chunk,
    with_chunk,
)
from eyeline.model.probe import Probe
from eyeline.wire import validate

PNG, JPEG, WEBP, GIF = "image/png", "image/jpeg", "image/webp", "image/gif"
PHOTO = make_photo(640, 480)


def probe(data: bytes, media_type: str) -> dict[str, Any]:
    answer = admitted(data, media_type)
    assert answer["outcome"] == "admitted", answer
    return answer["probe"]


def patched(data: bytes, place: int, new: bytes) -> bytes:
    return data[:place] + new + data[place + len(new) :]


def lab_profile() -> bytes:
    """A profile that says it is of another kind than any picture's pixels."""
    return patched(display_p3(), 16, b"Lab ")


def srgb_profile() -> bytes:
    """The sRGB profile that libvips carries: not of our own making."""
    return bytes(pyvips.Operation.call("profile_load", "srgb"))


def short(value: object) -> str | None:
    """Names a case by how many bytes it has, not by the bytes."""
    return f"{len(value)}b" if isinstance(value, bytes) else None


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("media_type", [JPEG, PNG, WEBP])
def test_the_size_is_told_after_orientation_from_every_container(orientation: int, media_type: str) -> None:
    found = probe(make_picture(media_type, orientation=orientation), media_type)
    assert found["size"] == {"width_px": 120, "height_px": 80}
    assert found["orientation"] == orientation


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("data", "media_type", "facts"),
    [
        (make_deep_png(), PNG, {"bits": 16, "colour": "grey"}),
        (make_deep_png(levels=(1, 2, 3)), PNG, {"bits": 16, "colour": "srgb"}),
        (make_picture(PNG, mode="LA"), PNG, {"has_alpha": True, "colour": "grey"}),
        (make_picture(PNG, mode="RGBA"), PNG, {"has_alpha": True, "colour": "srgb"}),
        (make_picture(PNG, mode="P"), PNG, {"bits": 8, "colour": "srgb"}),
        (make_picture(PNG, mode="1"), PNG, {"bits": 8, "colour": "grey"}),
        (make_picture(JPEG, mode="CMYK"), JPEG, {"colour": "cmyk"}),
        (make_picture(JPEG, mode="L"), JPEG, {"colour": "grey"}),
        (make_picture(JPEG, profile=display_p3()), JPEG, {"colour": "display_p3"}),
        (make_picture(WEBP, profile=display_p3()), WEBP, {"colour": "display_p3"}),
        (make_animation(GIF), GIF, {"frames": 3}),
        (make_animation(WEBP), WEBP, {"frames": 3}),
        (make_animation(PNG), PNG, {"frames": 3}),
        (make_overlay_gif(), GIF, {"frames": 3}),
        (encoded(Image.new("RGB", (64, 48), "red"), JPEG, progressive=True), JPEG, {"frames": 1}),
        (encoded(Image.new("RGB", (64, 48), "red"), PNG, interlace=1), PNG, {"frames": 1}),
        (PHOTO, JPEG, {"flat": False}),
        (make_picture(PNG), PNG, {"flat": True}),
    ],
    ids=short,
)
def test_what_a_decode_finds_out_is_told(data: bytes, media_type: str, facts: dict[str, object]) -> None:
    found = probe(data, media_type)
    assert {name: found[name] for name in facts} == facts
    assert isinstance(validate(Probe, found), Probe)


@pytest.mark.requirement("SA-12")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (make_picture(PNG), PNG),
        (PHOTO, JPEG),
        (make_picture(WEBP), WEBP),
        (make_picture(JPEG, mode="L"), JPEG),
        (make_picture(PNG, profile=icc.matrix_profile(icc.SRGB_XY)), PNG),
        (make_picture(JPEG, profile=srgb_profile()), JPEG),
    ],
    ids=short,
)
def test_a_picture_of_nothing_but_pixels_is_plain(data: bytes, media_type: str) -> None:
    assert probe(data, media_type)["plain_pixels"] is True


@pytest.mark.requirement("SA-12")
@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (make_picture(JPEG, gps=True), JPEG),
        (make_picture(PNG, gps=True), PNG),
        (make_picture(WEBP, gps=True), WEBP),
        (make_picture(JPEG, orientation=6), JPEG),
        (make_picture(JPEG, profile=display_p3()), JPEG),
        (make_picture(JPEG, mode="CMYK"), JPEG),
        (make_deep_png(), PNG),
        (make_animation(GIF), GIF),
        (make_animation(PNG), PNG),
        (make_picture(PNG) + b"PK\x03\x04 payload", PNG),
        (PHOTO + b"a film behind the picture", JPEG),
        (make_picture(WEBP) + b"more", WEBP),
        (make_picture(GIF) + b"more", GIF),
        (with_chunk(make_picture(PNG), png_chunk(b"tEXt", b"Comment\0note")), PNG),
        (with_chunk(make_picture(PNG), png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x/>")), PNG),
        (with_chunk(make_picture(PNG), png_chunk(b"prVt", b"own data")), PNG),
        (with_chunk(make_picture(PNG), png_chunk(b"gAMA", struct.pack(">I", 100_000))), PNG),
        (encoded(Image.new("RGB", (64, 48)), JPEG, comment="note"), JPEG),
        (make_picture(PNG, profile=icc.matrix_profile(icc.SRGB_XY) + bytes(20_000)), PNG),
    ],
    ids=short,
)
def test_a_picture_that_holds_more_than_pixels_is_not_plain(data: bytes, media_type: str) -> None:
    found = probe(data, media_type)
    assert found.get("plain_pixels", False) is False


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize(
    ("data", "media_type", "outcome"),
    [
        (cut_short(PHOTO), JPEG, "truncated"),
        (cut_short(make_photo(200, 150, media_type=PNG)), PNG, "truncated"),
        (cut_short(make_photo(200, 150, media_type=WEBP)), WEBP, "truncated"),
        (cut_short(make_animation(GIF)), GIF, "truncated"),
        (end_neatly(PHOTO), JPEG, "truncated"),
        (end_neatly(make_photo(640, 480, progressive=True)), JPEG, "truncated"),
        (PHOTO[:300], JPEG, "truncated"),
        (make_picture(PNG)[:20], PNG, "truncated"),
        (make_picture(PNG)[:33], PNG, "truncated"),
        (make_png_without_pixels(), PNG, "malformed"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, PNG, "malformed"),
        (patched(make_picture(PNG), 16, bytes(4)), PNG, "malformed"),
        (patched(make_picture(PNG), 24, b"\x05"), PNG, "malformed"),
        (patched(make_picture(GIF), 6, bytes(2)), GIF, "malformed"),
        (patched(make_picture(PNG), 60, b"\xff" * 30), PNG, "malformed"),
        (PHOTO.replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc9\x00\x11\x08", 1), JPEG, "unsupported"),
        (PHOTO.replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc1\x00\x11\x0c", 1), JPEG, "unsupported"),
        (b"\xff\x0a not here", "image/jxl", "unsupported"),
    ],
    ids=short,
)
def test_damage_has_its_own_right_outcome(data: bytes, media_type: str, outcome: str) -> None:
    answer = admitted(data, media_type)
    assert answer["outcome"] == outcome
    assert answer["reason"]
    assert answer["decoder"]


@pytest.mark.parametrize(
    ("data", "media_type"),
    [(PHOTO[:-2], JPEG), (make_picture(PNG)[:-12], PNG), (make_picture(GIF)[:-1], GIF)],
    ids=short,
)
def test_a_picture_that_only_lacks_its_end_marker_is_admitted_and_says_so(data: bytes, media_type: str) -> None:
    assert probe(data, media_type)["notes"] == ["no_end_marker"]


@pytest.mark.requirement("XC-01")
def test_a_bomb_of_dimensions_is_refused_at_its_header() -> None:
    answer = admitted(make_dimension_bomb(130_000, 1_000), PNG)
    assert answer["outcome"] == "over_pixels"
    assert admitted(make_dimension_bomb(200, 100), PNG, max_pixels=19_999)["outcome"] == "over_pixels"
    assert admitted(make_dimension_bomb(200, 100), PNG, max_pixels=20_000)["outcome"] == "admitted"


def test_too_many_frames_are_refused() -> None:
    for media_type in (GIF, WEBP, PNG):
        assert admitted(make_animation(media_type), media_type, max_frames=2)["outcome"] == "over_frames"
        assert admitted(make_animation(media_type), media_type, max_frames=3)["outcome"] == "admitted"


@pytest.mark.requirement("SA-05")
@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt", b"iCCP"])
def test_metadata_that_explodes_is_dropped_and_the_picture_admitted(kind: bytes) -> None:
    found = probe(make_metadata_bomb(16, kind=kind), PNG)
    assert "metadata_dropped" in found["notes"]
    assert found["plain_pixels"] is False
    assert found["size"] == {"width_px": 120, "height_px": 80}


def test_very_large_metadata_is_dropped_from_each_container() -> None:
    png = with_chunk(make_picture(PNG), png_chunk(b"eXIf", b"MM\0*" + bytes(3 << 20)))
    assert "metadata_dropped" in probe(png, PNG)["notes"]
    segment = b"\xff\xe1\xff\xff" + b"http://ns.adobe.com/xmp/extension/\0".ljust(65533, b"x")
    jpeg = PHOTO[:2] + segment * 20 + PHOTO[2:]
    assert "metadata_dropped" in probe(jpeg, JPEG)["notes"]
    webp = encoded(Image.new("RGB", (64, 48), "red"), WEBP, exif=b"Exif\0\0MM\0*" + bytes(3 << 20))
    assert "metadata_dropped" in probe(webp, WEBP)["notes"]


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (make_picture(PNG, profile=lab_profile()), PNG),
        (make_picture(JPEG, profile=b"not a profile"), JPEG),
        (make_picture(JPEG, mode="L", profile=display_p3()), JPEG),
        (make_picture(JPEG, mode="CMYK", profile=display_p3()), JPEG),
        (make_picture(PNG, profile=display_p3()[:300] + bytes(144)), PNG),
        (with_chunk(make_picture(PNG), png_chunk(b"iCCP", b"name\0\0not deflated")), PNG),
    ],
    ids=short,
)
def test_an_odd_or_broken_profile_is_ignored_with_a_note(data: bytes, media_type: str) -> None:
    assert "profile_ignored" in probe(data, media_type)["notes"]


def test_a_jpeg_with_rubbish_between_its_segments_is_admitted() -> None:
    start = PHOTO.index(b"\xff\xdb")
    assert probe(PHOTO[:start] + b"\x00\x01rubbish" + PHOTO[start:], JPEG)["size"] == {
        "width_px": 640,
        "height_px": 480,
    }


def test_a_trailing_payload_is_noted() -> None:
    assert probe(PHOTO + b"more", JPEG)["notes"] == ["trailing_data"]


def test_palette_colours_with_transparency_count_as_transparent() -> None:
    clear = make_raw_png(
        2, 1, rows=b"\x00\x00\x01", colour_type=3, before=png_chunk(b"PLTE", bytes(6)) + png_chunk(b"tRNS", b"\x00")
    )
    assert probe(clear, PNG)["has_alpha"] is True


def test_a_reader_that_fails_is_no_fault_of_the_picture() -> None:
    def broken(offset: int, length: int) -> bytes:
        if offset + length > 4096:
            raise StoreError("the disk does not answer")
        return PHOTO[offset : offset + length]

    params = {"media_type": JPEG, "max_pixels": 10**8, "max_frames": 10}
    with pytest.raises(StoreError):
        pictures.admit(Reader(broken, size=len(PHOTO)), params, io.BytesIO())
