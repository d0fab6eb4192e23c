"""Looks into stored recordings and cuts them, in the bounded child."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eyeline.media.bounded.job import JobResult
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.job_limits import job_limits
from eyeline.model.limits import Limits
from eyeline.model.locator import Span
from eyeline.model.manifest import Transform
from eyeline.model.plan import CutPlan
from eyeline.render.renditions import PictureSource
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import to_plain, validate


@dataclass(frozen=True, slots=True)
class Shots:
    """Frames that stand for a span: when each begins, how many were looked at, how many shots there seem to be."""

    times_ms: tuple[int, ...]
    looked_at: int
    shots: int


@dataclass(frozen=True, slots=True)
class MadeCut:
    """An encoded cut, the span that is in it, and what was done to make it."""

    bytes: bytes
    span: Span
    transforms: tuple[Transform, ...]


class Recordings:
    """Finds key frames and cuts spans. Nothing is kept: a cut is made anew each time."""

    def __init__(self, pool: BoundedPool, limits: Limits) -> None:
        self._pool = pool
        self._limits = limits

    def shots(self, source: PictureSource, span: Span, *, most: int, cancel: CancelToken | None = None) -> Shots:
        """At most so many frames that stand for a span. Raises `MediaError` kinds, `EngineFailed` and `Cancelled`."""
        params = {"start_ms": span.start_ms, "end_ms": span.end_ms, "max_shots": most}
        return validate(Shots, self._run("shots", source, params, cancel).value)

    def cut(self, source: PictureSource, plan: CutPlan, *, cancel: CancelToken | None = None) -> MadeCut:
        """The cut of a plan. Raises `MediaError` kinds, `EngineFailed` and `Cancelled`."""
        result = self._run("cut", source, {"plan": to_plain(plan)}, cancel)
        transforms = validate(tuple[Transform, ...], result.value["transforms"])
        return MadeCut(result.outputs[0], validate(Span, result.value["span"]), transforms)

    def _run(self, job: str, source: PictureSource, params: dict[str, Any], cancel: CancelToken | None) -> JobResult:
        given = {"media_type": str(source.media_type), "max_pixels": self._limits.max_pixels, **params}
        bounds = job_limits(self._limits, whole_recording=job == "shots")
        with source.open() as opened:
            return self._pool.run(f"eyeline.media.recordings:{job}", given, source=opened, limits=bounds, cancel=cancel)
