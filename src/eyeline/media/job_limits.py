"""The limits of one bounded job, from the limits as data."""

from __future__ import annotations

from eyeline.media.bounded.job import JobLimits
from eyeline.model.limits import Limits


def job_limits(limits: Limits) -> JobLimits:
    """What one job may use of wall and CPU time, memory and output."""
    return JobLimits(
        wall_ms=limits.job_wall_ms,
        cpu_ms=limits.job_cpu_ms,
        memory_bytes=limits.job_memory_bytes,
        output_bytes=limits.job_output_bytes,
    )
