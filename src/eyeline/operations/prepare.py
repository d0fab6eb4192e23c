"""`prepare`: a conversation that holds references, made into one request for one route."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eyeline.model.assembly import OffloadRecord
from eyeline.model.message import Message
from eyeline.model.route import RoutePolicy
from eyeline.request.access import Attachments, Placed
from eyeline.request.assembling import Assembled, Surroundings, assemble
from eyeline.request.reading import messages_of
from eyeline.request.routes import route_named
from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from eyeline.request.remote import RemotePictures

Conversation = Sequence[Message | Mapping[str, Any]] | Mapping[str, Any] | str | bytes
"""Messages, the same as plain data, or their JSON."""


@dataclass(frozen=True, slots=True)
class PrepareOptions:
    """For which route, where the model's tools run, and what was decided for the request before.

    `route` is a route, its name or the name of a model. No `world` is one without files. `placed` are copies made in
    the world beforehand. `files_api` gives the Files API of a name, to put pictures there; without it they go inline.
    """

    route: str | RoutePolicy
    world: object = None
    placed: Placed = field(default_factory=dict[Any, str])
    record: OffloadRecord | None = None
    files_api: Callable[[str], RemotePictures] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


def prepare(conversation: Conversation, *, store: Attachments, options: PrepareOptions) -> Assembled:
    """One request. The same conversation, record, home and world give the same bytes.

    Raises `InvalidRequest` and `InvalidReference` for a conversation that is none, `LimitExceeded` where the newest
    turn, pinned pictures and text alone are more than the route takes, and what `files_api` raises. A Files API that
    does not do what it is asked raises nothing: the pictures go inline, and `placement` says why.
    """
    route = route_named(options.route) if isinstance(options.route, str) else options.route
    assembled = assemble(
        messages_of(conversation),
        route=route,
        surroundings=Surroundings(store, options.world, options.placed),
        record=options.record,
        cancel=options.cancel,
    )
    if options.files_api is None:
        return assembled
    return assembled.placed_by(options.files_api, cancel=options.cancel)
