"""Laws of locators: what is printed is read back, equal means equal text, and joining covers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import InvalidLocator
from eyeline.model.geometry import Region, RegionUnit
from eyeline.model.joining import joined
from eyeline.model.locator import Chars, Lines, Locator, SheetRange, Span

COUNT = st.integers(1, 10**6)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)


@st.composite
def regions(draw: st.DrawFn) -> Region:
    unit = draw(st.sampled_from(RegionUnit))
    top = 99_999 if unit is RegionUnit.PERCENT else 10**8
    x, y = draw(st.integers(0, top)), draw(st.integers(0, top))
    room = 100_000 if unit is RegionUnit.PERCENT else 10**9
    return Region(unit, x, y, draw(st.integers(1, room - x)), draw(st.integers(1, room - y)))


SPANS = st.tuples(st.integers(0, 10**9), st.integers(1, 10**9)).map(lambda pair: Span(pair[0], sum(pair)))
CELLS = st.sampled_from(["A1", "B2:C9", "AA10:ZZ999"])
LOCATORS = st.builds(
    Locator,
    page=st.none() | COUNT,
    frame=st.none() | COUNT,
    track=st.none() | COUNT,
    region=st.none() | regions(),
    span=st.none() | SPANS | st.integers(0, 10**9).map(Span),
    chars=st.none() | st.tuples(COUNT, COUNT).map(lambda pair: Chars(min(pair), max(pair))),
    lines=st.none() | st.tuples(COUNT, COUNT).map(lambda pair: Lines(min(pair), max(pair))),
    sheet=st.none() | st.builds(SheetRange, TEXT, st.none() | CELLS),
)


@pytest.mark.requirement("SA-16")
@given(LOCATORS)
def test_what_is_printed_is_read_back(locator: Locator) -> None:
    assert Locator.parse(str(locator)) == locator
    assert str(Locator.parse(str(locator))) == str(locator)


@given(LOCATORS, LOCATORS)
def test_equal_locators_have_equal_texts_and_others_have_not(one: Locator, other: Locator) -> None:
    assert (one == other) == (str(one) == str(other))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_by_type(text: str) -> None:
    try:
        locator = Locator.parse(text)
    except InvalidLocator:
        return
    assert Locator.parse(str(locator)) == locator


@given(st.lists(regions(), min_size=1, max_size=5))
def test_a_joined_region_covers_each_and_stays_in_its_frame(each: list[Region]) -> None:
    found = joined(Locator(page=2, region=region) for region in each).region
    if len({region.unit for region in each}) > 1:
        assert found is None
        return
    assert found is not None
    assert all(found.x <= r.x and r.x + r.w <= found.x + found.w for r in each)
    assert all(found.y <= r.y and r.y + r.h <= found.y + found.h for r in each)


@given(st.lists(LOCATORS, min_size=2, max_size=4))
def test_joining_never_claims_a_page_that_not_all_have(each: list[Locator]) -> None:
    page = joined(each).page
    assert page is None or {locator.page for locator in each} == {page}
