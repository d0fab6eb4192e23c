"""A conversation with references, made into one request for one route: `assemble`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from eyeline.model.assembly import AssemblyReport, OffloadRecord, Omission
from eyeline.model.attachment import AttachmentRef
from eyeline.model.message import Message
from eyeline.model.prepared import PreparedImage, PreparedPart, PreparedRequest, PreparedText, PreparedToolResult
from eyeline.model.remote import WhyInline
from eyeline.model.route import RoutePolicy
from eyeline.request.access import Attachments, Bridge, Placed
from eyeline.request.composing import Chosen, Composer
from eyeline.request.encoding import Encoded, encode_all
from eyeline.request.occurrences import Standing, file_count, moments, standing_in
from eyeline.request.offloading import Plan, plan_of
from eyeline.request.providers import body_of, json_of
from eyeline.request.tokens import text_tokens
from eyeline.toolkit.cancel import CancelToken

if TYPE_CHECKING:
    from eyeline.request.remote import Placement, RemotePictures


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a request is assembled in: the store, the world its tools run in if there is one, and copies made there."""

    store: Attachments
    world: object = None
    placed: Placed = field(default_factory=dict[AttachmentRef, str])


@dataclass(frozen=True, slots=True)
class Assembled:
    """A prepared request with its account, and the record to hand to the next one.

    `placement` says how its pictures went to a Files API, where that was asked for.
    """

    prepared: PreparedRequest
    report: AssemblyReport
    record: OffloadRecord
    placement: Placement | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What this fills of the provider's request body, as the provider's own client takes it.

        The model, its tools and how much it may answer are the caller's to add.
        """
        return body_of(self.prepared)

    def body_json(self) -> bytes:
        """The body as the wire has it."""
        return json_of(self.body)

    def placed_by(self, files_api: Callable[[str], RemotePictures], *, cancel: CancelToken) -> Assembled:
        """The same with its pictures at the Files API of its route; inline where it has none or that fails."""
        from eyeline.request.remote import Placement

        name = self.prepared.route.files_api
        if name is None:
            return replace(self, placement=Placement(self.prepared, inline=WhyInline.NO_FILES_API))
        placement = files_api(name).place(self.prepared, cancel=cancel)
        return replace(self, prepared=placement.request, placement=placement)

    def texts(self) -> list[str]:
        """Every text of the request in order, descriptors and placeholders among them."""
        return [text for message in self.prepared.messages for part in message.parts for text in _texts(part)]


def assemble(
    messages: Sequence[Message],
    *,
    route: RoutePolicy,
    surroundings: Surroundings,
    record: OffloadRecord | None = None,
    cancel: CancelToken | None = None,
) -> Assembled:
    """One request for a route. The same messages, record, store and world give the same bytes.

    Raises `InvalidReference` for a reference that no attachment can have, and `LimitExceeded` where the newest turn,
    pinned pictures and text alone are more than the route takes. Whatever else is wrong with a picture becomes a
    placeholder for that one occurrence.
    """
    kept = record or OffloadRecord()
    standing = standing_in(messages)
    sendable = [each for each in standing if _unsendable(each, route) is None]
    plan = plan_of(sendable, moments(messages, sendable), route=route, steps=kept.steps_for(route.name))
    wanted = [(each.ref, target) for each, target in zip(sendable, plan.targets, strict=True) if target is not None]
    encoded = encode_all(wanted, store=surroundings.store, cancel=cancel or CancelToken())
    chosen = _chosen(standing, route, plan=plan, encoded=iter(encoded))
    bridge = Bridge(surroundings.store, surroundings.world, surroundings.placed)
    composer = Composer(route, bridge, chosen)
    prepared = PreparedRequest(route, tuple(composer.message(message) for message in messages))
    report = _report(composer, plan, files=file_count(messages))
    return Assembled(prepared, report, kept.extended(route.name, plan.new_steps))


def _texts(part: PreparedPart) -> list[str]:
    if isinstance(part, PreparedToolResult):
        return [text for each in part.parts for text in _texts(each)]
    if isinstance(part, PreparedImage) and part.rehoming is not None:
        return [part.rehoming.pointer, part.rehoming.caption]
    return [part.text] if isinstance(part, PreparedText) else []


def _unsendable(standing: Standing, route: RoutePolicy) -> Omission | None:
    """Why a picture can be in no request for this route at all."""
    if not route.pictures:
        return Omission.NO_PICTURES
    return None if standing.is_in_user_message else Omission.NOT_IN_THIS_ROLE


def _chosen(
    standing: Sequence[Standing], route: RoutePolicy, *, plan: Plan, encoded: Iterator[Encoded]
) -> list[Chosen]:
    """For every occurrence its picture, or why there is none."""
    planned = iter(zip(plan.levels, plan.targets, strict=True))
    chosen: list[Chosen] = []
    for each in standing:
        unsendable = _unsendable(each, route)
        level, target = (0, None) if unsendable is not None else next(planned)
        image = unsendable or (Omission.OFFLOADED if target is None else next(encoded))
        chosen.append(Chosen(each, image, level=level))
    return chosen


def _report(composer: Composer, plan: Plan, *, files: int) -> AssemblyReport:
    pictures = tuple(composer.records)
    counted = [each.image_tokens for each in pictures if each.variant_id is not None]
    known = [each for each in counted if each is not None]
    return AssemblyReport(
        route=composer.route.name,
        pictures=pictures,
        files=files,
        text_tokens=sum(text_tokens(text, composer.route.tokens) for text in composer.texts),
        image_tokens=sum(known) if len(known) == len(counted) else None,
        planned_bytes=plan.planned_bytes,
        new_steps=plan.new_steps,
    )
