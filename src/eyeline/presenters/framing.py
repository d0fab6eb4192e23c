"""Framing: an answer in the order in which every channel sends it, before any channel gives it its own shape.

The header comes first, then each part behind its label. A channel keeps this order and sends each payload once; what it
cannot hold is replaced, at its place, by one line that says so.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyeline.model.envelope import Opened
from eyeline.model.manifest import ContentKind, Part
from eyeline.model.viewing import Viewed
from eyeline.presenters.labels import label
from eyeline.wire import dumps

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class Labelled:
    """A part behind the line that says what it is."""

    label: str
    part: Part


@dataclass(frozen=True, slots=True)
class Framed:
    """What every channel sends of an answer. `header` is its account of itself as JSON.

    With `went_wrong` the call came to nothing, though it was answered: a channel that can mark that, does.
    """

    header: str
    parts: tuple[Labelled, ...] = ()
    went_wrong: bool = False


def framed(answer: object) -> Framed:
    """Any answer of a tool: an opened source or a viewed batch with its parts, any other value as its JSON alone."""
    if isinstance(answer, Opened):
        return Framed(dumps(answer.envelope), _labelled(answer))
    if isinstance(answer, Viewed):
        return Framed(dumps(answer.report), _labelled(answer), went_wrong=went_wrong(answer))
    return Framed(dumps(answer))


def went_wrong(answer: object) -> bool:
    """Whether a call came to nothing, though it was answered: a batch of which no item was delivered or named."""
    return isinstance(answer, Viewed) and answer.report.all_failed


def _labelled(answer: Opened | Viewed) -> tuple[Labelled, ...]:
    return tuple(Labelled(label(answer, place), part) for place, part in enumerate(answer.parts))


def is_text(part: Part) -> bool:
    """Whether a part is characters rather than media."""
    return part.entry.content_kind is ContentKind.TEXT


def is_one_of(part: Part, media_types: Collection[str]) -> bool:
    """Whether a part has one of these media types."""
    return str(part.entry.media_type) in media_types


def left_out(part: Part, channel: str) -> str:
    """The line in place of a part that a channel cannot hold."""
    entry = part.entry
    return f"not delivered: {channel} cannot hold {entry.media_type} ({entry.byte_count} bytes)"


def filled(part: Part) -> str:
    """The text of a part for a channel that refuses blank texts, and with one the whole conversation."""
    return part.text if part.text.strip() else f"a text of {len(part.text)} characters, all of them blank"


def encoded(part: Part) -> str:
    """The bytes of a part as base64 text."""
    return base64.b64encode(part.bytes).decode("ascii")


def data_url(part: Part) -> str:
    """The bytes of a part as a `data:` URL."""
    return f"data:{part.entry.media_type};base64,{encoded(part)}"
