"""Admission: a probe and a full decode in the bounded child, turned into one of a closed list of outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, BinaryIO

from eyeline.errors import CorruptMedia, EncryptedMedia, EngineFailed, MediaError, MediaTooLarge, UnsupportedMedia
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import CARD_ENGINE, Engine, engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, AdmissionOutcome, BlobRef
from eyeline.model.limits import Limits
from eyeline.model.probe import Probe
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import validate

ADMISSION_REVISION = "1"

_ENGINE_REASONS = {
    "timeout": AdmissionOutcome.TIMEOUT,
    "over_memory": AdmissionOutcome.OVER_MEMORY,
    "over_output": AdmissionOutcome.OVER_MEMORY,
    "crashed": AdmissionOutcome.CRASHED,
}
_FINAL = (AdmissionOutcome.ADMITTED, AdmissionOutcome.MALFORMED, AdmissionOutcome.TRUNCATED)
_MEDIA_ERRORS: tuple[tuple[type[MediaError], AdmissionOutcome], ...] = (
    (EncryptedMedia, AdmissionOutcome.ENCRYPTED),
    (MediaTooLarge, AdmissionOutcome.OVER_PIXELS),
    (UnsupportedMedia, AdmissionOutcome.UNSUPPORTED),
    (CorruptMedia, AdmissionOutcome.MALFORMED),
    (MediaError, AdmissionOutcome.MALFORMED),
)


def policy_version(limits: Limits) -> str:
    """Name of the policy that admission decides under; another limit or revision is another policy."""
    bounds = asdict(limits)
    text = "|".join(f"{name}={bounds[name]}" for name in sorted(bounds))
    return f"{ADMISSION_REVISION}-{Digest.of(text.encode()).hex[:12]}"


def admit(
    content: BlobRef,
    opener: Callable[[], BinaryIO],
    *,
    pool: BoundedPool,
    limits: Limits,
    now_ms: int,
    cancel: CancelToken | None = None,
) -> Admission:
    """Decide on stored bytes. Every fault of theirs is an outcome; only our own faults raise."""
    engine = engine_for(content.media_type) or CARD_ENGINE

    def run(job: str) -> Admission:
        answer = _answer(job, content, opener, engine=engine, pool=pool, limits=limits, cancel=cancel)
        probe = None if answer.get("probe") is None else validate(Probe, answer["probe"])
        outcome, decoder = AdmissionOutcome(answer["outcome"]), str(answer["decoder"])
        return _decided(content, limits, now_ms, outcome, reason=answer.get("reason"), decoder=decoder, probe=probe)

    decided = run(engine.job("admit"))
    if engine.words is None or decided.outcome in _FINAL:
        return decided
    read = run(engine.words)
    if read.outcome is not AdmissionOutcome.ADMITTED:
        return decided
    reason = f"it cannot be drawn ({decided.outcome.value}: {decided.reason}), its words can be read"
    return replace(read, reason=reason)


def _answer(
    job: str,
    content: BlobRef,
    opener: Callable[[], BinaryIO],
    *,
    engine: Engine,
    pool: BoundedPool,
    limits: Limits,
    cancel: CancelToken | None,
) -> dict[str, Any]:
    """What a job says of the bytes, also where it failed or died."""
    params = {
        "media_type": str(content.media_type),
        "max_pixels": limits.max_pixels,
        "max_frames": limits.max_frames,
        "max_pages": limits.max_pages,
        "max_text_bytes": limits.max_text_bytes,
        "max_duration_ms": limits.max_duration_ms,
    }
    try:
        with opener() as source:
            bounds = job_limits(limits, whole_recording=engine.is_slow)
            return pool.run(job, params, source=source, limits=bounds, cancel=cancel).value
    except MediaError as exc:
        outcome = next(outcome for kind, outcome in _MEDIA_ERRORS if isinstance(exc, kind))
        return {"outcome": exc.detail.get("outcome", outcome), "reason": exc.message, "decoder": engine.module}
    except EngineFailed as exc:
        outcome = _ENGINE_REASONS.get(str(exc.detail.get("reason")), AdmissionOutcome.CRASHED)
        return {"outcome": outcome, "reason": exc.message, "decoder": engine.module}


def _decided(
    content: BlobRef,
    limits: Limits,
    now_ms: int,
    outcome: AdmissionOutcome,
    *,
    reason: str | None = None,
    decoder: str = "none",
    probe: Probe | None = None,
) -> Admission:
    return Admission(
        content=content.digest,
        policy=policy_version(limits),
        outcome=outcome,
        reason=reason,
        decoder=decoder,
        probe=probe,
        decided_ms=now_ms,
    )
