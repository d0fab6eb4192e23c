from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.convert.budgets import DescriptionBudget, OcrBudget, clamped
from eyeline.errors import InvalidRequest

SHARES = st.floats(min_value=0, max_value=1)


@pytest.mark.requirement("SA-09")
@given(SHARES)
def test_no_emphasis_switches_a_lane_off(emphasis: float) -> None:
    ocr, description = OcrBudget.of(emphasis), DescriptionBudget.of(emphasis)
    assert ocr.max_pixels >= 5_000_000
    assert ocr.cpu_ms >= 15_000
    assert description.max_tokens >= 160
    assert description.edge_px >= 768


@given(SHARES, SHARES)
def test_more_emphasis_never_buys_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    less, more = OcrBudget.of(low), OcrBudget.of(high)
    assert less.max_pixels <= more.max_pixels
    assert less.cpu_ms <= more.cpu_ms
    fewer, many = DescriptionBudget.of(low), DescriptionBudget.of(high)
    assert fewer.max_tokens <= many.max_tokens
    assert fewer.edge_px <= many.edge_px


@pytest.mark.parametrize("emphasis", [-0.1, 1.1, math.nan, math.inf])
def test_an_emphasis_is_a_share(emphasis: float) -> None:
    with pytest.raises(InvalidRequest):
        clamped(emphasis)
