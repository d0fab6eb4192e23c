"""Attaching: pictures and files become references, and requests get their pictures and paths by them alone."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from eyeline import Eyeline
from eyeline.errors import AttachmentRefused
from eyeline.model.attachment import ImageRef, ImageTarget
from eyeline.model.limits import JPEG, PNG
from eyeline.testing.media import make_picture
from eyeline.wire import dumps, loads

TARGET = ImageTarget(64, 64, 100_000, (PNG, JPEG))


def turned_jpeg(width: int, height: int) -> bytes:
    """A JPEG that lies on its side, with red on the left of what it shows, and the name of a camera in it."""
    image = Image.new("RGB", (width, height), (0, 0, 255))
    image.paste((255, 0, 0), (0, height * 3 // 4, width, height))
    exif = Image.Exif()
    exif[0x0112], exif[0x0110] = 6, "camera of somebody"
    out = io.BytesIO()
    image.save(out, "JPEG", quality=95, exif=exif)
    return out.getvalue()


def looks_like(image: Image.Image, place: tuple[int, int]) -> str:
    """The colour at a place, in a word."""
    colour = image.getpixel(place)
    assert isinstance(colour, tuple)
    return ("red", "green", "blue")[colour.index(max(colour))]


def test_a_picture_is_saved_asked_for_and_found_by_its_reference_alone(tmp_path: Path) -> None:
    data = turned_jpeg(400, 200)
    with Eyeline(tmp_path / "one") as eye:
        ref = eye.attachments.save_image(data, name="/home/somebody/holiday.jpg")
        portable = dumps(ref)
        assert (ref.name, ref.width_px, ref.height_px) == ("holiday.jpg", 200, 400)
        assert (ref.original.byte_count, ref.original.width_px, ref.original.height_px) == (len(data), 200, 400)
        assert eye.attachments.read_original(ref) == data
        sent = eye.attachments.request_image(ref, TARGET)
        assert (sent.size.width_px, sent.size.height_px) == (32, 64)
        shown = Image.open(io.BytesIO(sent.bytes)).convert("RGB")
        assert [looks_like(shown, place) for place in ((3, 32), (28, 32))] == ["red", "blue"]
        path = eye.attachments.image_host_path(ref)
    assert path is not None
    assert str(tmp_path) not in portable
    assert b"camera of somebody" not in Path(path).read_bytes()
    (tmp_path / "one").rename(tmp_path / "two")
    with Eyeline(tmp_path / "two") as eye:
        again = loads(ImageRef, portable)
        assert again == ref
        assert eye.attachments.request_image(again, TARGET) == sent
        moved = eye.attachments.image_host_path(again)
        assert moved == path.replace("/one/", "/two/")
        assert moved is not None
        assert Path(moved).read_bytes() == eye.attachments.read(again)


def test_a_clean_small_picture_is_kept_as_it_is(tmp_path: Path) -> None:
    data = make_picture("image/png", width=40, height=30)
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="dot.png")
        assert eye.attachments.read(ref) == data
        assert ref.attachment_id == ref.original.digest
        assert eye.attachments.request_image(ref, TARGET).bytes == data


def test_a_file_keeps_its_bytes_and_ends_its_path_with_its_name(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_file(b"a,b\n1,2\n", name="../../Table of March.csv")
        path = eye.attachments.file_host_path(ref)
        assert path is not None
        assert Path(path).name == ref.name == "Table of March.csv"
        assert Path(path).read_bytes() == eye.attachments.read(ref) == b"a,b\n1,2\n"


@pytest.mark.parametrize(("data", "refusal"), [(b"", "empty"), (b"<html></html>", "not_a_picture")])
def test_what_is_no_picture_is_refused_by_a_code(data: bytes, refusal: str, tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye, pytest.raises(AttachmentRefused) as caught:
        eye.attachments.save_image(data, name="a.png")
    assert caught.value.detail["refusal"] == refusal
