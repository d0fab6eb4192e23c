"""Asking a lane once: what it came to is kept until the conversion is done, so that a killed one goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.convert.lanes import OCR, LaneOutcome, OcrReading
from eyeline.convert.scratch import Scratch
from eyeline.errors import InvalidRequest
from eyeline.wire import dumps, loads


@dataclass(frozen=True, slots=True)
class _Kept:
    """An outcome of the OCR lane as it is kept."""

    value: OcrReading | None = None
    code: str | None = None
    reason: str = ""


def read_once(
    scratch: Scratch | None, name: str, ask: Callable[[], LaneOutcome[OcrReading]]
) -> LaneOutcome[OcrReading]:
    """What the OCR lane came to before, or comes to now. What may come out better the next time is not kept."""
    if scratch is None:
        return ask()
    before = _recalled(scratch, name)
    if before is not None:
        return LaneOutcome(OCR, before.value, code=before.code, reason=before.reason)
    outcome = ask()
    if not outcome.retryable:
        scratch.keep(name, dumps(_Kept(outcome.value, outcome.code, outcome.reason)).encode())
    return outcome


def _recalled(scratch: Scratch, name: str) -> _Kept | None:
    body = scratch.recall(name)
    if body is None:
        return None
    try:
        return loads(_Kept, body)
    except InvalidRequest:
        return None
