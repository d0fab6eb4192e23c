"""What keeps a bounded job in here, as facts found out by trying."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Isolation:
    """The layers that hold on this machine.

    `landlock` is the kernel's ABI, none where there is none; `limits` are named as in `getrlimit(2)`; `engines` are the
    foreign modules that are imported before a job comes.
    """

    system: str
    machine: str
    landlock: int | None
    seccomp: bool
    limits: tuple[str, ...]
    engines: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether files, network and other processes are out of a job's reach."""
        return self.landlock is not None and self.seccomp

    def __str__(self) -> str:
        """One line, for the start of a service."""
        files = f"Landlock ABI {self.landlock}" if self.landlock is not None else "no Landlock"
        calls = "seccomp filter" if self.seccomp else "no seccomp filter"
        return f"{self.system} {self.machine}: {files}, {calls}, limits {' '.join(self.limits)}"
