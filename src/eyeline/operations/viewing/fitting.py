"""Fitting the pictures of a batch into one answer: the largest step down a fixed ladder until the sum fits.

Pure: what a picture weighs at a step is asked of whoever makes it, and only where the answer needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Place = tuple[int, int]
"""A medium, and a step of its ladder, both from 0."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """What one medium can be made as: the pixels at each step, falling. One step: it cannot be made smaller."""

    pixels: tuple[int, ...]


def fitted(
    ladders: Sequence[Ladder], *, allowed: int, weigh: Callable[[Sequence[Place]], Sequence[int]]
) -> tuple[list[int], list[int]]:
    """The step of each medium, and its bytes there; their sum is within `allowed` unless all stand on their last step.

    `weigh` makes media at steps and gives their bytes. What is not made yet is taken to weigh as its pixels say,
    against its nearest larger step; so a step that cannot be the last one is not made. The outcome depends on nothing
    but the ladders, the bytes and `allowed`.
    """
    steps = [0] * len(ladders)
    weights: dict[Place, int] = {}
    while True:
        unknown = [place for place in enumerate(steps) if place not in weights]
        weights.update(zip(unknown, weigh(unknown), strict=True) if unknown else ())
        if not _step_down(ladders, steps, weights, allowed=allowed):
            return steps, [weights[place] for place in enumerate(steps)]


def _step_down(ladders: Sequence[Ladder], steps: list[int], weights: dict[Place, int], *, allowed: int) -> bool:
    """Let the largest step down until the sum seems to fit; whether any did."""
    moved = False
    while sum(sizes := [_weight(ladders[item], (item, step), weights) for item, step in enumerate(steps)]) > allowed:
        movable = [item for item, step in enumerate(steps) if step + 1 < len(ladders[item].pixels)]
        if not movable:
            return moved
        largest = max(movable, key=lambda item: (sizes[item], -item))
        steps[largest] += 1
        moved = True
    return moved


def _weight(ladder: Ladder, place: Place, weights: dict[Place, int]) -> int:
    """What is known of a medium at a step, or what its pixels say."""
    item, step = place
    made = max(known for known in range(step + 1) if (item, known) in weights)
    return weights[item, made] * ladder.pixels[step] // max(1, ladder.pixels[made])


def shares(wanted: Sequence[int], *, allowed: int) -> list[int]:
    """How much of `allowed` each gets: all it wants where that is little, else the same for all who want more."""
    given = [0] * len(wanted)
    left, waiting = allowed, sorted(range(len(wanted)), key=lambda item: (wanted[item], item))
    while waiting:
        item = waiting[0]
        given[item] = min(wanted[item], left // len(waiting))
        left -= given[item]
        waiting = waiting[1:]
    return given
