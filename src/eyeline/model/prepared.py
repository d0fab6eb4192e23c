"""A request made ready for one route: pictures chosen and encoded, texts final, in no provider's words yet.

Bytes live here and in the provider's body only; records and reports hold ids. Adapters place these parts and write
no text of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.model.attachment import ImageRef, RequestImage
from eyeline.model.message import MessageRole
from eyeline.model.route import RoutePolicy


@dataclass(frozen=True, slots=True)
class PreparedText:
    """Characters: of the conversation, or the descriptor of the picture that follows, or a placeholder."""

    text: str


@dataclass(frozen=True, slots=True)
class Rehoming:
    """How a picture that its tool result cannot hold stays paired with it.

    `pointer` takes the picture's place in the tool result; `caption` stands directly before the picture where it
    goes instead (`RoutePolicy.result_pictures`). Both name `pairing_id`.
    """

    pairing_id: str
    pointer: str
    caption: str


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """One occurrence of a picture. `remote_id`: its id at the provider's Files API, in place of the bytes.

    `rehoming` is there for a picture in a tool result that the route cannot nest, and nowhere else.
    """

    image: RequestImage
    ref: ImageRef
    rehoming: Rehoming | None = None
    remote_id: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedToolCall:
    """A call that the model made; `arguments` is the JSON text of an object."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class PreparedToolResult:
    """What a call came to."""

    call_id: str
    name: str
    parts: tuple[PreparedText | PreparedImage, ...]
    is_error: bool = False


PreparedPart = PreparedText | PreparedImage | PreparedToolCall | PreparedToolResult


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """One message; pictures stand in user messages only, each right after the text that describes it."""

    role: MessageRole
    parts: tuple[PreparedPart, ...]


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A whole request for one route."""

    route: RoutePolicy
    messages: tuple[PreparedMessage, ...]
