from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image
from tests.support.formats import GIF, PNG, TIFF, WEBP
from tests.support.renditions import Rendered, admitted, is_near, rendered

from eyeline.errors import MediaTooLarge
from eyeline.media.sample_pictures import RED, encoded, make_animation, make_overlay_gif, make_pages, marked
from eyeline.model.geometry import Size
from eyeline.model.limits import JPEG
from eyeline.model.limits import PNG as PNG_TYPE
from eyeline.model.plan import SHEET_CAPTION_PX, SHEET_GAP_PX, Sheet, Target
from eyeline.model.probe import Probe
from eyeline.render.planning import MAX_SHEET_FRAMES, sheet_for
from eyeline.wire import to_plain, validate

COLOURS = tuple((40 * (n % 6), 255 - 10 * n, 12 * n) for n in range(20))
EVERY = (PNG, WEBP, GIF)


def probe(data: bytes, media_type: str) -> Probe:
    return validate(Probe, admitted(data, media_type)["probe"])


def sheet_of(data: bytes, media_type: str, **bounds: Any) -> tuple[Sheet, Rendered]:
    bounds = {"max_edge_px": 1568, "max_pixels": 4_000_000, "max_bytes": 8 << 20, **bounds}
    target = Target(media_types=(PNG_TYPE, JPEG), **bounds)
    sheet = sheet_for(probe(data, media_type), target=target).sheet
    assert sheet is not None
    size = (sheet.size.width_px, sheet.size.height_px)
    return sheet, rendered(data, media_type, size, sheet=to_plain(sheet), max_bytes=bounds["max_bytes"])


def middle(sheet: Sheet, place: int) -> tuple[int, int]:
    """The middle of one cell of a sheet, by its place from 0."""
    row, column = divmod(place, sheet.columns)
    x = SHEET_GAP_PX + column * (sheet.cell.width_px + SHEET_GAP_PX) + sheet.cell.width_px // 2
    y = SHEET_GAP_PX + row * (sheet.cell.height_px + SHEET_CAPTION_PX + SHEET_GAP_PX) + sheet.cell.height_px // 2
    return x, y


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize("media_type", EVERY)
def test_b23_every_frame_of_a_short_animation_stands_in_its_cell(media_type: str) -> None:
    data = make_animation(media_type, colours=COLOURS[:7])
    sheet, made = sheet_of(data, media_type)
    assert sheet.frames == (1, 2, 3, 4, 5, 6, 7)
    for place, frame in enumerate(sheet.frames):
        assert is_near(made.pixel(*middle(sheet, place)), COLOURS[frame - 1], within=4)
    assert made.step("montage")["frames"] == "1,2,3,4,5,6,7"
    assert made.value["scale"] is None
    assert made.steps[0] == "decode"
    assert made.steps[-1] == "encode"


@pytest.mark.requirement("SA-16")
@pytest.mark.parametrize("media_type", EVERY)
def test_b23_of_a_long_animation_the_sheet_shows_frames_from_all_of_it_and_says_which(media_type: str) -> None:
    data = make_animation(media_type, colours=COLOURS, width=60, height=40)
    sheet, made = sheet_of(data, media_type)
    assert len(sheet.frames) == MAX_SHEET_FRAMES
    assert (sheet.frames[0], sheet.frames[-1]) == (1, 20)
    for place, frame in enumerate(sheet.frames):
        assert is_near(made.pixel(*middle(sheet, place)), COLOURS[frame - 1], within=4)
    assert made.step("decode") == {"frames": "16 of 20"}


def test_frames_that_build_on_each_other_stand_composed_on_the_sheet() -> None:
    sheet, made = sheet_of(make_overlay_gif(), GIF)
    left, top = -25, -25
    corners = [made.pixel(middle(sheet, place)[0] + left, middle(sheet, place)[1] + top) for place in range(3)]
    assert corners == [RED, (0, 0, 255), RED]


@pytest.mark.requirement("SA-16")
def test_b24_pages_of_different_sizes_stand_whole_and_upright_in_their_cells() -> None:
    pages = [marked(400, 100), marked(100, 400), Image.new("L", (200, 200), 90)]
    sheet, made = sheet_of(make_pages(pages), TIFF)
    assert sheet.cell == Size(400, 400)
    x, y = middle(sheet, 0)
    assert is_near(made.pixel(x, y - 49), RED)
    x, y = middle(sheet, 1)
    assert is_near(made.pixel(x, y - 198), RED)
    assert made.pixel(*middle(sheet, 2)) == (90, 90, 90)
    assert made.step("montage")["pages"] == "1,2,3"


def test_every_cell_has_a_caption_in_the_strip_below_it() -> None:
    sheet, made = sheet_of(make_animation(GIF, colours=COLOURS[:4], width=200, height=100), GIF)
    for place in range(4):
        x, y = middle(sheet, place)
        top = y + sheet.cell.height_px // 2
        strip = made.image.convert("L").crop((x - 56, top, x + 56, top + SHEET_CAPTION_PX))
        assert min(strip.tobytes()) < 120
        assert max(strip.tobytes()) > 230


def test_a_sheet_gives_way_in_size_until_it_fits_and_says_so() -> None:
    frames = [Image.effect_noise((300, 200), 90).convert("RGB") for _ in range(6)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "WEBP", save_all=True, append_images=frames[1:], duration=100, quality=80)
    _, made = sheet_of(buffer.getvalue(), WEBP, max_bytes=40_000)
    assert len(made.data) <= 40_000
    assert made.step("scale")["to"] == f"{made.image.width}x{made.image.height}"
    with pytest.raises(MediaTooLarge):
        sheet_of(buffer.getvalue(), WEBP, max_bytes=300)


@pytest.mark.parametrize(
    ("durations", "runs", "total"),
    [
        ([200, 200, 200], [(3, 200)], 600),
        ([50, 120, 120], [(1, 50), (2, 120)], 290),
        ([0, 10, 30], [(2, 100), (1, 30)], 230),
    ],
)
@pytest.mark.parametrize("media_type", EVERY)
def test_times_are_those_that_a_browser_shows(
    media_type: str, durations: list[int], runs: list[tuple[int, int]], total: int
) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in COLOURS[:3]]
    options: dict[str, Any] = {"lossless": True} if media_type == WEBP else {}
    data = encoded(frames[0], media_type, save_all=True, append_images=frames[1:], duration=durations, **options)
    found = probe(data, media_type)
    assert [(run.count, run.shown_ms) for run in found.frame_times] == runs
    assert found.duration_ms == total


def test_a_still_picture_has_no_times() -> None:
    assert probe(encoded(marked(20, 20), GIF), GIF).frame_times == ()
