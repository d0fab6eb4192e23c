"""Damaged samples of every picture format in the bounded child: typed outcomes only, and what is admitted opens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from tests.support.campaign import in_pieces
from tests.support.formats import all_samples
from tests.support.mutations import mutations

from eyeline.errors import EyelineError, MediaError
from eyeline.media.bounded.job import BytesSource, JobLimits
from eyeline.media.bounded.pool import BoundedPool
from eyeline.model.document import AdmissionOutcome

ADMIT, RENDER = "eyeline.media.pictures:admit", "eyeline.media.pictures:render"
LIMITS = JobLimits(wall_ms=30_000, cpu_ms=10_000, memory_bytes=1 << 30)
SHORT, LONG, PIECE = 40, 4_000, 400
SAMPLES = all_samples()


@pytest.fixture(scope="module")
def pool() -> Iterator[BoundedPool]:
    with BoundedPool(max_parallel=2) as started:
        yield started


def outcomes(pool: BoundedPool, name: str, *, count: int) -> dict[str, int]:
    """How often damaged copies of a sample came to what; anything untyped fails here."""
    media_type, data = SAMPLES[name]
    seen: dict[str, int] = {}
    damaged = mutations(data, seed=f"pictures {name}", count=count)
    for piece in in_pieces(f"damaged {name}", range(count), size=PIECE):
        for each in islice(damaged, len(piece)):
            code = _outcome(pool, each, media_type)
            seen[code] = seen.get(code, 0) + 1
    return seen


def _outcome(pool: BoundedPool, data: bytes, media_type: str) -> str:
    params = {"media_type": media_type, "max_pixels": 1_000_000, "max_frames": 100}
    try:
        answer = pool.run(ADMIT, params, source=BytesSource(data), limits=LIMITS).value
    except EyelineError as exc:
        return f"{exc.code}:{exc.detail.get('reason', '')}"
    if answer["outcome"] == "admitted":
        _open(pool, data, answer["probe"])
    return str(AdmissionOutcome(answer["outcome"]))


def _open(pool: BoundedPool, data: bytes, probe: dict[str, Any]) -> None:
    """What is admitted can be drawn, or fails as media does; each frame that is told is there."""
    size = {"width_px": min(64, probe["size"]["width_px"]), "height_px": min(64, probe["size"]["height_px"])}
    for frame in {1, probe["frames"]}:
        plan = {"size": size, "media_types": ["image/png", "image/jpeg"], "max_bytes": 1 << 20, "frame": frame}
        params = {"media_type": probe["media_type"], "plan": plan}
        try:
            assert pool.run(RENDER, params, source=BytesSource(data), limits=LIMITS).outputs
        except MediaError:
            continue


@pytest.mark.requirement("XC-01")
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_damaged_pictures_have_typed_outcomes_and_none_crashes_the_child(pool: BoundedPool, name: str) -> None:
    seen = outcomes(pool, name, count=SHORT)
    assert sum(seen.values()) == SHORT
    assert [code for code in seen if "crashed" in code] == []


@pytest.mark.torture
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_very_many_damaged_pictures_have_typed_outcomes(pool: BoundedPool, name: str) -> None:
    seen = outcomes(pool, name, count=LONG)
    assert sum(seen.values()) == LONG
    assert [code for code in seen if "crashed" in code] == []
