"""The OCR lane in the bounded child: what it reads, where it says it stands, and what it says when it cannot."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFilter
from tests.support.lettering import LETTER, TURNS, as_png, error_rate, font, written

from eyeline.convert.lanes import OcrReading, run_ocr
from eyeline.convert.ocr_lane import TesseractOcr, ocr_read_paths
from eyeline.errors import Cancelled, LocatorOutOfRange, MissingDependency
from eyeline.media.bounded.job import BytesSource
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import OCR_ENGINE
from eyeline.media.ocr_models import find_models
from eyeline.media.sample_pdf import SamplePage, SamplePicture, make_pdf
from eyeline.media.sample_pictures import encoded, make_photo, make_picture, make_screenshot, screenshot_line
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.toolkit.cancel import CancelToken

PNG, JPEG, PDF = MediaType("image/png"), MediaType("image/jpeg"), MediaType("application/pdf")


def long(*values: float) -> object:
    """Values of a test that are left to `make torture`: what they prove, others prove in less time."""
    return pytest.param(*values, marks=pytest.mark.torture)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder of models: the English one under another name, and one that is damaged."""
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(find_models(("eng",))[0].path, folder / "xyz.traineddata")
    (folder / "bad.traineddata").write_bytes(b"no model" * 1000)
    return folder


@pytest.fixture(scope="module")
def pool(models: Path) -> Iterator[BoundedPool]:
    with BoundedPool(read_paths=ocr_read_paths(models), max_parallel=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def engine(pool: BoundedPool) -> TesseractOcr:
    return TesseractOcr(pool)


def read(engine: TesseractOcr, picture: Image.Image | bytes, *, media_type: MediaType = PNG) -> OcrReading:
    data = picture if isinstance(picture, bytes) else as_png(picture)
    return engine.recognise(BytesSource(data), media_type=media_type)


def texts(reading: OcrReading) -> list[str]:
    return [line.text for line in reading.lines]


@pytest.mark.parametrize(
    ("size_px", "worst"), [(10, 0.03), (24, 0.0), (60, 0.01), *(long(size, 0.01) for size in (12, 100))]
)
def test_small_and_large_text_is_read(engine: TesseractOcr, size_px: int, worst: float) -> None:
    reading = read(engine, written(size_px=size_px))
    assert error_rate(texts(reading)) <= worst
    assert reading.rotation == 0
    assert reading.complete


@pytest.mark.parametrize(("ink", "ground"), [(230, 20), (150, 185)], ids=["dark-mode", "faint"])
@pytest.mark.parametrize(("size_px", "worst"), [(10, 0.03), long(12, 0.01), long(24, 0.0)])
def test_light_on_dark_and_faint_text_is_read(
    engine: TesseractOcr, size_px: int, worst: float, *, ink: int, ground: int
) -> None:
    reading = read(engine, written(size_px=size_px, ink=ink, ground=ground))
    assert error_rate(texts(reading)) <= worst
    assert reading.rotation == 0
    assert reading.complete


def test_a_box_surrounds_its_line_in_pixels_of_the_picture(engine: TesseractOcr) -> None:
    picture = written(size_px=24)
    reading = read(engine, picture)
    assert (reading.width, reading.height) == picture.size
    assert len(reading.lines) == len(LETTER)
    for row, line in enumerate(reading.lines):
        x, y, w, h = line.box
        inside = picture.crop((int(x), int(y), int(x + w), int(y + h)))
        assert inside.getextrema() == (0, 255)
        assert 40 + row * 38 - 4 <= y
        assert y + h <= 40 + (row + 1) * 38
        assert abs(w - font(24).getlength(LETTER[row])) < 6


@pytest.mark.parametrize("turn", [90, 180, long(270)])
def test_a_scan_that_lies_on_its_side_is_read_and_its_boxes_stand_where_they_are(
    engine: TesseractOcr, turn: int
) -> None:
    upright = written(size_px=24)
    turned = upright.transpose(TURNS[turn])
    reading = read(engine, turned)
    assert reading.rotation == turn
    assert (reading.width, reading.height) == turned.size
    assert error_rate(texts(reading)) == 0.0
    x, y, w, h = reading.lines[0].box
    back = turned.crop((int(x), int(y), int(x + w), int(y + h))).transpose(TURNS[360 - turn])
    straight = read(engine, upright).lines[0].box
    assert abs(back.width - straight[2]) <= 4
    assert abs(back.height - straight[3]) <= 4
    assert back.getextrema() == (0, 255)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_two_words_on_their_side_are_read_too(engine: TesseractOcr, turn: int) -> None:
    reading = read(engine, written(["EXIT ONLY"]).transpose(TURNS[turn]))
    assert (texts(reading), reading.rotation) == (["EXIT ONLY"], turn)


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_the_orientation_in_the_file_is_applied_before_anything_is_read(engine: TesseractOcr, orientation: int) -> None:
    picture = written(size_px=24)
    reading = read(engine, encoded(picture.convert("RGB"), "image/jpeg", orientation=orientation), media_type=JPEG)
    assert (reading.rotation, reading.width, reading.height) == (0, *picture.size)
    assert texts(reading) == list(LETTER)


def test_one_screen_of_dark_and_light_parts_is_read_as_a_whole(engine: TesseractOcr) -> None:
    screen = Image.new("RGB", (1280, 720), (250, 250, 250))
    draw = ImageDraw.Draw(screen)
    draw.rectangle((0, 0, 260, 720), fill=(30, 30, 34))
    draw.rectangle((0, 0, 1280, 48), fill=(40, 60, 90))
    draw.text((24, 14), "Acme console", font=font(15), fill=(235, 240, 250))
    side = ["Dashboard", "Projects", "Messages", "Settings"]
    for row, word in enumerate(side):
        draw.text((24, 90 + 44 * row), word, font=font(14), fill=(200, 200, 205))
    for row, line in enumerate(LETTER):
        draw.text((320, 90 + 30 * row), line, font=font(14), fill=(40, 40, 40))
    draw.rectangle((320, 400, 480, 440), fill=(30, 90, 200))
    draw.text((350, 411), "Save changes", font=font(14), fill=(255, 255, 255))
    draw.rectangle((520, 400, 680, 440), outline=(120, 120, 120))
    draw.text((570, 411), "Cancel", font=font(14), fill=(120, 120, 120))
    draw.text((320, 520), "Last saved two minutes ago", font=font(13), fill=(165, 165, 165))
    seen = "\n".join(texts(read(engine, screen)))
    wanted = ["Acme console", *side, *LETTER, "Save changes", "Cancel", "Last saved two minutes ago"]
    assert [line for line in wanted if line not in seen] == []


def test_cells_of_a_ruled_table_stay_in_their_row(engine: TesseractOcr) -> None:
    rows = [("Item", "Quantity", "Price"), ("Copper wire", "12", "48.50"), ("Steel bolts", "300", "18.75")]
    table = Image.new("L", (860, 220), 255)
    draw = ImageDraw.Draw(table)
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            left, top = 30 + across * 260, 20 + down * 60
            draw.rectangle((left, top, left + 260, top + 60), outline=0, width=2)
            draw.text((left + 16, top + 20), cell, font=font(18), fill=0)
    assert [tuple(text.split("   ")) for text in texts(read(engine, table))] == rows


def test_a_heading_larger_than_the_text_stands_before_it(engine: TesseractOcr) -> None:
    poster = Image.new("L", (1600, 900), 235)
    draw = ImageDraw.Draw(poster)
    draw.text((80, 80), "GRAND SALE", font=font(220), fill=30)
    draw.text((80, 420), "Everything must go before Friday", font=font(60), fill=90)
    draw.text((80, 600), "terms apply, see the counter", font=font(14), fill=120)
    lines = ["GRAND SALE", "Everything must go before Friday", "terms apply, see the counter"]
    assert texts(read(engine, poster)) == lines


def test_light_text_on_nothing_is_read(engine: TesseractOcr) -> None:
    sticker = Image.new("RGBA", (600, 120), (0, 0, 0, 0))
    ImageDraw.Draw(sticker).text((40, 40), "White on transparent", font=font(28), fill=(255, 255, 255, 255))
    assert texts(read(engine, sticker)) == ["White on transparent"]


def test_uneven_light_does_not_hide_text(engine: TesseractOcr) -> None:
    page = written(size_px=30)
    light = Image.linear_gradient("L").resize(page.size).point(lambda level: 70 + level * 0.7)
    shaded = Image.composite(light, light.point(lambda level: level * 0.2), page).filter(ImageFilter.GaussianBlur(0.7))
    assert error_rate(texts(read(engine, shaded))) <= 0.01


@pytest.mark.parametrize(("width", "height"), [(500, 2_200), long(1200, 16_000)])
def test_every_line_of_a_tall_screenshot_is_read_once_and_in_order(
    engine: TesseractOcr, width: int, height: int
) -> None:
    reading = read(engine, make_screenshot(width, height))
    numbers = [line.text.split()[1] for line in reading.lines]
    assert numbers == [f"{number:04d}" for number in range(1, height // 20 + 1)]
    assert reading.complete
    exact = [screenshot_line(number).split() for number in range(1, height // 20 + 1)]
    right = sum(line.text.split() == wanted for line, wanted in zip(reading.lines, exact, strict=True))
    assert right >= 0.97 * len(exact)
    for number, line in enumerate(reading.lines):
        assert number * 20 - 2 <= line.box[1] <= line.box[1] + line.box[3] <= number * 20 + 22


def _scan(turns: int) -> bytes:
    page = written(size_px=42).convert("RGB")
    box = (36.0, 36.0, page.width * 72 / 300, page.height * 72 / 300)
    picture = SamplePicture(page.tobytes(), page.width, page.height, box)
    return make_pdf(["words", SamplePage(pictures=(picture,), size_pt=(420.0, 300.0), rotate=90 * turns)])


@pytest.mark.parametrize("turns", [0, 1])
def test_a_page_is_read_with_boxes_in_points_of_the_upright_page(engine: TesseractOcr, turns: int) -> None:
    reading = engine.recognise(BytesSource(_scan(turns)), media_type=PDF, page=2)
    assert error_rate(texts(reading)) <= 0.01
    assert reading.rotation == 90 * turns
    assert (reading.width, reading.height) == ((300.0, 420.0) if turns else (420.0, 300.0))
    x, y, w, h = reading.lines[0].box
    left, top = 36 + 40 * 72 / 300, 36 + 40 * 72 / 300
    assert (abs(300 - (x + w) - top) if turns else abs(y - top)) < 5
    assert abs((y if turns else x) - left) < 3
    assert (w if turns else h) < 12
    assert (h if turns else w) > 150


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize("emphasis", [0.0, long(0.2), 1.0])
def test_the_least_emphasis_still_reads(engine: TesseractOcr, emphasis: float) -> None:
    outcome = run_ocr(engine, BytesSource(as_png(written())), media_type=PNG, emphasis=emphasis)
    assert outcome.value is not None
    assert error_rate(texts(outcome.value)) == 0.0


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(
    "data",
    [
        make_photo(500, 375, media_type="image/png"),
        make_picture(),
        make_picture(width=1, height=1),
        as_png(Image.effect_noise((3, 900), 80)),
        as_png(Image.effect_noise((900, 3), 80)),
        as_png(Image.effect_noise((17, 33), 80)),
    ],
    ids=["photo", "plain", "pixel", "tall-and-thin", "wide-and-thin", "tiny"],
)
def test_a_picture_without_text_is_a_gap(engine: TesseractOcr, data: bytes) -> None:
    outcome = run_ocr(engine, BytesSource(data), media_type=PNG)
    assert (outcome.value, outcome.code, outcome.retryable) == (None, "nothing_found", False)
    gap = outcome.gap(Locator())
    assert gap is not None
    assert (gap.lane, gap.code) == ("ocr", "nothing_found")


@pytest.mark.requirement("SA-09")
def test_bytes_that_cannot_be_drawn_are_a_gap_that_is_not_tried_again(engine: TesseractOcr) -> None:
    outcome = run_ocr(engine, BytesSource(b"no picture"), media_type=PNG)
    assert (outcome.value, outcome.code, outcome.retryable) == (None, "failed", False)


@pytest.mark.requirement("SA-09")
def test_a_page_that_cannot_be_loaded_is_its_own_gap(engine: TesseractOcr) -> None:
    pdf = make_pdf(["words", SamplePage(lost=True)])
    assert run_ocr(engine, BytesSource(pdf), media_type=PDF, page=2).code == "unreadable_page"


@pytest.mark.requirement("SA-09")
def test_a_missing_language_is_a_gap_that_names_it_and_no_folder(pool: BoundedPool, models: Path) -> None:
    lacking = TesseractOcr(pool, languages=("eng", "qqq"), models=models)
    with pytest.raises(MissingDependency) as caught:
        lacking.recognise(BytesSource(b""), media_type=PNG)
    assert caught.value.detail["languages"] == ["qqq"]
    outcome = run_ocr(lacking, BytesSource(b""), media_type=PNG)
    assert (outcome.code, outcome.retryable) == ("language_missing", True)
    assert "'qqq'" in outcome.reason
    assert str(models) not in outcome.reason + str(caught.value)
    assert ("ocr-model-qqq", "absent") in [(each.name, each.version) for each in lacking.components]


def test_models_of_the_user_and_installed_ones_work_together(pool: BoundedPool, models: Path) -> None:
    both = TesseractOcr(pool, languages=("xyz", "eng"), models=models)
    reading = both.recognise(BytesSource(as_png(written())), media_type=PNG)
    assert reading.languages == ("xyz", "eng")
    assert error_rate(texts(reading)) == 0.0
    versions = {each.name: each.version for each in both.components}
    assert versions["ocr-model-xyz"] == versions["ocr-model-eng"]


@pytest.mark.requirement("SA-09")
def test_a_damaged_model_fails_this_lane_and_nothing_else(pool: BoundedPool, models: Path) -> None:
    outcome = run_ocr(
        TesseractOcr(pool, languages=("bad",), models=models), BytesSource(as_png(written())), media_type=PNG
    )
    assert (outcome.value, outcome.code, outcome.retryable) == (None, "failed", False)


def test_a_cancelled_reading_is_cancelled_and_no_gap(engine: TesseractOcr) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        run_ocr(engine, BytesSource(as_png(written())), media_type=PNG, cancel=cancel)


def test_the_same_picture_is_read_the_same_each_time(engine: TesseractOcr) -> None:
    data = BytesSource(as_png(written(size_px=11)))
    assert engine.recognise(data, media_type=PNG) == engine.recognise(data, media_type=PNG)


def _in_form(form: str) -> tuple[bytes, MediaType]:
    """The same letter in another way of writing pixels down."""
    page = written()
    if form == "I;16":
        return as_png(page.convert("I;16").point(lambda level: level * 257)), PNG
    if form == "CMYK":
        buffer = io.BytesIO()
        page.convert("CMYK").save(buffer, "JPEG")
        return buffer.getvalue(), JPEG
    return as_png(page.convert(form)), PNG


@pytest.mark.parametrize("form", ["1", "P", "LA", "RGBA", "I;16", "CMYK"])
def test_text_is_read_however_its_pixels_are_written_down(engine: TesseractOcr, form: str) -> None:
    data, media_type = _in_form(form)
    assert error_rate(texts(read(engine, data, media_type=media_type))) == 0.0


def test_a_frame_is_read_by_its_number(engine: TesseractOcr) -> None:
    page = written()
    buffer = io.BytesIO()
    Image.new("L", page.size, 255).save(buffer, "GIF", save_all=True, append_images=[page])
    source, gif = BytesSource(buffer.getvalue()), MediaType("image/gif")
    assert engine.recognise(source, media_type=gif, frame=1).lines == ()
    assert texts(engine.recognise(source, media_type=gif, frame=2)) == list(LETTER)
    with pytest.raises(LocatorOutOfRange):
        engine.recognise(source, media_type=gif, frame=3)


def test_a_reading_whose_time_ran_out_says_that_it_is_not_complete(pool: BoundedPool) -> None:
    params = {
        "media_type": "image/png",
        "languages": ["eng"],
        "models": {model.language: str(model.path) for model in find_models(("eng",))},
        "max_pixels": 10_000_000,
        "cpu_ms": 1,
        "max_source_pixels": 10_000_000,
        "max_frames": 1,
    }
    value = pool.run(OCR_ENGINE.job("recognise"), params, source=BytesSource(as_png(written()))).value
    assert (value["complete"], value["lines"]) == (False, [])
