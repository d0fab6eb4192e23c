"""`source_open`: the original, or exactly the page, region or range that matters, within the answer's bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.errors import EyelineError, MediaError, VersionNotFound
from eyeline.model.acceptance import Acceptance
from eyeline.model.access import Principal
from eyeline.model.audit import AuditAction, AuditOutcome, AuditRecord
from eyeline.model.envelope import (
    Boundary,
    BoundaryCode,
    Envelope,
    Grain,
    Negative,
    NegativeCode,
    Opened,
    Truncation,
)
from eyeline.model.limits import AnswerLimit, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.operations.auditing import delivered, known_id, outcome_of, readable
from eyeline.operations.handles import freshness_of, handle_of
from eyeline.operations.resolving import UNKNOWN, Resolved, promised, resolve
from eyeline.render.openers import Opener, Openers
from eyeline.render.subject import Answer, Room, StoredReading, Subject
from eyeline.source.stored import BlobReading, StoredSource
from eyeline.store.base import BlobStore
from eyeline.toolkit.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """The four inputs of `source_open`, and no other."""

    version_id: str
    representation_id: str | None = None
    locator: str | None = None
    accept: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class OpenParts:
    """What opening works with: records, bytes, openers and the audit log. `originals` reads what is verified."""

    catalog: Catalog
    store: BlobStore
    originals: BlobReading
    openers: Openers
    audit: AuditLog
    served: ServedSet
    policy: str
    clock_ms: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who opens, through which surface, under which answer limit."""

    principal: Principal
    surface: str
    answer: AnswerLimit
    cancel: CancelToken = field(default_factory=CancelToken)


def open_source(request: OpenRequest, *, parts: OpenParts, caller: Caller) -> Opened:
    """Open one source.

    Answers with a negative for what is not there and a boundary for what is not served. Raises `InvalidLocator`,
    `LocatorUnsupported`, `LocatorOutOfRange`, `InvalidMediaType`, `RepresentationMismatch`; `EngineFailed`,
    `IntegrityError` and `StoreError` when we fail. Every call leaves one audit record; without it nothing is delivered.
    """
    try:
        opened = _open(request, parts=parts, caller=caller)
    except EyelineError as exc:
        _record(request, None, parts=parts, caller=caller, outcome=outcome_of(exc.code), code=exc.code)
        raise
    refusal = opened.envelope.negative or opened.envelope.boundary
    outcome, code = (AuditOutcome.RELEASED, None) if refusal is None else (AuditOutcome.REFUSED, refusal.code.value)
    sequence = _record(request, opened, parts=parts, caller=caller, outcome=outcome, code=code)
    return replace(opened, audit_seq=sequence)


def record_refusal(code: str, *, parts: OpenParts, caller: Caller) -> None:
    """Leave the record of a call that was refused before it came here, by the code of its error."""
    _record(OpenRequest(""), None, parts=parts, caller=caller, outcome=AuditOutcome.REFUSED, code=code)


def _open(request: OpenRequest, *, parts: OpenParts, caller: Caller) -> Opened:
    resolved = resolve(
        request.version_id,
        representation_id=request.representation_id,
        catalog=parts.catalog,
        policy=parts.policy,
        principal=caller.principal,
    )
    if resolved is None:
        return _unknown()
    try:
        with promised(resolved.version, catalog=parts.catalog):
            return _answer(request, resolved, parts=parts, caller=caller)
    except VersionNotFound:
        return _unknown()


def _unknown() -> Opened:
    return Opened(Envelope(Grain.EVIDENCE, negative=Negative(NegativeCode.UNKNOWN_ENTITY, UNKNOWN)))


def _answer(request: OpenRequest, resolved: Resolved, *, parts: OpenParts, caller: Caller) -> Opened:
    locator = Locator.parse(request.locator or "")
    room = Room(parts.served, caller.answer, Acceptance.parse(request.accept), caller.cancel)
    opener = parts.openers.of(resolved.version.content.media_type)
    subject = _subject(resolved, parts, opener)
    if opener is None or subject is None:
        return _refused(resolved, locator, _not_viewable(resolved, parts.served))
    try:
        answer = parts.openers.open(subject, locator, room=room)
    except MediaError:
        # These bytes were decoded in full when they came in: what cannot be decoded now may be other bytes, of an
        # original that is too large to be verified before.
        parts.store.verify(subject.content.digest)
        raise
    has_reading = _has_text(subject, opener)
    members = opener.members(parts.served, locator=locator, probe=subject.probe, has_reading=has_reading)
    if answer.has_pictures:
        members = tuple(dict.fromkeys((*parts.served.pictures, *members)))
    if not answer.parts:
        return _refused(resolved, locator, _nothing(members, room), notes=tuple(answer.notes))
    return _delivered(resolved, locator, answer, served=parts.served)


def _subject(resolved: Resolved, parts: OpenParts, opener: Opener | None) -> Subject | None:
    if not resolved.admitted or resolved.admission is None or resolved.admission.probe is None:
        return None
    content = resolved.version.content
    blobs = parts.store if opener is not None and opener.reads_in_place else parts.originals
    source = StoredSource(blobs, content, name=resolved.document.reference)
    reading = None if resolved.representation is None else StoredReading(resolved.representation, parts.store)
    return Subject(content, source, resolved.admission.probe, reading)


def _has_text(subject: Subject, opener: Opener) -> bool:
    return subject.reading is not None or not opener.pictures


def _delivered(resolved: Resolved, locator: Locator, answer: Answer, *, served: ServedSet) -> Opened:
    kept = answer.parts[: served.max_parts]
    truncation = list(answer.truncation)
    if len(kept) < len(answer.parts):
        truncation.append(Truncation("max_parts", f"{len(answer.parts) - len(kept)} parts", None))
    envelope = Envelope(
        grain=Grain.EVIDENCE,
        source=handle_of(resolved),
        locator=locator,
        truncation=tuple(truncation),
        freshness=freshness_of(resolved),
        notes=tuple(answer.notes),
        content_manifest=tuple(part.entry for part in kept),
    )
    return Opened(envelope, tuple(kept))


def _nothing(members: tuple[MediaType, ...], room: Room) -> Negative | Boundary:
    """Why an answer has no parts: there is nothing at that place, or nothing the caller takes can be made."""
    if any(room.acceptance.takes(member) for member in members):
        return Negative(NegativeCode.KNOWN_EMPTY, "there is nothing at this place: no text was found here")
    return Boundary(
        code=BoundaryCode.NOTHING_ACCEPTABLE,
        message="none of the accepted media types can be made from this source",
        members=members,
        served=room.served.all_types(),
        way_out="name one of `members` in accept, or leave accept out",
    )


def _not_viewable(resolved: Resolved, served: ServedSet) -> Boundary:
    admission = resolved.admission
    reason = "it has not been decoded under the current limits" if admission is None else admission.outcome.value
    detail = "" if admission is None or admission.reason is None else f": {admission.reason}"
    return Boundary(
        code=BoundaryCode.NOT_VIEWABLE,
        message=f"this version cannot be shown ({reason}{detail})",
        members=(),
        served=served.all_types(),
        way_out=f"the exact bytes are at the tree path, or through `eyeline fetch {resolved.version.version_id}`",
    )


def _refused(
    resolved: Resolved, locator: Locator, refusal: Negative | Boundary, *, notes: tuple[str, ...] = ()
) -> Opened:
    return Opened(
        Envelope(
            grain=Grain.EVIDENCE,
            source=handle_of(resolved),
            locator=locator,
            negative=refusal if isinstance(refusal, Negative) else None,
            boundary=refusal if isinstance(refusal, Boundary) else None,
            freshness=freshness_of(resolved),
            notes=notes,
        )
    )


def _record(
    request: OpenRequest,
    opened: Opened | None,
    *,
    parts: OpenParts,
    caller: Caller,
    outcome: AuditOutcome,
    code: str | None,
) -> int:
    return parts.audit.released(
        AuditRecord(
            at_ms=parts.clock_ms(),
            principal=caller.principal.name,
            surface=caller.surface,
            action=AuditAction.OPEN,
            outcome=outcome,
            version_id=known_id(request.version_id, "ver"),
            representation_id=known_id(request.representation_id, "rep"),
            locator=readable(request.locator),
            parts=() if opened is None else delivered(opened.parts),
            code=code,
        )
    )
