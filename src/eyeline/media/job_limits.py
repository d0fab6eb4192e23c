"""The limits of one bounded job, from the limits as data."""

from __future__ import annotations

from eyeline.media.bounded.job import JobLimits
from eyeline.model.limits import Limits


def job_limits(limits: Limits, *, whole_recording: bool = False) -> JobLimits:
    """What one job may use of wall and CPU time, memory and output; one that looks at a whole recording has longer."""
    wall_ms = limits.recording_wall_ms if whole_recording else limits.job_wall_ms
    return JobLimits(
        wall_ms=wall_ms,
        cpu_ms=2 * wall_ms if whole_recording else limits.job_cpu_ms,
        memory_bytes=limits.job_memory_bytes,
        output_bytes=limits.job_output_bytes,
    )
