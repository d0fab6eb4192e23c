"""The budget of a batch: the outcome is that of reading one item after the other, whatever arrives first."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.model.viewing import ViewCode, ViewLimits
from eyeline.operations.viewing.arriving import Doors
from eyeline.operations.viewing.fitting import Ladder, Place, fitted, shares
from eyeline.operations.viewing.read_budget import ReadBudget
from eyeline.operations.viewing.reading import Arrived, BatchReader
from eyeline.testing.arrivals import Script, ScriptedUrls
from eyeline.toolkit.cancel import CancelToken

UNIT = 100_000
"""Larger than what is read to find out a type, so that sizes matter."""

items = st.lists(
    st.tuples(
        st.integers(1, 8),
        st.booleans(),
        st.one_of(st.none(), st.none(), st.integers(0, 7)),
    ),
    min_size=1,
    max_size=8,
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Scripts by URL, in order."""

    scripts: dict[str, Script]

    @classmethod
    def of(cls, drawn: Sequence[tuple[int, bool, int | None]]) -> Batch:
        scripts: dict[str, Script] = {}
        for place, (units, is_told, breaks) in enumerate(drawn):
            breaks_at = None if breaks is None or breaks >= units else breaks * UNIT + 7
            scripts[f"http://host.test/{place}.txt"] = Script(b"a" * (units * UNIT), is_told, breaks_at)
        return cls(scripts)


def read(batch: Batch, order: Sequence[int], *, allowed: int, at_once: int) -> tuple[list[Arrived], int]:
    """Read a batch whose sources begin to send in this order."""
    urls, cancel = ScriptedUrls(batch.scripts), CancelToken()
    budget = ReadBudget(allowed, cancel=cancel)
    reader = BatchReader(Doors(ViewLimits(), None, urls), budget=budget, cancel=cancel)
    names = tuple(batch.scripts)

    def open_gates() -> None:
        for place in order:
            urls.gates[names[place]].set()

    opener = Thread(target=open_gates)
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        opener.start()
        arrived = list(reader.arrivals(names, pool=pool))
    opener.join()
    return arrived, budget.used


def expected(batch: Batch, *, allowed: int) -> tuple[list[str], int]:
    """What reading in sequence comes to, written as plainly as it can be."""
    codes: list[str] = []
    left = allowed
    for script in batch.scripts.values():
        size = len(script.data)
        if script.is_told and size > left:
            codes.append("over_budget")
        elif script.breaks_at is not None:
            codes.append("over_budget" if not script.is_told and script.breaks_at > left else "fetch_failed")
        elif size > left:
            codes.append("over_budget")
        else:
            codes.append("read")
            left -= size
    return codes, allowed - left


def code_of(item: Arrived) -> str:
    return "read" if item.left is None else str(item.left.code)


@pytest.mark.requirement("VF-04")
@given(items, st.data(), st.integers(1, 20), st.integers(1, 4))
def test_what_is_read_is_what_reading_in_sequence_comes_to(
    drawn: list[tuple[int, bool, int | None]], data: st.DataObject, units: int, at_once: int
) -> None:
    batch, allowed = Batch.of(drawn), units * UNIT
    order = data.draw(st.permutations(range(len(drawn))))
    arrived, used = read(batch, order, allowed=allowed, at_once=at_once)
    assert ([code_of(item) for item in arrived], used) == expected(batch, allowed=allowed)


@pytest.mark.requirement("VF-04")
@given(items, st.integers(1, 20))
def test_no_budget_is_exceeded_and_no_item_that_fits_is_left_out(
    drawn: list[tuple[int, bool, int | None]], units: int
) -> None:
    batch, allowed = Batch.of(drawn), units * UNIT
    arrived, used = read(batch, range(len(drawn)), allowed=allowed, at_once=3)
    left = allowed
    for item, script in zip(arrived, batch.scripts.values(), strict=True):
        if code_of(item) == ViewCode.OVER_BUDGET:
            assert len(script.data) > left or (script.breaks_at or 0) > left
        elif item.source is not None:
            left -= item.source.byte_count
    assert used == allowed - left <= allowed


ladders = st.lists(
    st.lists(st.integers(1, 4_000_000), min_size=1, max_size=5, unique=True).map(
        lambda pixels: tuple(sorted(pixels, reverse=True))
    ),
    min_size=1,
    max_size=10,
)


@pytest.mark.requirement("VF-04")
@given(ladders, st.integers(0, 3_000_000), st.integers(1, 40))
def test_pictures_step_down_until_they_fit_and_no_further_than_the_ladder(
    drawn: list[tuple[int, ...]], allowed: int, density: int
) -> None:
    made: list[Place] = []

    def weigh(places: Sequence[Place]) -> list[int]:
        made.extend(places)
        return [drawn[item][step] * ((item * 7 + step * 3) % density + 1) // 20 for item, step in places]

    rungs = [Ladder(pixels) for pixels in drawn]
    steps, weights = fitted(rungs, allowed=allowed, weigh=weigh)
    assert len(made) == len(set(made))
    assert all(0 <= step < len(ladder) for step, ladder in zip(steps, drawn, strict=True))
    is_lowest = all(step == len(ladder) - 1 for step, ladder in zip(steps, drawn, strict=True))
    assert sum(weights) <= allowed or is_lowest
    assert (steps, weights) == fitted(rungs, allowed=allowed, weigh=weigh)


@given(ladders)
def test_pictures_that_fit_stay_as_they_are(drawn: list[tuple[int, ...]]) -> None:
    steps, _ = fitted([Ladder(pixels) for pixels in drawn], allowed=1 << 40, weigh=lambda places: [1] * len(places))
    assert set(steps) == {0}


@given(st.lists(st.integers(0, 5000), max_size=12), st.integers(0, 20_000))
def test_texts_share_what_there_is_and_a_short_one_leaves_the_rest(wanted: list[int], allowed: int) -> None:
    given_out = shares(wanted, allowed=allowed)
    assert sum(given_out) <= allowed
    assert all(part <= whole for part, whole in zip(given_out, wanted, strict=True))
    if sum(wanted) <= allowed:
        assert given_out == wanted
    cut = [part for part, whole in zip(given_out, wanted, strict=True) if part < whole]
    assert not cut or max(given_out) - min(cut) <= len(wanted)
