"""Laws of frames: which one is shown when, and what stands on a contact sheet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eyeline.model.geometry import Size
from eyeline.model.limits import PNG
from eyeline.model.media_type import MediaType
from eyeline.model.plan import Target
from eyeline.model.probe import FrameSize, FrameTime, Probe
from eyeline.render.planning import LEAST_CELL_PX, MAX_SHEET_FRAMES, sheet_for

GIF, TIFF = MediaType("image/gif"), MediaType("image/tiff")
SIDES = st.integers(1, 20_000)
RUNS = st.lists(st.tuples(st.integers(1, 50), st.integers(11, 5_000)), min_size=1, max_size=8)


def moving(runs: list[tuple[int, int]]) -> Probe:
    times = tuple(FrameTime(count, shown) for count, shown in runs)
    total = sum(count * shown for count, shown in runs)
    return Probe(GIF, Size(10, 10), frames=sum(count for count, _ in runs), frame_times=times, duration_ms=total)


@given(RUNS)
def test_the_frame_at_its_own_start_is_that_frame_and_just_before_it_the_one_before(
    runs: list[tuple[int, int]],
) -> None:
    probe = moving(runs)
    for frame in range(1, probe.frames + 1):
        start = probe.frame_starts_ms(frame)
        assert start is not None
        assert probe.frame_at(start) == frame
        if frame > 1:
            assert probe.frame_at(start - 1) == frame - 1


@given(RUNS)
def test_from_its_end_on_an_animation_shows_nothing(runs: list[tuple[int, int]]) -> None:
    probe = moving(runs)
    assert probe.duration_ms is not None
    assert probe.frame_at(probe.duration_ms - 1) == probe.frames
    assert probe.frame_at(probe.duration_ms) is None
    assert probe.frame_starts_ms(probe.frames + 1) is None


@given(
    st.tuples(SIDES, SIDES), st.integers(2, 3_000), st.tuples(st.integers(400, 4_000), st.integers(300_000, 8_000_000))
)
def test_a_sheet_keeps_its_bounds_and_shows_ascending_frames_from_first_to_last(
    size: tuple[int, int], frames: int, bounds: tuple[int, int]
) -> None:
    (width, height), (edge, pixels) = size, bounds
    probe = Probe(GIF, Size(width, height), frames=frames)
    plan = sheet_for(probe, target=Target((PNG,), max_edge_px=edge, max_pixels=pixels, max_bytes=1 << 20))
    sheet = plan.sheet
    assert sheet is not None
    assert plan.size == sheet.size
    assert sheet.size.long_edge <= edge
    assert sheet.size.pixels <= pixels
    assert len(sheet.frames) == min(frames, MAX_SHEET_FRAMES)
    assert list(sheet.frames) == sorted(set(sheet.frames))
    assert (sheet.frames[0], sheet.frames[-1]) == (1, frames)
    assert sheet.cell.width_px <= max(width, LEAST_CELL_PX)
    assert sheet.cell.height_px <= height


@given(st.integers(2, MAX_SHEET_FRAMES), st.integers(120, 400), st.integers(120, 400))
def test_where_all_fit_unscaled_a_sheet_is_no_long_strip(frames: int, width: int, height: int) -> None:
    probe = Probe(GIF, Size(width, height), frames=frames)
    plan = sheet_for(probe, target=Target((PNG,), max_edge_px=20_000, max_pixels=10**9, max_bytes=1 << 20))
    assert plan.sheet is not None
    assert plan.sheet.cell == Size(width, height)
    if frames > 4:
        assert plan.size.long_edge < 3 * min(plan.size.width_px, plan.size.height_px)


@given(st.lists(st.tuples(st.integers(1, 5), SIDES, SIDES), min_size=2, max_size=6))
def test_every_page_has_the_size_of_its_run(runs: list[tuple[int, int, int]]) -> None:
    sizes = tuple(FrameSize(count, width, height) for count, width, height in runs)
    total = sum(count for count, _, _ in runs)
    probe = Probe(TIFF, Size(1, 1), frames=total, frames_are_pages=True, frame_sizes=sizes)
    each = [Size(width, height) for count, width, height in runs for _ in range(count)]
    assert [probe.frame_size(page) for page in range(1, total + 1)] == each
    assert probe.page_count == total
