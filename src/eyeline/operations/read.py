"""`read`: the derived text of a version, `document.md`, whole or by character range, labelled."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.errors import LocatorOutOfRange, VersionNotFound
from eyeline.model.access import Principal
from eyeline.model.envelope import Envelope, Grain, Negative, NegativeCode, Opened, Truncation
from eyeline.model.limits import MARKDOWN, AnswerLimit
from eyeline.model.locator import Chars, Locator
from eyeline.model.manifest import Role
from eyeline.model.reading import HIDDEN_TEXT
from eyeline.operations.handles import freshness_of, handle_of
from eyeline.operations.resolving import UNKNOWN, Resolved, promised, resolve
from eyeline.render.subject import StoredReading
from eyeline.render.text_parts import text_part
from eyeline.store.base import BlobStore


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Which text, and which code points of `document.md` (half-open); without a range, from the beginning."""

    version_id: str
    representation_id: str | None = None
    start: int = 0
    end: int | None = None


def read(
    request: ReadRequest,
    *,
    catalog: Catalog,
    store: BlobStore,
    policy: str,
    principal: Principal,
    answer: AnswerLimit,
) -> Opened:
    """The text as far as the answer has room; the rest has a continuation in characters of `document.md`.

    Raises `LocatorOutOfRange` for a start past the end and `RepresentationMismatch` for a reading of other bytes.
    """
    resolved = resolve(
        request.version_id,
        representation_id=request.representation_id,
        catalog=catalog,
        policy=policy,
        principal=principal,
    )
    if resolved is None:
        return _unknown()
    if resolved.representation is None:
        return _empty(resolved)
    try:
        with promised(resolved.version, catalog=catalog):
            return _delivered(request, resolved, StoredReading(resolved.representation, store), answer=answer)
    except VersionNotFound:
        return _unknown()


def _unknown() -> Opened:
    return Opened(Envelope(Grain.TEXT, negative=Negative(NegativeCode.UNKNOWN_ENTITY, UNKNOWN)))


def _delivered(request: ReadRequest, resolved: Resolved, reading: StoredReading, *, answer: AnswerLimit) -> Opened:
    text = reading.text
    wanted = _wanted(request, len(text))
    kept = Chars(wanted.start, min(wanted.end, wanted.start + answer.max_text_chars))
    where = Locator(chars=kept)
    part = text_part(text[kept.start : kept.end], role=Role.SOURCE_TEXT, locator=where, media_type=MARKDOWN, kind=None)
    rest = Truncation(
        "answer_text_chars", f"{wanted.end - kept.end} characters", Locator(chars=Chars(kept.end, wanted.end))
    )
    envelope = Envelope(
        grain=Grain.TEXT,
        source=handle_of(resolved),
        locator=where,
        truncation=(rest,) if kept.end < wanted.end else (),
        freshness=freshness_of(resolved),
        notes=(HIDDEN_TEXT,) if reading.account.hides_text() else (),
        content_manifest=(part.entry,),
    )
    return Opened(envelope, (part,))


def _wanted(request: ReadRequest, extent: int) -> Chars:
    end = extent if request.end is None else request.end
    if not 0 <= request.start <= min(end, extent):
        raise LocatorOutOfRange(
            f"characters {request.start} to {end} do not lie in this text",
            hint=f"it has characters 0 to {extent}",
            extent=extent,
        )
    return Chars(request.start, min(end, extent))


def _empty(resolved: Resolved) -> Opened:
    message = "there is no derived text of this version"
    return Opened(
        Envelope(
            grain=Grain.TEXT,
            source=handle_of(resolved),
            negative=Negative(NegativeCode.KNOWN_EMPTY, message),
            freshness=freshness_of(resolved),
        )
    )
