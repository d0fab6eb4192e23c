"""Values of `download`, `upload` and `wait`: what was carried where, and how a wait ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A new file. `path` is relative to the base folder; `url` is what answered in the end, neutralised.

    `media_type` is told from the bytes. `notes` are short codes; `type_mismatch` is followed by the sentence.
    """

    path: str
    url: str
    byte_count: int
    media_type: MediaType
    digest: Digest
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that a sink took. `path` is how it is spelled on disk; `reference` is what the sink calls it."""

    path: str
    sink: str
    reference: str
    byte_count: int
    media_type: MediaType
    digest: Digest
    notes: tuple[str, ...] = ()


class Standing(StrEnum):
    """How a condition stands."""

    PENDING = "pending"
    """Not yet."""

    MET = "met"
    """It holds."""

    NEVER = "never"
    """It will not come to hold; waiting longer is of no use."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a condition answers: how it stands and, in a sentence for a model, what is known of it."""

    standing: Standing
    message: str = ""


class WaitEnd(StrEnum):
    """What ended a wait."""

    TIME = "time"
    """The time that was asked for has passed; there was no condition to wait for."""

    MET = "met"
    """The condition holds."""

    NEVER = "never"
    """The condition says that it will not come to hold."""

    BOUND = "bound"
    """The longest wait of one call, or the time that was asked for, is over, and the condition does not hold yet."""


@dataclass(frozen=True, slots=True)
class Waited:
    """How a wait ended. `left_ms` is what is left of the time that was asked for; `checks` is how often was looked.

    `message` is the condition's last one.
    """

    ended: WaitEnd
    waited_ms: int
    left_ms: int = 0
    checks: int = 0
    message: str = ""
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """Bounds on one wait."""

    max_wait_ms: int = 50_000
    """How long one call may wait; common hosts give a call up after a minute."""

    first_pause_ms: int = 250
    """The pause between the first two looks at a condition; each later one is half as long again."""

    max_pause_ms: int = 5_000
    """The longest pause between two looks."""
