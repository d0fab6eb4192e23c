"""Laws of offloading, over generated conversations: decided from references alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.conversations import image_ref, talk

from eyeline.errors import LimitExceeded
from eyeline.model.assembly import OffloadAction, OffloadStep
from eyeline.model.attachment import ImageRef
from eyeline.model.message import Message
from eyeline.model.route import RoutePolicy
from eyeline.request.occurrences import moments, standing_in
from eyeline.request.offloading import QUANTUM, Plan, plan_of, quantum_of
from eyeline.request.routes import route_named
from eyeline.request.targets import OMITTED, in_base64, targets_of

ROUTE = replace(route_named("anthropic-high"), many_from=None)
REFS = st.builds(
    image_ref,
    st.integers(0, 5),
    size=st.tuples(st.integers(1, 5000), st.integers(1, 5000)),
    byte_count=st.integers(100, 5_000_000),
)
TURNS = st.lists(st.lists(REFS, max_size=6), min_size=1, max_size=30)
BUDGETS = st.integers(1_000_000, 60_000_000)
PINS = st.frozensets(st.integers(0, 60), max_size=4)


def planned(messages: list[Message], route: RoutePolicy, steps: tuple[OffloadStep, ...] = ()) -> Plan:
    standing = standing_in(messages)
    return plan_of(standing, moments(messages, standing), route=route, steps=steps)


def levels(messages: list[Message], route: RoutePolicy) -> tuple[int, ...] | None:
    try:
        return planned(messages, route).levels
    except LimitExceeded:
        return None


@pytest.mark.requirement("AT-11")
@given(TURNS, PINS, st.tuples(BUDGETS, BUDGETS).map(sorted), st.integers(1, 80))
def test_a_larger_budget_never_reduces_or_leaves_out_more(
    turns: list[list[ImageRef]], pins: frozenset[int], budgets: list[int], count: int
) -> None:
    messages = talk(turns, pinned=pins)
    tight, wide = (levels(messages, replace(ROUTE, max_request_bytes=each, max_images=count)) for each in budgets)
    if tight is not None:
        assert wide is not None
        assert all(ours <= theirs for ours, theirs in zip(wide, tight, strict=True))


@given(TURNS, PINS, st.integers(1, 80), st.integers(0, 80))
def test_a_larger_number_of_pictures_never_leaves_out_more(
    turns: list[list[ImageRef]], pins: frozenset[int], count: int, more: int
) -> None:
    messages = talk(turns, pinned=pins)
    routes = [replace(ROUTE, max_images=each) for each in (count, count + more)]
    assume(quantum_of(routes[0]) == quantum_of(routes[1]))
    tight, wide = (levels(messages, each) for each in routes)
    if tight is not None:
        assert wide is not None
        assert {place for place, level in enumerate(wide) if level == OMITTED} <= {
            place for place, level in enumerate(tight) if level == OMITTED
        }


@given(TURNS, PINS, BUDGETS, st.integers(1, 80))
def test_a_plan_keeps_the_bounds_the_newest_turn_and_the_pins(
    turns: list[list[ImageRef]], pins: frozenset[int], budget: int, count: int
) -> None:
    messages = talk(turns, pinned=pins)
    route = replace(ROUTE, max_request_bytes=budget, max_images=count)
    try:
        plan = planned(messages, route)
    except LimitExceeded:
        return
    standing = standing_in(messages)
    retained = [each for each, level in zip(standing, plan.levels, strict=True) if level < OMITTED]
    assert len(retained) <= count
    taken = sum(
        in_base64(targets_of(each.ref, route, is_many=plan.is_many)[level].max_bytes)
        for each, level in zip(standing, plan.levels, strict=True)
        if level < OMITTED
    )
    assert taken <= plan.planned_bytes <= budget
    newest = len(standing) - len(turns[-1])
    for place, (each, level) in enumerate(zip(standing, plan.levels, strict=True)):
        assert level < OMITTED or not (each.is_pinned or place >= newest)


@pytest.mark.requirement("AT-11")
@given(TURNS, BUDGETS, st.integers(4, 80))
def test_a_conversation_assembled_turn_by_turn_with_its_record_comes_to_the_same_as_all_at_once(
    turns: list[list[ImageRef]], budget: int, count: int
) -> None:
    route = replace(ROUTE, max_request_bytes=budget, max_images=count)
    steps: tuple[OffloadStep, ...] = ()
    for length in range(1, len(turns) + 1):
        try:
            steps += planned(talk(turns[:length]), route, steps).new_steps
        except LimitExceeded:
            return
    whole = talk(turns)
    replayed = planned(whole, route, steps)
    assert replayed.levels == planned(whole, route).levels
    assert replayed.new_steps == ()


@given(TURNS, BUDGETS)
def test_reduction_and_omission_go_from_the_oldest_on(turns: list[list[ImageRef]], budget: int) -> None:
    found = levels(talk(turns), replace(ROUTE, max_request_bytes=budget))
    if found is not None:
        old = found[: len(found) - len(turns[-1])]
        assert list(old) == sorted(old, reverse=True)


def test_pictures_go_in_whole_quanta_and_the_number_decides() -> None:
    turns = [[image_ref(number)] for number in range(101)]
    found = planned(talk(turns), replace(ROUTE, max_images=100))
    assert found.levels == (OMITTED,) * QUANTUM + (0,) * (101 - QUANTUM)
    assert [(step.action, len(step.pictures)) for step in found.new_steps] == [(OffloadAction.OMIT, QUANTUM)]


def test_a_route_that_takes_few_pictures_leaves_out_few_at_a_time() -> None:
    assert [quantum_of(replace(ROUTE, max_images=count)) for count in (None, 100, 32, 20, 8, 3, 1, 0)] == [
        *(16, 16, 16, 8, 4, 1, 1, 1),
    ]
    nine = planned(talk([[image_ref(number)] for number in range(9)]), route_named("mistral"))
    assert nine.levels == (OMITTED,) * 4 + (0,) * 5


def test_a_tight_budget_changes_what_came_before_once_in_a_quantum() -> None:
    route, changes, before = replace(ROUTE, max_request_bytes=4_000_000), 0, ()
    for count in range(1, 120):
        now = planned(talk([[image_ref(number)] for number in range(count)]), route).levels
        changes += now[: len(before)] != before
        before = now
    assert changes <= -(-120 // (QUANTUM // 4)) + -(-120 // QUANTUM)


def test_what_was_left_out_for_one_route_stays_so_when_the_route_takes_more() -> None:
    turns = [[image_ref(number)] for number in range(40)]
    steps = planned(talk(turns), replace(ROUTE, max_images=30)).new_steps
    assert planned(talk(turns), replace(ROUTE, max_images=100), steps).levels[:QUANTUM] == (OMITTED,) * QUANTUM


def test_pictures_are_reduced_before_any_is_left_out() -> None:
    turns = [[image_ref(number, size=(2400, 2400), byte_count=3_000_000)] for number in range(40)]
    found = planned(talk(turns), ROUTE).levels
    assert OMITTED not in found
    assert max(found) >= 1


@pytest.mark.requirement("AT-12")
def test_the_bound_for_many_pictures_holds_from_their_number_on() -> None:
    route = route_named("anthropic-high")
    turns = [[image_ref(number, size=(2400, 1000), byte_count=300_000)] for number in range(25)]
    few, many = planned(talk(turns[:20]), route), planned(talk(turns), route)
    assert (few.is_many, many.is_many) == (False, True)
    ref = turns[0][0]
    assert targets_of(ref, route, is_many=False)[0].width_px == 2400
    assert targets_of(ref, route, is_many=True)[0].width_px == 2000
    assert planned(talk(turns[:20]), route, many.new_steps).is_many


def test_a_newest_turn_with_too_many_pictures_is_refused_with_numbers() -> None:
    with pytest.raises(LimitExceeded) as refused:
        planned(talk([[image_ref(number) for number in range(21)]]), route_named("bedrock-claude"))
    assert (refused.value.detail["allowed"], refused.value.detail["asked"]) == (20, 21)


def test_a_newest_turn_is_reduced_where_nothing_older_is_left_to_reduce() -> None:
    turn = [image_ref(number, size=(2400, 2400), byte_count=4_000_000) for number in range(12)]
    found = planned(talk([turn]), ROUTE)
    assert set(found.levels) == {1}
