"""What assembling a request came to: the account of every picture, and the record that later requests replay.

Both hold ids and never a path.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.media_type import MediaType


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a picture in a conversation: `nth` counts those of the same attachment, from 1."""

    attachment_id: Digest
    nth: int


class OffloadAction(StrEnum):
    """What one step of offloading does to pictures from then on."""

    REDUCE = "reduce"
    """They are sent smaller."""

    OMIT = "omit"
    """They are left out; placeholders stand for them."""

    MANY = "many"
    """The request has come to hold so many pictures that the route's bound for many holds for each of them."""


@dataclass(frozen=True, slots=True)
class OffloadStep:
    """One step: the action, how far pictures are reduced (1 and up), and which ones it is about."""

    action: OffloadAction
    level: int = 0
    pictures: tuple[Occurrence, ...] = ()


@dataclass(frozen=True, slots=True)
class RouteOffload:
    """The steps that were taken for one route, in order."""

    route: str
    steps: tuple[OffloadStep, ...]


@dataclass(frozen=True, slots=True)
class OffloadRecord:
    """What was decided for earlier requests of one conversation, by route. Keep it beside the conversation.

    Steps are only ever added: what was reduced or left out stays so for that route.
    """

    routes: tuple[RouteOffload, ...] = ()
    version: Literal[1] = 1

    def steps_for(self, route: str) -> tuple[OffloadStep, ...]:
        """The steps of a route; none for one that was not used yet."""
        return next((each.steps for each in self.routes if each.route == route), ())

    def extended(self, route: str, steps: tuple[OffloadStep, ...]) -> OffloadRecord:
        """The record with further steps of a route."""
        if not steps:
            return self
        merged = RouteOffload(route, self.steps_for(route) + steps)
        others = [each for each in self.routes if each.route != route]
        return OffloadRecord((*others, merged))


class Omission(StrEnum):
    """Why a placeholder stands where a picture stood."""

    OFFLOADED = "offloaded"
    """The request would be too large with it."""

    NO_PICTURES = "no_pictures"
    """The models of this route take none."""

    NOT_IN_THIS_ROLE = "not_in_this_role"
    """It stands in a message of a role that holds no pictures."""

    MISSING = "missing"
    """The stored object is not there."""

    DAMAGED = "damaged"
    """The stored object is not what was kept, or cannot be decoded."""

    UNREADABLE = "unreadable"
    """The store or the engine failed."""

    NOT_FITTING = "not_fitting"
    """Nothing made of it fits."""


class PictureOutcome(StrEnum):
    """What became of one occurrence of a picture."""

    SENT = "sent"
    """The normalised object itself."""

    SCALED = "scaled"
    """A variant of it: smaller, padded or encoded anew."""

    OMITTED = "omitted"
    """A placeholder."""


@dataclass(frozen=True, slots=True)
class PictureRecord:
    """One occurrence, in the order of the conversation; messages count from 1.

    `size` is in delivered pixels, `byte_count` raw. `image_tokens` is `None` where the provider publishes no formula;
    `text_tokens` are those of the descriptor or placeholder and of what keeps a picture paired with its tool result.
    """

    occurrence: Occurrence
    message: int
    outcome: PictureOutcome
    text_tokens: int
    image_tokens: int | None = None
    omission: Omission | None = None
    level: int = 0
    variant_id: Digest | None = None
    media_type: MediaType | None = None
    byte_count: int = 0
    size: Size | None = None
    pairing_id: str | None = None


@dataclass(frozen=True, slots=True)
class AssemblyReport:
    """The account of one request.

    `text_tokens` are those of the whole conversation's text, descriptors and placeholders included; `image_tokens` is
    `None` where the provider publishes no formula and there are pictures. `planned_bytes` is what the body was planned
    not to exceed. `new_steps` are those that this request added to the record: none means that the request before is
    the beginning of this one.
    """

    route: str
    pictures: tuple[PictureRecord, ...]
    files: int
    text_tokens: int
    planned_bytes: int
    image_tokens: int | None = None
    new_steps: tuple[OffloadStep, ...] = ()

    @property
    def estimated_tokens(self) -> int | None:
        """Text and pictures together; `None` where pictures cannot be counted."""
        return None if self.image_tokens is None else self.text_tokens + self.image_tokens

    def count(self, outcome: PictureOutcome) -> int:
        """How many occurrences came to this."""
        return sum(each.outcome is outcome for each in self.pictures)
