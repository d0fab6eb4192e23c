"""A conversation with references, made into one request for one route: `assemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eyeline.model.assembly import AssemblyReport, OffloadRecord, Omission
from eyeline.model.attachment import AttachmentRef
from eyeline.model.message import Message
from eyeline.model.prepared import PreparedRequest
from eyeline.model.route import RoutePolicy
from eyeline.request.access import Attachments, Bridge, Placed
from eyeline.request.composing import Chosen, Composer
from eyeline.request.encoding import encode_all
from eyeline.request.occurrences import Standing, file_count, moments, standing_in
from eyeline.request.offloading import Plan, plan_of
from eyeline.request.targets import OMITTED, targets_of
from eyeline.request.tokens import text_tokens
from eyeline.request.worlds import NoWorld
from eyeline.toolkit.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a request is assembled in: the store, the world its tools run in, and copies that were made there."""

    store: Attachments
    world: object = NoWorld()
    placed: Placed = field(default_factory=dict[AttachmentRef, str])


@dataclass(frozen=True, slots=True)
class Assembled:
    """A prepared request with its account, and the record to hand to the next one."""

    prepared: PreparedRequest
    report: AssemblyReport
    record: OffloadRecord


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
    leveled = list(zip(sendable, plan.levels, strict=True))
    planned = {
        each: (each.ref, targets_of(each.ref, route, is_many=plan.is_many)[level])
        for each, level in leveled
        if level < OMITTED
    }
    encoded = encode_all(planned.values(), store=surroundings.store, cancel=cancel or CancelToken())
    images = {each: encoded[wanted] for each, wanted in planned.items()}
    levels = dict(leveled)
    chosen = [
        Chosen(each, images.get(each) or _unsendable(each, route) or Omission.OFFLOADED, level=levels.get(each, 0))
        for each in standing
    ]
    bridge = Bridge(surroundings.store, surroundings.world, surroundings.placed)
    composer = Composer(route, bridge, chosen)
    prepared = PreparedRequest(route, tuple(composer.message(message) for message in messages))
    report = _report(composer, plan, files=file_count(messages))
    return Assembled(prepared, report, kept.extended(route.name, plan.new_steps))


def _unsendable(standing: Standing, route: RoutePolicy) -> Omission | None:
    """Why a picture can be in no request for this route at all."""
    if not route.pictures:
        return Omission.NO_PICTURES
    return None if standing.is_in_user_message else Omission.NOT_IN_THIS_ROLE


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
