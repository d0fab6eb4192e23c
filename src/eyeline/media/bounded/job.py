"""What goes into a bounded job and what comes out: values without input or output."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

from eyeline.errors import InvalidRequest

JOB_ROOT = "eyeline.media"
VALUE_BYTES = 16 << 20
"""The largest value a job may return, as JSON; what is larger belongs into an output."""

_NAME = re.compile(r"(?P<module>[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+):(?P<function>[a-z][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class JobLimits:
    """What one job may use; more of any ends the job alone, with `engine_failed`.

    `wall_ms` counts from the fork. `cpu_ms` is rounded up to whole seconds. `memory_bytes` is address space on top of
    what the imported engines take already. `output_bytes` holds for outputs and value together.
    """

    wall_ms: int = 30_000
    cpu_ms: int = 30_000
    memory_bytes: int = 1 << 30
    output_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        """Refuse limits that no job could keep."""
        for each in fields(self):
            value = getattr(self, each.name)
            if not 0 < value < 1 << 62:
                raise InvalidRequest(f"limit {each.name}={value!r} of a job must be over zero", field=each.name)


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job returned, and the outputs it added, in order."""

    value: dict[str, Any]
    outputs: tuple[bytes, ...] = ()


@runtime_checkable
class DescriptorSource(Protocol):
    """An open regular file; the child gets a descriptor of its own, so the file's position is never touched."""

    def fileno(self) -> int:
        """The descriptor."""
        ...


@runtime_checkable
class RangeSource(Protocol):
    """Bytes that are read where needed; `read_at` is called in the thread that runs the job."""

    @property
    def size(self) -> int:
        """Bytes in all."""
        ...

    def read_at(self, offset: int, length: int, /) -> bytes:
        """At most `length` bytes from `offset` on; fewer only at the end. What it raises reaches the caller."""
        ...


Readable = DescriptorSource | RangeSource


@dataclass(frozen=True, slots=True)
class BytesSource:
    """Bytes in memory as a source."""

    data: bytes | bytearray | memoryview

    @property
    def size(self) -> int:
        """Bytes in all."""
        return memoryview(self.data).nbytes

    def read_at(self, offset: int, length: int, /) -> bytes:
        """At most `length` bytes from `offset` on."""
        return bytes(memoryview(self.data).cast("B")[offset : offset + length])


def split_job(job: str, *, extra_modules: tuple[str, ...] = ()) -> tuple[str, str]:
    """Module and function of a job name; `InvalidRequest` unless the module lies below `eyeline.media` or is listed."""
    found = _NAME.fullmatch(job)
    if found is None or not (found["module"].startswith(JOB_ROOT + ".") or found["module"] in extra_modules):
        raise InvalidRequest(f"{job!r} is not a job", hint=f"a job is `module:function` below `{JOB_ROOT}`")
    return found["module"], found["function"]
