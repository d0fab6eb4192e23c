"""Laws of rendition plans: bounded, never enlarged, blind to steps without effect, keys that follow the plan alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import LocatorOutOfRange
from eyeline.model.digest import Digest
from eyeline.model.geometry import Region, Size
from eyeline.model.limits import JPEG, PNG, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.plan import RenditionPlan
from eyeline.model.probe import PageSize, Probe
from eyeline.render.planning import plan_for, target_from

SERVED = ServedSet()
TARGET = target_from(SERVED, edge_px=1568, max_bytes=500_000, media_types=(PNG, JPEG))
SIDES = st.integers(1, 60_000)
POINTS = st.floats(1, 20_000)
CONTENT = Digest.of(b"content")


def _picture(width: int, height: int) -> Probe:
    return Probe(PNG, size=Size(width, height))


def _plan(probe: Probe, locator: Locator) -> RenditionPlan:
    return plan_for(probe, locator, target=TARGET, served=SERVED)


@given(SIDES, SIDES)
def test_a_picture_fits_every_bound_and_is_never_enlarged(width: int, height: int) -> None:
    size = _plan(_picture(width, height), Locator()).size
    assert size.long_edge <= 1568
    assert size.pixels <= SERVED.max_pixels
    assert size.width_px <= width
    assert size.height_px <= height
    assert min(size.width_px, size.height_px) >= 1


@given(POINTS, POINTS)
def test_a_page_of_any_size_fits_every_bound(width: float, height: float) -> None:
    probe = Probe(MediaType("application/pdf"), pages=(PageSize(1, width, height),))
    size = _plan(probe, Locator(page=1)).size
    assert size.long_edge <= 1568
    assert size.pixels <= SERVED.max_pixels


@given(SIDES, SIDES)
def test_a_region_that_is_the_whole_picture_is_the_plan_of_the_picture(width: int, height: int) -> None:
    probe = _picture(width, height)
    whole = _plan(probe, Locator())
    assert _plan(probe, Locator(region=Region.percent(0, 0, 100, 100))) == whole
    assert _plan(probe, Locator(region=Region.pixel(0, 0, width, height))) == whole
    assert _plan(probe, Locator(frame=1)) == whole


@given(st.integers(2, 5000), st.integers(2, 5000), st.data())
def test_a_crop_lies_inside_and_holds_what_was_asked(width: int, height: int, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    crop = _plan(_picture(width, height), Locator(region=Region.pixel(x, y, w, h))).crop
    if crop is not None:
        assert (crop.x, crop.y, crop.w, crop.h) == tuple(1000 * value for value in (x, y, w, h))


@given(SIDES, SIDES)
def test_a_region_past_the_edge_is_told_with_the_extent(width: int, height: int) -> None:
    with pytest.raises(LocatorOutOfRange) as caught:
        _plan(_picture(width, height), Locator(region=Region.pixel(0, 0, width + 1, height)))
    assert (caught.value.detail["width"], caught.value.detail["height"]) == (width, height)


PLANS = st.builds(
    RenditionPlan,
    size=st.builds(Size, st.integers(1, 50), st.integers(1, 50)),
    media_types=st.sampled_from([(PNG,), (JPEG,), (PNG, JPEG), (JPEG, PNG)]),
    max_bytes=st.integers(1, 5),
    page=st.none() | st.integers(1, 3),
    frame=st.none() | st.integers(1, 3),
)


@given(PLANS, PLANS)
def test_equal_plans_and_only_those_have_equal_keys(one: RenditionPlan, other: RenditionPlan) -> None:
    engines = {"engine": "1"}
    assert (one == other) == (one.key(CONTENT, engines) == other.key(CONTENT, engines))


@given(PLANS)
def test_another_content_or_engine_is_another_key(plan: RenditionPlan) -> None:
    key = plan.key(CONTENT, {"engine": "1"})
    assert key != plan.key(Digest.of(b"other"), {"engine": "1"})
    assert key != plan.key(CONTENT, {"engine": "2"})
    assert key != replace(plan, max_bytes=plan.max_bytes + 1).key(CONTENT, {"engine": "1"})
