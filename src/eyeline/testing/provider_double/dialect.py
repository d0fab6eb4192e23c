"""What one provider's half of the double is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from eyeline.testing.provider_double.judging import SentPicture

if TYPE_CHECKING:
    from eyeline.testing.provider_double.refusing import Node, Place, Refusal
    from eyeline.testing.provider_double.shelving import Shelf


@dataclass(slots=True)
class Reading:
    """What a body was found to hold: its pictures and texts in order, each with its place."""

    account: str
    shelf: Shelf
    model: str
    pictures: list[SentPicture] = field(default_factory=list[SentPicture])
    texts: list[tuple[Place, str]] = field(default_factory=list["tuple[Place, str]"])

    def say(self, node: Node, *, blank: bool = True) -> None:
        """Note a text."""
        self.texts.append((node.place, node.text(blank=blank)))

    def inline(
        self, declared: str, data: Node, *, place: Place, in_result: bool = False, fits_model: bool = False
    ) -> None:
        """Note a picture whose base64 stands in the body."""
        picture = SentPicture(place, data.base64(), declared, len(data.text()), None, in_result, fits_model)
        self.pictures.append(picture)

    def file(self, file_id: Node, *, place: Place, in_result: bool = False, fits_model: bool = False) -> None:
        """Note a picture that was uploaded before; its type is that of its bytes."""
        name = file_id.text(blank=False)
        file = self.shelf.take(name, account=self.account, place=place)
        self.pictures.append(SentPicture(place, file.bytes, file.media_type, 0, name, in_result, fits_model))


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request: path below the provider's own, query, headers by lower-case name, and the body."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    base_url: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer; `json` is written as the body."""

    json: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Dialect(Protocol):
    """One provider: who asks, what its addresses do, and how it says no."""

    shelf: Shelf

    def account(self, exchange: Exchange) -> str:
        """Who asks; raises `Refusal` with status 401 or 403 for a missing key."""
        ...

    def is_question(self, exchange: Exchange) -> bool:
        """Whether this is a request to a model, rather than to its Files API."""
        ...

    def read(self, exchange: Exchange, body: Node, *, reading: Reading) -> None:
        """Read a request to a model strictly; raises `Refusal`."""
        ...

    def model_of(self, exchange: Exchange, body: Node) -> str:
        """The model that is asked."""
        ...

    def judge_further(self, reading: Reading) -> None:
        """Rules that only this provider has; raises `Refusal`."""
        ...

    def answer(self, exchange: Exchange, body: Node) -> Reply:
        """What the model says."""
        ...

    def files(self, exchange: Exchange, account: str) -> Reply:
        """Answer a request to the Files API; raises `Refusal`."""
        ...

    def refuse(self, refusal: Refusal) -> Reply:
        """A "no" in this provider's words."""
        ...
