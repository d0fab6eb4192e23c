"""Names and limits of jobs."""

from __future__ import annotations

import pytest

from eyeline.errors import InvalidRequest
from eyeline.media.bounded.job import BytesSource, JobLimits, RangeSource, split_job


def test_a_job_is_a_function_of_a_module_below_media() -> None:
    assert split_job("eyeline.media.pictures:render") == ("eyeline.media.pictures", "render")


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "eyeline.media:render",
        "eyeline.mediabogus.x:render",
        "eyeline.store.files:put",
        "eyeline.media.pictures",
        "eyeline.media.pictures:render.__globals__",
        "eyeline.media.pictures:_private",
        "eyeline.media.pictures:render\n",
        "eyeline.media..pictures:render",
        "eyeline.testing.hostile:nothing",
        "",
    ],
)
def test_other_names_are_no_jobs(name: str) -> None:
    with pytest.raises(InvalidRequest):
        split_job(name)


def test_a_listed_module_may_have_jobs_and_those_beside_it_may_not() -> None:
    extra = ("eyeline.testing.hostile",)
    assert split_job("eyeline.testing.hostile:nothing", extra_modules=extra)[1] == "nothing"
    with pytest.raises(InvalidRequest):
        split_job("eyeline.testing.hostiles:nothing", extra_modules=extra)


@pytest.mark.parametrize("name", ["wall_ms", "cpu_ms", "memory_bytes", "output_bytes"])
@pytest.mark.parametrize("value", [0, -1, 1 << 62])
def test_limits_that_no_job_could_keep_are_refused(name: str, value: int) -> None:
    with pytest.raises(InvalidRequest):
        JobLimits(**{name: value})


def test_bytes_in_memory_are_a_source() -> None:
    source = BytesSource(memoryview(b"0123456789"))
    assert isinstance(source, RangeSource)
    assert source.size == 10
    assert source.read_at(8, 5) == b"89"
    assert source.read_at(20, 5) == b""
