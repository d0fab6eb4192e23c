"""Attaching: pictures and files become references, and requests get their pictures and paths by them alone."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo
from tests.support.cli import invoke

from eyeline import Eyeline, Settings
from eyeline.catalog.attachments import reference_of
from eyeline.errors import AttachmentRefused, IntegrityError, InvalidReference, PathRefused
from eyeline.media import engines
from eyeline.media.containers import icc
from eyeline.model.attachment import AttachmentLimits, AttachmentRef, FileRef, ImageRef, ImageTarget
from eyeline.model.limits import JPEG, PNG
from eyeline.model.media_type import MediaType
from eyeline.model.plan import RenditionPlan
from eyeline.model.rendition import Rendition
from eyeline.render.renditions import Renditions
from eyeline.request.attachments import AttachmentStore, Upload
from eyeline.request.rebuilding import Rebuilt
from eyeline.testing.media import make_photo, make_picture
from eyeline.wire import dumps, loads, validate

TARGET = ImageTarget(64, 64, 100_000, (PNG, JPEG))


def turned_jpeg(width: int, height: int) -> bytes:
    """A JPEG that lies on its side, with red on the left of what it shows, and the name of a camera in it."""
    image = Image.new("RGB", (width, height), (0, 0, 255))
    image.paste((255, 0, 0), (0, height * 3 // 4, width, height))
    exif = Image.Exif()
    exif[0x0112], exif[0x0110] = 6, "camera of somebody"
    return saved(image, "JPEG", quality=95, exif=exif)


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    """A picture as a file."""
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def shown(data: bytes) -> Image.Image:
    """A file as a picture."""
    return Image.open(io.BytesIO(data))


def looks_like(image: Image.Image, place: tuple[int, int]) -> str:
    """The colour at a place, in a word."""
    colour = image.convert("RGB").getpixel(place)
    assert isinstance(colour, tuple)
    return ("red", "green", "blue")[colour.index(max(colour))]


@pytest.mark.requirement("AT-01")
@pytest.mark.requirement("AT-02")
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
        assert [looks_like(shown(sent.bytes), place) for place in ((3, 32), (28, 32))] == ["red", "blue"]
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


@pytest.mark.requirement("AT-04")
def test_what_is_published_is_the_owners_alone_to_read_also_when_it_comes_again(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        picture, file = Upload(turned_jpeg(40, 20), "a.jpg"), Upload(b"words", "b.txt")
        image, text = eye.attachments.save([picture, file])
        paths = [path for path in (tmp_path / "attachments").rglob("*") if path.is_file()]
        paths[0].chmod(0o644)
        assert eye.attachments.save([picture, file]) == [image, text]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o400}
    assert {path.stat().st_nlink for path in paths} == {1}
    folders = [path for path in (tmp_path / "attachments").rglob("*") if path.is_dir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (*folders, tmp_path / "attachments")} == {0o700}
    assert [*(tmp_path / "attachments/v1/staging").iterdir()] == []


def display_p3() -> bytes:
    """A red of Display P3, which is redder than the same numbers in sRGB."""
    made, known = icc.from_code_points(12, 13)
    assert known
    assert made is not None
    return saved(Image.new("RGB", (60, 40), (200, 80, 80)), "PNG", icc_profile=made)


@pytest.mark.requirement("AT-03")
def test_normalising_converts_through_the_embedded_profile(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(display_p3(), name="wide.png")
        kept = shown(eye.attachments.read(ref))
    colour = kept.convert("RGB").getpixel((30, 20))
    assert "icc_profile" not in kept.info
    assert isinstance(colour, tuple)
    assert colour[0] > 208
    assert max(colour[1:]) < 80


@pytest.mark.requirement("AT-03")
def test_normalising_keeps_what_is_transparent_and_drops_what_is_said_beside_it(tmp_path: Path) -> None:
    image = Image.new("RGBA", (5000, 40), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((0, 0, 2500, 40), fill=(255, 0, 0, 255))
    exif, words = Image.Exif(), PngInfo()
    exif[0x0110], exif[0x013B] = "camera of somebody", "somebody"
    words.add_text("Comment", "said beside it")
    words.add_itxt("XML:com.adobe.xmp", "<x>said in XMP</x>")
    data = saved(image, "PNG", exif=exif, pnginfo=words)
    said = (b"camera of somebody", b"said beside it", b"said in XMP", b"eXIf", b"tEXt", b"iTXt")
    assert [each for each in said if each not in data] == []
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="wide.png")
        assert [each for each in said if each in eye.attachments.read(ref)] == []
        kept = shown(eye.attachments.read(ref))
        sent = shown(eye.attachments.request_image(ref, TARGET).bytes).convert("RGB")
    assert (ref.has_alpha, kept.mode, kept.size, ref.original.width_px) == (True, "RGBA", (4096, 33), 5000)
    assert [kept.getpixel((x, 16)) for x in (100, 4000)] == [(255, 0, 0, 255), (0, 0, 0, 0)]
    assert sent.getpixel((60, 0)) == (255, 255, 255)


def upright_jpeg(**options: Any) -> bytes:
    """A JPEG of a camera that lies as it should, with all that cameras and programs say beside a picture."""
    exif = Image.Exif()
    exif[0x0112], exif[0x0110] = 1, "camera of somebody"
    exif.get_ifd(0x8825)[1] = "N"
    return saved(
        shown(make_photo(300, 200)).convert(options.pop("mode", "RGB")),
        "JPEG",
        quality=95,
        exif=exif,
        xmp=b"<x>said in XMP</x>",
        comment="said beside it",
        **options,
    )


@pytest.mark.requirement("AT-03")
@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"mode": "L"}], ids=["baseline", "progressive", "grey"])
def test_an_upright_jpeg_in_srgb_loses_its_metadata_and_nothing_else(options: dict[str, Any], tmp_path: Path) -> None:
    data = upright_jpeg(**options)
    said = (b"camera of somebody", b"said in XMP", b"said beside it", b"Exif")
    assert [each for each in said if each not in data] == []
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="a.jpg")
        kept = eye.attachments.read(ref)
        assert eye.attachments.read_original(ref) == data
        assert (str(ref.media_type), ref.original.byte_count) == ("image/jpeg", len(data))
        assert eye.attachments.save_image(kept, name="b.jpg").attachment_id == ref.attachment_id
    assert [each for each in said if each in kept] == []
    assert shown(kept).tobytes() == shown(data).tobytes()


@pytest.mark.requirement("AT-03")
def test_a_jpeg_with_a_picture_hidden_beside_its_pixels_keeps_only_the_pixels(tmp_path: Path) -> None:
    small = saved(Image.new("RGB", (9, 9), (255, 0, 0)), "JPEG", comment="said in the small one")
    data = upright_jpeg()
    inside = b"JFXX\x00\x10" + small
    hidden = data[:20] + b"\xff\xe0" + (len(inside) + 2).to_bytes(2, "big") + inside + data[20:]
    for each in (hidden, data + small):
        with Eyeline(tmp_path) as eye:
            kept = eye.attachments.read(eye.attachments.save_image(each, name="a.jpg"))
        assert b"said in the small one" in each
        assert b"said in the small one" not in kept
        assert shown(kept).size == (300, 200)


@pytest.mark.requirement("AT-03")
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(make_picture("image/png", width=40, height=30), id="png"),
        pytest.param(make_picture("image/jpeg", width=40, height=30), id="jpeg"),
        pytest.param(make_picture("image/webp", width=40, height=30), id="webp"),
    ],
)
def test_a_clean_small_picture_passes_unchanged(data: bytes, tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="dot")
        assert eye.attachments.read(ref) == data
        assert ref.attachment_id == ref.original.digest


@pytest.mark.requirement("AT-03")
def test_an_animation_is_kept_and_its_first_frame_is_the_picture(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (40, 30), colour) for colour in ("red", "lime", "blue")]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100)
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="three.gif")
        assert (ref.original.frames, str(ref.media_type)) == (3, "image/png")
        assert looks_like(shown(eye.attachments.read(ref)), (20, 15)) == "red"
        assert eye.attachments.read_original(ref) == data


@pytest.mark.requirement("AT-05")
def test_code_in_a_screenshot_stays_sharp(tmp_path: Path) -> None:
    page = Image.new("RGB", (1200, 800), (30, 30, 30))
    draw = ImageDraw.Draw(page)
    for line in range(40):
        draw.text((20, 10 + line * 19), f"def attach_{line}(data: bytes) -> Ref:  # line {line}", fill=(220, 220, 170))
    wide = ImageTarget(1568, 1568, 3_750_000, (PNG, JPEG))
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(saved(page, "BMP"), name="code.bmp")
        sent = eye.attachments.request_image(ref, wide)
        half = eye.attachments.request_image(ref, ImageTarget(600, 600, 3_750_000, (JPEG, PNG)))
    assert shown(sent.bytes).convert("RGB").tobytes() == page.tobytes()
    assert (str(half.media_type), half.size.width_px) == ("image/png", 600)


@pytest.mark.requirement("AT-06")
def test_the_host_path_follows_from_the_reference_and_looks_at_no_disk(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(make_picture("image/png", width=4, height=3), name="a.png")
        path = eye.attachments.image_host_path(ref)
        assert path == str(tmp_path / "attachments/v1" / ref.attachment_id.hex[:2] / f"{ref.attachment_id.hex}.png")
        eye.attachments.delete(ref)
        assert eye.attachments.image_host_path(ref) == path
        plain = json.loads(dumps(ref))
        odd = validate(ImageRef, {**plain, "media_type": "text/html"})
        with pytest.raises(InvalidReference):
            eye.attachments.image_host_path(odd)


def test_a_file_keeps_its_bytes_and_ends_its_path_with_its_name(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_file(b"a,b\n1,2\n", name="../../Table of March.csv")
        path = eye.attachments.file_host_path(ref)
        assert path is not None
        assert Path(path).name == ref.name == "Table of March.csv"
        assert Path(path).read_bytes() == eye.attachments.read(ref) == b"a,b\n1,2\n"


def other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "ENGINE_REVISION", "another release")


@pytest.mark.requirement("AT-15")
@pytest.mark.requirement("AT-05")
def test_a_recorded_variant_outlives_an_engine_and_its_id_names_what_made_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(make_picture("image/jpeg", width=200, height=100), name="a.jpg")
        before = eye.attachments.request_image(ref, TARGET)
        other_engine(monkeypatch)
        assert eye.attachments.request_image(ref, TARGET) == before
    with Eyeline(tmp_path) as eye:
        assert eye.attachments.request_image(ref, TARGET) == before
        wider = eye.attachments.request_image(ref, ImageTarget(100, 64, 100_000, (PNG, JPEG)))
        assert wider.variant_id != before.variant_id
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.unlink()
    with Eyeline(tmp_path) as eye:
        after = eye.attachments.request_image(ref, TARGET)
    assert (after.bytes, after.variant_id != before.variant_id) == (before.bytes, True)


@pytest.mark.requirement("AT-05")
def test_one_of_many_callers_makes_a_variant_and_the_cache_may_go_at_any_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, plans = Renditions.make, list[RenditionPlan]()

    def counted(renditions: Renditions, source: Any, plan: RenditionPlan, **options: Any) -> Rendition:
        plans.append(plan)
        return make(renditions, source, plan, **options)

    with Eyeline(tmp_path) as eye, Eyeline(tmp_path) as other:
        ref = eye.attachments.save_image(make_picture("image/jpeg", width=200, height=100), name="a.jpg")
        monkeypatch.setattr(Renditions, "make", counted)
        with ThreadPoolExecutor(8) as threads:
            asked = [threads.submit((eye, other)[n % 2].attachments.request_image, ref, TARGET) for n in range(8)]
            made = {each.result().variant_id: each.result() for each in asked}
        assert (len(made), len(plans)) == (1, 1)
        cached = [path for path in (tmp_path / "cache/requests").rglob("*") if path.is_file()]
        assert len(cached) == 1
        cached[0].write_bytes(cached[0].read_bytes()[:-1])
        assert eye.attachments.request_image(ref, TARGET) == next(iter(made.values()))
        assert len(plans) == 2
        eye.attachments.delete(ref)
        assert not [path for path in (tmp_path / "cache/requests").rglob("*") if path.is_file()]


@pytest.mark.parametrize(("data", "refusal"), [(b"", "empty"), (b"<html></html>", "not_a_picture")])
def test_what_is_no_picture_is_refused_by_a_code(data: bytes, refusal: str, tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye, pytest.raises(AttachmentRefused) as caught:
        eye.attachments.save_image(data, name="a.png")
    assert caught.value.detail["refusal"] == refusal


def attach(home: Path, *arguments: str | Path) -> Result:
    """The command over a home."""
    return invoke(home, "attach", *map(str, arguments))


@pytest.mark.requirement("AT-19")
def test_the_command_attaches_all_files_or_none_and_lists_what_is_kept(tmp_path: Path) -> None:
    inbox, home = tmp_path / "inbox", tmp_path / "home"
    inbox.mkdir()
    (inbox / "a.png").write_bytes(make_picture("image/png", width=4, height=3))
    (inbox / "b.csv").write_text("a,b\n")
    (inbox / "c.png").write_bytes(make_picture("image/png", width=200, height=150)[:200])
    answer = attach(home, inbox / "a.png", inbox / "b.csv", "--hold", "talk")
    assert answer.exit_code == 0
    refs = json.loads(answer.stdout)["references"]
    assert [(ref["kind"], ref["name"]) for ref in refs] == [("image", "a.png"), ("file", "b.csv")]
    failed = attach(home, inbox / "a.png", inbox / "c.png")
    assert (failed.exit_code, failed.stdout) == (14, "")
    assert "c.png" in failed.stderr
    assert str(tmp_path) not in failed.stderr
    assert json.loads(attach(home, "--collect", "0").stdout)["attachments"] == 0
    listed = [json.loads(line) for line in attach(home, "--list").stdout.splitlines()]
    assert [(entry["ref"], entry["holders"]) for entry in listed] == sorted(
        [(ref, ["talk"]) for ref in refs], key=lambda pair: refs_digest(pair[0])
    )
    assert json.loads(attach(home, "--release", "talk", "--collect", "0").stdout)["attachments"] == 2
    assert attach(home, "--list").stdout == ""


def refs_digest(plain: dict[str, object]) -> str:
    """The order in which attachments of one instant are listed."""
    kind = FileRef if plain["kind"] == "file" else ImageRef
    return reference_of(validate(kind, plain)).hex


def test_paths_that_are_no_files_attach_nothing(tmp_path: Path) -> None:
    with Eyeline(tmp_path / "home") as eye:
        with pytest.raises(PathRefused):
            eye.attach(tmp_path / "missing.png")
        assert [*eye.attachments.list()] == []


@pytest.mark.requirement("AT-19")
def test_a_collection_at_the_worst_moment_takes_nothing_that_is_attached_for_a_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"words")
    save = AttachmentStore.save

    def save_and_collect(store: AttachmentStore, *args: Any, **options: Any) -> list[AttachmentRef]:
        refs = save(store, *args, **options)
        store.collect(grace_ms=0)
        return refs

    monkeypatch.setattr(AttachmentStore, "save", save_and_collect)
    with Eyeline(tmp_path / "home") as eye:
        (ref,) = eye.attach(tmp_path / "a.txt", holder="talk").references
        assert eye.attachments.read(ref) == b"words"


def missing(home: Path, ref: AttachmentRef) -> None:
    path_of(home, ref).unlink()


def damaged(home: Path, ref: AttachmentRef) -> None:
    path = path_of(home, ref)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-1])
    path.chmod(0o400)


def opened_up(home: Path, ref: AttachmentRef) -> None:
    path_of(home, ref).chmod(0o644)


def orphaned(home: Path, ref: AttachmentRef) -> None:
    path = path_of(home, ref)
    other = path.with_name(path.name.replace(ref.attachment_id.hex[2:6], "0000"))
    other.write_bytes(b"loose")
    other.chmod(0o400)


def strange(home: Path, ref: AttachmentRef) -> None:
    (home / "attachments/v1/notes.txt").write_text("mine")


def path_of(home: Path, ref: AttachmentRef) -> Path:
    with Eyeline(home) as eye:
        assert isinstance(ref, ImageRef)
        return Path(eye.attachments.image_host_path(ref) or "")


@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize(
    ("harm", "found", "is_left"),
    [
        (missing, "attachment_missing", True),
        (damaged, "attachment_damaged", True),
        (opened_up, "wrong_mode", False),
        (orphaned, "orphan_attachment", False),
        (strange, "stray_file", True),
    ],
)
def test_a_check_names_what_is_wrong_with_attachments(
    harm: Callable[[Path, AttachmentRef], None], found: str, is_left: bool, tmp_path: Path
) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(make_picture("image/png", width=4, height=3), name="a.png")
        assert eye.check(grace_ms=0).clean
    harm(tmp_path, ref)
    with Eyeline(tmp_path) as eye:
        assert [each.code.value for each in eye.check(grace_ms=0).findings] == [found]
        eye.check(repair=True, grace_ms=0)
        assert [each.code.value for each in eye.check(grace_ms=0).findings] == [found] * is_left


@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize(("harm", "code"), [(missing, "attachment_missing"), (damaged, "attachment_damaged")])
def test_a_repair_makes_a_normalised_object_again_from_its_upload_where_the_bytes_come_out_the_same(
    harm: Callable[[Path, AttachmentRef], None], code: str, tmp_path: Path
) -> None:
    def told(*, repair: bool, **limits: int) -> list[tuple[str, bool]]:
        settings = Settings(attachments=AttachmentLimits(**limits))
        with Eyeline(tmp_path, settings=settings) as eye:
            return [(each.code.value, each.repaired) for each in eye.check(repair=repair, grace_ms=0).findings]

    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(turned_jpeg(400, 200), name="a.jpg")
        kept = eye.attachments.read(ref)
    harm(tmp_path, ref)
    assert told(repair=False) == [(code, False)]
    assert told(repair=True, max_normalised_side_px=100) == [(code, False)]
    assert told(repair=True) == [(code, True)]
    assert told(repair=False) == []
    assert path_of(tmp_path, ref).read_bytes() == kept
    assert stat.S_IMODE(path_of(tmp_path, ref).stat().st_mode) == 0o400


@pytest.mark.requirement("XC-02")
def test_a_repair_says_why_a_normalised_object_is_not_made_again(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        turned = eye.attachments.save_image(turned_jpeg(40, 20), name="a.jpg")
        own = eye.attachments.save_image(make_picture("image/png", width=4, height=3), name="a.png")
    for ref in (turned, own):
        missing(tmp_path, ref)
    with Eyeline(tmp_path) as eye:
        Path(eye.attachments.original_host_path(turned) or "").unlink()
        findings = eye.check(repair=True, grace_ms=0).findings
    assert {each.code.value for each in findings} == {"attachment_missing"}
    said = {each.message.partition(": ")[2] for each in findings if not each.repaired}
    assert said == {Rebuilt.LOST, Rebuilt.NO_UPLOAD}


@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize("below", ["attachments", "blobs"])
def test_a_check_goes_on_where_writers_come_and_go(below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Eyeline(tmp_path) as eye:
        eye.attachments.save_file(b"words", name="a.txt")
        eye.ingest(make_note(tmp_path / "note.txt"))
        shard = next(path for path in sorted((tmp_path / below / "v1").rglob("??")) if path.is_dir())
        fleeting = [
            tmp_path / below / "v1/staging" / "0123",
            shard / (shard.name * 32),
            shard / f"{shard.name * 32}.png",
        ]
        for path in fleeting:
            path.write_bytes(b"half")
        lstat = Path.lstat

        def gone_by_then(path: Path) -> os.stat_result:
            if path in fleeting:
                path.unlink(missing_ok=True)
            return lstat(path)

        monkeypatch.setattr(Path, "lstat", gone_by_then)
        findings = [each.code.value for each in eye.check(grace_ms=0).findings]
    assert {*findings} <= {"stray_file", "orphan_blob"}
    assert not fleeting[0].exists()


def make_note(path: Path) -> Path:
    path.write_text("words")
    return path


def test_a_damaged_object_is_never_written_over_nor_answered(tmp_path: Path) -> None:
    data = make_picture("image/png", width=4, height=3)
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(data, name="a.png")
        damaged(tmp_path, ref)
        for call in (lambda: eye.attachments.save_image(data), lambda: eye.attachments.read(ref)):
            with pytest.raises(IntegrityError):
                call()


def test_a_name_from_outside_never_becomes_a_media_type(tmp_path: Path) -> None:
    with Eyeline(tmp_path) as eye:
        ref = eye.attachments.save_image(make_picture("image/jpeg", width=4, height=3), name="a.png")
    assert ref.media_type == MediaType("image/jpeg")
