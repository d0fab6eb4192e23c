"""Which pictures of a conversation are reduced and which are left out, so that a request fits its route.

Decided from references alone: nothing is read or made. Oldest first, in quanta of pictures, reduced before left out,
the newest turn last and never left out. Each request of the conversation is decided by itself, and what was decided
once stays: for a larger budget never more is left out, and the text of the request before stays the beginning of the
next one until a quantum is full.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from eyeline.errors import LimitExceeded
from eyeline.model.assembly import Occurrence, OffloadAction, OffloadStep
from eyeline.model.attachment import ImageRef, ImageTarget
from eyeline.model.route import RoutePolicy
from eyeline.request.occurrences import Moment, Standing
from eyeline.request.targets import OMITTED, in_base64, targets_of

QUANTUM = 16
"""Pictures that are reduced or left out together; fewer on a route that takes few, see `quantum_of`."""

Sums = list[list[int]]
"""For each level, what the pictures up to each place take together."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The level of each picture and its target, `None` where it is left out; the body's bound; and what is new."""

    levels: tuple[int, ...]
    targets: tuple[ImageTarget | None, ...]
    is_many: bool
    planned_bytes: int
    new_steps: tuple[OffloadStep, ...]


Targets = dict[ImageRef, tuple[ImageTarget, ...]]


@dataclass(frozen=True, slots=True)
class _Costs:
    """What every picture of a conversation may be made to, and what that takes."""

    targets: Targets
    budgets: tuple[_Budget, ...]


@dataclass(frozen=True, slots=True)
class _Budget:
    """One measure of a request and its bound: `text` says whether text counts too."""

    allowed: int
    sums: Sums
    text: bool
    name: str


def quantum_of(route: RoutePolicy) -> int:
    """Pictures that are reduced or left out together: a power of two, at most half of what a request may hold."""
    if route.max_images is None:
        return QUANTUM
    return min(QUANTUM, 1 << (max(1, route.max_images // 2).bit_length() - 1))


def plan_of(
    standing: Sequence[Standing], moments: Sequence[Moment], *, route: RoutePolicy, steps: Sequence[OffloadStep]
) -> Plan:
    """Decide for a conversation, replaying what was decided before.

    Raises `LimitExceeded` where the newest turn, pinned pictures and text alone are more than the route takes.
    """
    was_many = is_many = any(step.action is OffloadAction.MANY for step in steps)
    costs: dict[bool, _Costs] = {}
    cuts, forced = [0] * OMITTED, [0] * len(standing)
    kept, quantum = _kept_counts(standing), quantum_of(route)
    for moment in moments:
        counted = _count_cut(moment, kept, allowed=route.max_images, quantum=quantum)
        retained = kept[-1][moment.total] - kept[-1][counted] + kept[0][counted]
        is_many = is_many or (route.many_from is not None and retained >= route.many_from)
        if is_many not in costs:
            costs[is_many] = _costs(standing, route, is_many=is_many)
        for budget in costs[is_many].budgets:
            needed, newest = _needed(moment, budget, omitted=counted, quantum=quantum)
            cuts = [max(pair) for pair in zip(cuts, needed, strict=True)]
            for place in range(moment.old, moment.total if newest else moment.old):
                forced[place] = max(forced[place], newest)
    before = _replayed(standing, steps, old=moments[-1].old if moments else 0)
    levels = [max(pair) for pair in zip(before, _levels(standing, cuts, forced), strict=True)]
    final = costs.get(is_many) or _Costs({}, ())
    many = (OffloadStep(OffloadAction.MANY),) if is_many and not was_many else ()
    return Plan(
        levels=tuple(levels),
        targets=tuple(
            final.targets[each.ref][level] if level < OMITTED else None
            for each, level in zip(standing, levels, strict=True)
        ),
        is_many=is_many,
        planned_bytes=_checked(levels, moments, route=route, budgets=final.budgets),
        new_steps=many + _new_steps(standing, before, levels),
    )


def _costs(standing: Sequence[Standing], route: RoutePolicy, *, is_many: bool) -> _Costs:
    targets = {ref: targets_of(ref, route, is_many=is_many) for ref in {each.ref for each in standing}}
    by_place = [targets[each.ref] for each in standing]
    raw = [[each[level].max_bytes for each in by_place] for level in range(OMITTED)]
    # A pinned picture is never left out: it stays at the last reduction.
    raw.append([last if each.is_pinned else 0 for each, last in zip(standing, raw[-1], strict=True)])
    body = [[in_base64(each) for each in level] for level in raw]
    budgets = [_Budget(route.max_request_bytes, _sums(body), text=True, name="max_request_bytes")]
    if route.max_images_bytes is not None:
        budgets.append(_Budget(route.max_images_bytes, _sums(raw), text=False, name="max_images_bytes"))
    return _Costs(targets, tuple(budgets))


def _sums(costs: list[list[int]]) -> Sums:
    return [[0, *accumulate(level)] for level in costs]


def _kept_counts(standing: Sequence[Standing]) -> Sums:
    """Up to each place: pictures that are never left out, and all pictures."""
    return _sums([[int(each.is_pinned) for each in standing], [1] * len(standing)])


def _count_cut(moment: Moment, kept: Sums, *, allowed: int | None, quantum: int) -> int:
    """How many of the oldest pictures have to go for the number of pictures alone."""
    if allowed is None:
        return 0
    pinned, every = kept
    return _least(lambda cut: every[moment.total] - every[cut] + pinned[cut] <= allowed, moment.old, quantum=quantum)


def _needed(moment: Moment, budget: _Budget, *, omitted: int, quantum: int) -> tuple[list[int], int]:
    """How far each level reaches from the oldest picture on, and the level of the newest turn, to keep one budget.

    One way down, whatever the budget, that goes as far as it must: reduced in whole quanta, then in quarters of one;
    left out in whole quanta; then the rest of what is old, picture by picture; then the newest turn reduced.
    """
    cuts = [omitted] * OMITTED

    def fits(newest: int = 0) -> bool:
        return _size(moment, budget, cuts, newest) <= budget.allowed

    def reaches(stage: int, least: int, cut: int) -> bool:
        cuts[stage] = max(least, cut)
        return fits()

    if fits():
        return cuts, 0
    *reducing, omitting = range(OMITTED)
    few = max(1, quantum // 4)
    for stages, step in ((reducing, quantum), (reducing, few), ([omitting], quantum), (reducing, 1), ([omitting], 1)):
        for stage in stages:
            is_enough = partial(reaches, stage, cuts[stage])
            if is_enough(_least(is_enough, moment.old - moment.old % step, quantum=step)):
                return cuts, 0
    return cuts, next((level for level in range(1, OMITTED) if fits(level)), OMITTED - 1)


def _least(is_enough: Callable[[int], bool], most: int, *, quantum: int) -> int:
    """The smallest number of whole quanta that is enough, else the most there may be."""
    low, high = 0, -(-most // quantum)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(min(middle * quantum, most)) else (middle + 1, high)
    return min(low * quantum, most)


def _size(moment: Moment, budget: _Budget, cuts: Sequence[int], newest: int) -> int:
    reach = [moment.old, *cuts, 0]
    sums = budget.sums
    old = sum(sums[level][reach[level]] - sums[level][reach[level + 1]] for level in range(OMITTED + 1))
    new = sums[newest][moment.total] - sums[newest][moment.old]
    return old + new + (moment.text_bytes if budget.text else 0)


def _levels(standing: Sequence[Standing], cuts: Sequence[int], forced: Sequence[int]) -> list[int]:
    reached = [max(sum(place < cut for cut in cuts), forced[place]) for place in range(len(standing))]
    return [_bounded(level, each) for level, each in zip(reached, standing, strict=True)]


def _bounded(level: int, standing: Standing) -> int:
    return min(level, OMITTED - 1) if standing.is_pinned else level


def _replayed(standing: Sequence[Standing], steps: Sequence[OffloadStep], *, old: int) -> list[int]:
    """The level that earlier steps gave each picture; none of the newest turn is left out for what was decided once."""
    decided: dict[Occurrence, int] = {}
    for step in steps:
        level = OMITTED if step.action is OffloadAction.OMIT else min(step.level, OMITTED - 1)
        for occurrence in step.pictures:
            decided[occurrence] = max(level, decided.get(occurrence, 0))
    levels = [_bounded(decided.get(each.occurrence, 0), each) for each in standing]
    return levels[:old] + [min(level, OMITTED - 1) for level in levels[old:]]


def _new_steps(standing: Sequence[Standing], before: Sequence[int], levels: Sequence[int]) -> tuple[OffloadStep, ...]:
    steps: list[OffloadStep] = []
    for level in sorted(set(levels)):
        pictures = tuple(
            each.occurrence for each, was, now in zip(standing, before, levels, strict=True) if was < now == level
        )
        if pictures and level == OMITTED:
            steps.append(OffloadStep(OffloadAction.OMIT, pictures=pictures))
        elif pictures:
            steps.append(OffloadStep(OffloadAction.REDUCE, level, pictures))
    return tuple(steps)


def _checked(
    levels: Sequence[int], moments: Sequence[Moment], *, route: RoutePolicy, budgets: Sequence[_Budget]
) -> int:
    """What the body takes at most, once every bound is kept."""
    text = moments[-1].text_bytes if moments else 0
    retained = sum(level < OMITTED for level in levels)
    if route.max_images is not None and retained > route.max_images:
        raise _exceeded("max_images", allowed=route.max_images, asked=retained, route=route)
    planned = text
    for budget in budgets:
        taken = sum(budget.sums[level][place + 1] - budget.sums[level][place] for place, level in enumerate(levels))
        taken += text if budget.text else 0
        planned = taken if budget.text else planned
        if taken > budget.allowed:
            raise _exceeded(budget.name, allowed=budget.allowed, asked=taken, route=route)
    if planned > route.max_request_bytes:
        raise _exceeded("max_request_bytes", allowed=route.max_request_bytes, asked=planned, route=route)
    return planned


def _exceeded(limit: str, *, allowed: int, asked: int, route: RoutePolicy) -> LimitExceeded:
    return LimitExceeded(
        f"the newest turn, pinned pictures and text come to {asked} and {route.name!r} takes {allowed} ({limit})",
        hint="send fewer pictures in one turn, pin fewer, or shorten the conversation",
        limit=limit,
        allowed=allowed,
        asked=asked,
    )
