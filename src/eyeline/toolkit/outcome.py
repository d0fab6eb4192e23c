"""What a call came to: an answer and its presentation, or an error that is safe to show."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from eyeline.errors import DetailValue, EyelineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Out = TypeVar("Out")


class Status(StrEnum):
    """How a call ended."""

    SUCCESS = "success"
    REFUSED = "refused"
    """The handler did not run, or raised what the caller can mend."""
    FAILED = "failed"
    """The handler ran and something broke that is not the caller's."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class SafeError:
    """An error as the outside sees it: no host path, no traceback, no address that the caller did not give.

    `incident_id` is there when the cause is ours; the log holds the cause under the same id.
    """

    code: str
    message: str
    hint: str | None = None
    retryable: bool = False
    incident_id: str | None = None
    detail: Mapping[str, DetailValue] = field(default_factory=lambda: MappingProxyType[str, DetailValue]({}))

    def to_plain(self) -> dict[str, Any]:
        """As JSON-able data; what is absent is left out."""
        plain: dict[str, Any] = {"code": self.code, "message": self.message, "retryable": self.retryable}
        if self.hint is not None:
            plain["hint"] = self.hint
        if self.incident_id is not None:
            plain["incident_id"] = self.incident_id
        if self.detail:
            plain["detail"] = dict(self.detail)
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome(Generic[Out]):
    """What `ToolRunner.run` gives back; it does not raise for a call that went wrong.

    On success `value` is the validated answer and `presented` what the surface's presenter made of it (None without
    one); otherwise `error` says why not.
    """

    call_id: str
    status: Status
    value: Out | None = None
    presented: Any = None
    error: SafeError | None = None

    def result(self) -> Out:
        """The answer, for callers in the same process; otherwise raise the error of `eyeline.errors` with its code.

        What is raised says what `error` says, not the cause: that is in the log.
        """
        if self.error is None:
            return cast("Out", self.value)
        kind = next((kind for kind in _kinds(EyelineError) if kind.code == self.error.code), EyelineError)
        detail = dict(self.error.detail)
        if self.error.incident_id is not None:
            detail["incident_id"] = self.error.incident_id
        raise kind(self.error.message, hint=self.error.hint, **detail)


def _kinds(root: type[EyelineError]) -> Iterator[type[EyelineError]]:
    for kind in root.__subclasses__():
        yield kind
        yield from _kinds(kind)
