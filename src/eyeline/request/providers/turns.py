"""What every provider's body is made of: turns, tool results before the rest, pictures where they can stand.

Neighbouring messages of one role are one turn here, for several providers insist that roles alternate and that the
results of parallel calls come together.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from eyeline.model.prepared import PreparedImage, PreparedText, PreparedToolCall, PreparedToolResult

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from eyeline.model.message import MessageRole
    from eyeline.model.prepared import PreparedPart, PreparedRequest

Shown = PreparedText | PreparedImage

MAX_ARGUMENTS_DEPTH = 64
"""Lists and objects in one another in the arguments of a call; what is deeper no provider's reader gets through."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Neighbouring messages of one role. `shown` keeps the borders of the messages and leaves out their results."""

    role: MessageRole
    results: tuple[PreparedToolResult, ...]
    shown: tuple[tuple[Shown | PreparedToolCall, ...], ...]

    @property
    def moved(self) -> tuple[Shown, ...]:
        """The pictures that the results of this turn cannot hold, each after its caption."""
        return tuple(part for result in self.results for part in moved_out(result))

    @property
    def loose(self) -> tuple[Shown | PreparedToolCall, ...]:
        """All that is shown outside the results, as one run."""
        return tuple(part for message in self.shown for part in message)


def turns_of(request: PreparedRequest) -> tuple[Turn, ...]:
    """The turns of a request without texts that are blank, for blank texts are refused by some providers."""
    turns: list[Turn] = []
    for _, neighbours in groupby(request.messages, key=lambda message: message.role):
        messages = list(neighbours)
        parts = [tuple(_without_blanks(message.parts)) for message in messages]
        results = tuple(part for each in parts for part in each if isinstance(part, PreparedToolResult))
        shown = tuple(tuple(part for part in each if not isinstance(part, PreparedToolResult)) for each in parts)
        if results or any(shown):
            turns.append(Turn(messages[0].role, results, tuple(each for each in shown if each)))
    return tuple(turns)


def system_texts(turns: Iterable[Turn]) -> list[str]:
    """The texts of the system turns, for providers that take them apart from the conversation."""
    return [
        part.text for turn in turns if turn.role == "system" for part in turn.loose if isinstance(part, PreparedText)
    ]


def held_by(result: PreparedToolResult) -> tuple[Shown, ...]:
    """What stays in a tool result: all of it, with a pointer in the place of each picture that goes elsewhere."""
    held = tuple(
        PreparedText(part.rehoming.pointer) if isinstance(part, PreparedImage) and part.rehoming is not None else part
        for part in result.parts
    )
    return cast("tuple[Shown, ...]", tuple(_without_blanks(held)))


def moved_out(result: PreparedToolResult) -> tuple[Shown, ...]:
    """The pictures of a tool result that go elsewhere, each after its caption."""
    moved: list[Shown] = []
    for part in result.parts:
        if isinstance(part, PreparedImage) and part.rehoming is not None:
            moved += [PreparedText(part.rehoming.caption), part]
    return tuple(moved)


def _without_blanks(parts: Iterable[PreparedPart]) -> Iterable[PreparedPart]:
    return (part for part in parts if not isinstance(part, PreparedText) or part.text.strip())


def encoded(picture: PreparedImage) -> str:
    """The bytes of a picture as base64 text."""
    return base64.b64encode(picture.image.bytes).decode("ascii")


def data_url(picture: PreparedImage) -> str:
    """A picture as a `data:` address."""
    return f"data:{picture.image.media_type};base64,{encoded(picture)}"


def arguments_of(call: PreparedToolCall) -> dict[str, Any]:
    """The arguments of a call as an object. What a model wrote is no JSON object at times: then it goes as a text.

    Nor is it where it holds numbers that JSON has no word for, or halves of characters.
    """
    try:
        parsed: object = json.loads(call.arguments)
        # what is read here must be written again, inside a body
        json.dumps(parsed, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        parsed = None
    found = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else None
    return {"arguments": call.arguments} if found is None or _is_deep(found) else found


def _is_deep(value: object) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_ARGUMENTS_DEPTH + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (cast("dict[str, Any]", each).values() if isinstance(each, dict) else cast("list[Any]", each))
        ]
    return bool(level)


def fitting_id(call_id: str, allowed: re.Pattern[str], *, length: int) -> str:
    """The id of a call as it is, or one made from it where a provider does not take its spelling."""
    return call_id if allowed.fullmatch(call_id) else hashlib.sha256(call_id.encode()).hexdigest()[:length]


def joined(parts: Iterable[Shown | PreparedToolCall]) -> str:
    """The texts of some parts as one, for places that hold one text only."""
    return "\n\n".join(part.text for part in parts if isinstance(part, PreparedText))
