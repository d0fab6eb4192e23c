"""What a mail encloses, taken out of it in the bounded child: a few at a time, so that no mail fills the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import Admission, AdmissionOutcome, Version
from eyeline.operations.advancing import Advancing
from eyeline.toolkit.cancel import CancelToken

BATCH_BYTES = 32 << 20
MAX_DEPTH = 8
"""How deep mails inside mails are taken apart."""

MAX_INSIDE = 500
"""How many documents come out of one thing that was offered, at every depth together."""


@dataclass(frozen=True, slots=True)
class Inside:
    """Something that a mail encloses: its number there, its bare name, the type it claims, and its bytes.

    No `data`: it has `size` bytes, more than a job hands back.
    """

    number: int
    name: str
    claimed: str
    size: int
    data: bytes | None


def inside(version: Version, admission: Admission, *, advancing: Advancing, cancel: CancelToken) -> Iterator[Inside]:
    """What a version of a mail encloses, in order; nothing for any other media.

    Raises `MediaError`, `EngineFailed`, `StoreError` and `Cancelled`, also after some were answered.
    """
    engine = engine_for(version.content.media_type)
    if engine is None or not version.content.media_type.is_mail or admission.outcome is not AdmissionOutcome.ADMITTED:
        return
    first: int | None = 1
    while first is not None:
        params = {
            "media_type": str(version.content.media_type),
            "first": first,
            "max_bytes": BATCH_BYTES,
            "max_one_bytes": advancing.limits.job_output_bytes,
        }
        with advancing.originals.open(version.content.digest) as source:
            result = advancing.bench.pool.run(
                engine.job("take_enclosures"),
                params,
                source=source,
                limits=job_limits(advancing.limits),
                cancel=cancel,
            )
        outputs = iter(result.outputs)
        taken: list[dict[str, Any]] = result.value["taken"]
        for each in taken:
            data = next(outputs) if each["is_there"] else None
            yield Inside(each["number"], each["name"], each["claimed"], each["size"], data)
        first = result.value["next"]
