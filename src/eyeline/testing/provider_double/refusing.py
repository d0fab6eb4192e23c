"""A "no" of a provider, in no provider's words yet, and values of a body that know their place in it."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection

Place = tuple[str | int, ...]


@dataclass(slots=True)
class Refusal(Exception):
    """Why a request is refused. `code` is the double's own word; each provider has its own table of answers.

    `place` leads to what is refused; `facts` are values that an answer may show.
    """

    code: str
    message: str
    place: Place = ()
    status: int = 400
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        return f"{self.code} at {dotted(self.place)}: {self.message}"


def dotted(place: Place) -> str:
    """A place as `messages.0.content.1`."""
    return ".".join(map(str, place))


def indexed(place: Place) -> str:
    """A place as `input[0].content[1]`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a body and its place. What is not as asked raises `Refusal` with the code `shape`."""

    value: Any
    place: Place = ()

    def wrong(self, message: str, *, code: str = "shape") -> Refusal:
        """A refusal of this value."""
        return Refusal(code, message, self.place)

    def object(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object was expected")
        return cast("dict[str, Any]", self.value)

    def fields(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, Node]:
        """The fields of an object that has these and no others."""
        known = self.object()
        for name in required:
            if name not in known:
                raise Refusal("shape", "field required", (*self.place, name))
        for name in known:
            if name not in required and name not in optional:
                raise Refusal("shape", "extra fields are not permitted", (*self.place, name))
        return {name: Node(value, (*self.place, name)) for name, value in known.items()}

    def items(self) -> list[Node]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list was expected")
        return [Node(value, (*self.place, place)) for place, value in enumerate(cast("list[Any]", self.value))]

    def text(self, *, blank: bool = True) -> str:
        """A text; with `blank=False` one that says something."""
        if not isinstance(self.value, str):
            raise self.wrong("a text was expected")
        if not blank and not self.value.strip():
            raise self.wrong("the text is blank")
        return self.value

    def one_of(self, *choices: object) -> Any:
        """One of these values."""
        if self.value not in choices:
            raise self.wrong(f"{self.value!r} is none of {', '.join(map(repr, choices))}")
        return self.value

    def kind(self, key: str = "type") -> str:
        """The text in a field that says what an object is."""
        said = self.object().get(key)
        if not isinstance(said, str):
            raise Refusal("shape", "field required", (*self.place, key))
        return said

    def base64(self) -> bytes:
        """The bytes behind base64 text in its strict spelling."""
        try:
            return base64.b64decode(self.text(), validate=True)
        except binascii.Error as exc:
            raise self.wrong("this is no base64", code="undecodable") from exc

    def data_url(self) -> tuple[str, Node]:
        """Media type and base64 of a `data:` address."""
        head, comma, rest = self.text().partition(",")
        if not (comma and head.startswith("data:") and head.endswith(";base64")):
            raise self.wrong("a data: address with base64 was expected; no address is fetched here")
        return head.removeprefix("data:").removesuffix(";base64"), Node(rest, self.place)
