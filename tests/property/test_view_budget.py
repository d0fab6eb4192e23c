"""The budget of a batch: the outcome is that of reading one item after the other, whatever arrives first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeline.errors import FetchFailed
from eyeline.model.viewing import ViewCode, ViewLimits
from eyeline.operations.viewing.arriving import Doors
from eyeline.operations.viewing.fitting import Ladder, Place, fitted, shares
from eyeline.operations.viewing.read_budget import ReadBudget
from eyeline.operations.viewing.reading import Arrived, BatchReader
from eyeline.testing.arrivals import Script, ScriptedArrival, ScriptedUrls
from eyeline.toolkit.cancel import CancelToken

UNIT = 100_000
"""Larger than what is read to find out a type, so that sizes matter."""

Drawn = tuple[int, bool, int | None]

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
    def of(cls, drawn: Sequence[Drawn]) -> Batch:
        scripts: dict[str, Script] = {}
        for place, (units, is_told, breaks) in enumerate(drawn):
            breaks_at = None if breaks is None or breaks >= units else breaks * UNIT + 7
            scripts[f"http://host.test/{place}.txt"] = Script(b"a" * (units * UNIT), is_told, breaks_at)
        return cls(scripts)


def read(batch: Batch, order: Sequence[int], *, allowed: int, at_once: int) -> tuple[list[Arrived], int]:
    """Read a batch whose sources begin to send in this order."""
    urls, cancel = ScriptedUrls(batch.scripts), CancelToken()
    budget = ReadBudget(allowed, cancel=cancel)
    return arrivals(urls, order, budget=budget, cancel=cancel, at_once=at_once), budget.used


def arrivals(
    urls: ScriptedUrls, order: Sequence[int], *, budget: ReadBudget, cancel: CancelToken, at_once: int
) -> list[Arrived]:
    """What the items come to whose gates open in this order."""
    reader = BatchReader(Doors(ViewLimits(), None, urls), budget=budget, cancel=cancel)
    names = tuple(urls.gates)

    def open_gates() -> None:
        for place in order:
            urls.gates[names[place]].set()

    opener = Thread(target=open_gates)
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        opener.start()
        arrived = list(reader.arrivals(names, pool=pool))
    opener.join()
    return arrived


@dataclass(slots=True)
class Impatient:
    """A source that breaks off, or ends where no size was told, once its reader let it wait for room."""

    arrival: ScriptedArrival
    has_waited: Event
    name: str
    leaf: str
    declared: str | None
    byte_count: int | None

    def read(self, size: int, /) -> bytes:
        if not self.has_waited.is_set():
            return self.arrival.read(size)
        if self.byte_count is None:
            return b""
        raise FetchFailed("nobody took it")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


class ImpatientUrls(ScriptedUrls):
    """Whoever opens one a second time is served at once."""

    def __init__(self, scripts: Mapping[str, Script], waited: Mapping[str, Event]) -> None:
        super().__init__(scripts)
        self._waited = waited

    def open(self, url: str, *, cancel: CancelToken) -> Any:
        arrival = super().open(url, cancel=cancel)
        if self.opened.count(url) > 1:
            return arrival
        return Impatient(arrival, self._waited[url], arrival.name, arrival.leaf, arrival.declared, arrival.byte_count)


class TellingBudget(ReadBudget):
    """Says of each item that it had to wait."""

    def __init__(self, allowed: int, *, cancel: CancelToken, waited: Sequence[Event]) -> None:
        super().__init__(allowed, cancel=cancel)
        self._waited = waited

    def hold(self, index: int, byte_count: int) -> bool:
        has_waited = super().hold(index, byte_count)
        if has_waited:
            self._waited[index].set()
        return has_waited


def told(item: Arrived) -> tuple[object, ...]:
    """All that the record of an item is made of."""
    digest = None if item.source is None else item.source.digest
    return (item.name, item.left, item.media_type, item.byte_count, digest, item.notes, item.has_changed)


def read_one_after_the_other(batch: Batch, *, allowed: int) -> list[tuple[object, ...]]:
    """The records of the same items, each the only one of its batch, of what the ones before it have left."""
    records: list[tuple[object, ...]] = []
    for url, script in batch.scripts.items():
        (arrived,), used = read(Batch({url: script}), [0], allowed=allowed, at_once=1)
        records.append(told(arrived))
        allowed -= used
    return records


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
    drawn: list[Drawn], data: st.DataObject, units: int, at_once: int
) -> None:
    batch, allowed = Batch.of(drawn), units * UNIT
    order = data.draw(st.permutations(range(len(drawn))))
    arrived, used = read(batch, order, allowed=allowed, at_once=at_once)
    assert ([code_of(item) for item in arrived], used) == expected(batch, allowed=allowed)


@pytest.mark.requirement("VF-04")
@given(items, st.data(), st.integers(1, 20), st.integers(1, 4))
def test_whole_records_are_those_of_reading_in_sequence_also_where_a_host_does_not_wait(
    drawn: list[Drawn], data: st.DataObject, units: int, at_once: int
) -> None:
    batch, allowed = Batch.of(drawn), units * UNIT
    order = data.draw(st.permutations(range(len(drawn))))
    waited = {url: Event() for url in batch.scripts}
    cancel = CancelToken()
    arrived = arrivals(
        ImpatientUrls(batch.scripts, waited),
        order,
        budget=TellingBudget(allowed, cancel=cancel, waited=tuple(waited.values())),
        cancel=cancel,
        at_once=at_once,
    )
    assert [told(item) for item in arrived] == read_one_after_the_other(batch, allowed=allowed)


@pytest.mark.requirement("VF-04")
@pytest.mark.parametrize("is_told", [True, False])
def test_a_host_that_did_not_wait_is_asked_again_in_its_turn(is_told: bool) -> None:
    # the second holds the budget ahead of its turn, and the first sends nothing before the third has waited for room
    batch, allowed = Batch.of([(1, True, None), (3, True, None), (3, is_told, None)]), 7 * UNIT
    waited = {url: Event() for url in batch.scripts}
    urls, cancel = ImpatientUrls(batch.scripts, waited), CancelToken()
    first, second, third = batch.scripts

    class SmallAhead(TellingBudget):
        def _has_room(self, index: int, byte_count: int) -> bool:
            # as if others held all there is
            is_waiting = index == 2 and self._turn < 2 and byte_count > UNIT
            if is_waiting:
                urls.gates[first].set()
            return not is_waiting and super()._has_room(index, byte_count)

    budget = SmallAhead(allowed, cancel=cancel, waited=tuple(waited.values()))
    arrived = arrivals(urls, [2, 1], budget=budget, cancel=cancel, at_once=3)
    assert waited[third].is_set()
    assert urls.opened.count(third) == 2
    assert [told(item) for item in arrived] == read_one_after_the_other(batch, allowed=allowed)
    assert [code_of(item) for item in arrived] == ["read"] * 3
    assert budget.used == allowed
    assert second in urls.opened


@pytest.mark.requirement("VF-04")
@given(items, st.integers(1, 20))
def test_no_budget_is_exceeded_and_no_item_that_fits_is_left_out(drawn: list[Drawn], units: int) -> None:
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
