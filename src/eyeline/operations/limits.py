"""`limits`: the served set and every bound, as data."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.limits import AnswerLimit, Limits, ServedSet


@dataclass(frozen=True, slots=True)
class ServedLimits:
    """What is served, what one answer of this surface may hold, what is taken in, and what isolates the decoders."""

    served: ServedSet
    answer: AnswerLimit
    intake: Limits
    isolation: str


def limits(*, served: ServedSet, answer: AnswerLimit, intake: Limits, isolation: str) -> ServedLimits:
    """The bounds in force."""
    return ServedLimits(served, answer, intake, isolation)
