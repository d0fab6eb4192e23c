"""Asking a lane once: what it came to is kept until the conversion is done, so that a killed one goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from eyeline.convert.lanes import OCR, TRANSCRIPT, LaneOutcome, OcrReading, Transcript
from eyeline.convert.scratch import Scratch
from eyeline.errors import InvalidRequest
from eyeline.wire import dumps, loads

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    """An outcome of the OCR lane as it is kept."""

    value: OcrReading | None = None
    code: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the transcript lane came to for a span of sound, from `start_ms` up to `end_ms` of the recording."""

    start_ms: int
    end_ms: int
    outcome: LaneOutcome[Transcript]


@dataclass(frozen=True, slots=True)
class _KeptHearing:
    """A span that was heard, as it is kept."""

    start_ms: int
    end_ms: int
    value: Transcript | None = None
    code: str | None = None
    reason: str = ""


def hear_once(scratch: Scratch | None, name: str, *, ask: Callable[[], Heard]) -> Heard:
    """What was heard in a span before, or is heard now. What may come out better the next time is not kept."""
    if scratch is None:
        return ask()
    before = _recalled(scratch, name, _KeptHearing)
    if before is not None:
        outcome = LaneOutcome(TRANSCRIPT, before.value, code=before.code, reason=before.reason)
        return Heard(before.start_ms, before.end_ms, outcome)
    heard = ask()
    if not heard.outcome.retryable:
        told = heard.outcome
        kept = _KeptHearing(heard.start_ms, heard.end_ms, told.value, told.code, told.reason)
        scratch.keep(name, dumps(kept).encode())
    return heard


def read_once(
    scratch: Scratch | None, name: str, ask: Callable[[], LaneOutcome[OcrReading]]
) -> LaneOutcome[OcrReading]:
    """What the OCR lane came to before, or comes to now. What may come out better the next time is not kept."""
    if scratch is None:
        return ask()
    before = _recalled(scratch, name, _Kept)
    if before is not None:
        return LaneOutcome(OCR, before.value, code=before.code, reason=before.reason)
    outcome = ask()
    if not outcome.retryable:
        scratch.keep(name, dumps(_Kept(outcome.value, outcome.code, outcome.reason)).encode())
    return outcome


def _recalled(scratch: Scratch, name: str, kind: type[T]) -> T | None:
    body = scratch.recall(name)
    if body is None:
        return None
    try:
        return loads(kind, body)
    except InvalidRequest:
        return None
