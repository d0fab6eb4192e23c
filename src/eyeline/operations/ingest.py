"""`ingest`: files and URLs through the gate, kept as they came, admitted, converted, published; one record each."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal, Self

from eyeline.catalog.records import PIN_LOST, CameIn, Pin, RecordedVersion
from eyeline.convert.routes import CARD_ROUTE, route_of
from eyeline.convert.running import Converted
from eyeline.errors import (
    BlobNotFound,
    Cancelled,
    EyelineError,
    InvalidRequest,
    LimitExceeded,
    PathRefused,
    StoreError,
    VersionNotFound,
)
from eyeline.media.engines import missing_extra
from eyeline.media.sniffing import mismatch, sniff_file
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.document import (
    DEFAULT_COLLECTION,
    Admission,
    AdmissionOutcome,
    BlobRef,
    GateRefusal,
    SourceKind,
)
from eyeline.model.ids import document_id
from eyeline.model.media_type import MediaType
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.operations.advancing import Advancing
from eyeline.operations.enclosing import MAX_DEPTH, MAX_INSIDE, Inside, inside
from eyeline.operations.forgetting import ForgetParts, settle
from eyeline.source.enclosed import reference_inside
from eyeline.toolkit.cancel import CancelToken
from eyeline.tree.layout import original_path

_TRIES = 16
_WAYS_OUT = {
    "application/msword": "save it as docx (`soffice --convert-to docx` does), or ",
    "application/vnd.ms-excel": "save it as xlsx (`soffice --convert-to xlsx` does), or ",
    "application/vnd.ms-powerpoint": "save it as pptx (`soffice --convert-to pptx` does), or ",
}
"""What becomes of types that nothing acceptable reads: the way out stands before the setting that keeps them."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """What an opener gives: a seekable file at its start, and what its other side said of it.

    `name` may say which text it is; without one, the reference does.
    """

    file: BinaryIO
    name: str | None = None
    declared: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.file.close()


@dataclass(frozen=True, slots=True)
class Offered:
    """One thing offered: its public reference and place in the batch, and how to open it.

    `refusal` is set when the walk refused it already, `passed_over` says why nobody asked for it. `place` is the real
    path or address, kept private. What the opener raises is told of the item and ends nothing else.
    """

    reference: str
    opener: Callable[[CancelToken], Incoming] | None
    refusal: GateRefusal | None = None
    passed_over: str | None = None
    message: str = ""
    source_kind: SourceKind = SourceKind.PATH
    place: str | None = None
    title: str | None = None
    came_in: CameIn | None = None


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One record for each thing offered, in the order offered, good and bad; behind a mail those of what it holds."""

    items: tuple[ItemRecord, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing was refused and nothing failed."""
        return not any(item.status in (IngestStatus.REFUSED, IngestStatus.FAILED) for item in self.items)

    def count(self, status: IngestStatus) -> int:
        """How many items came to a status."""
        return sum(item.status is status for item in self.items)


@dataclass(frozen=True, slots=True)
class IngestParts:
    """What taking in works with."""

    advancing: Advancing
    forgetting: ForgetParts
    unroutable: Literal["refuse", "keep"]
    workers: int


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Where the documents go, who brings them, and whom to tell how far it is (`done`, `total`, what).

    `wait`: convert at once; else that is left to the next `convert`.
    """

    principal: Principal
    collection: str = DEFAULT_COLLECTION
    progress: Callable[[int, int, str], None] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)
    wait: bool = True


def ingest(offered: Iterable[Offered], *, parts: IngestParts, options: IngestOptions) -> IngestReport:
    """Take everything in. A bad item is a record, never the end of the batch.

    Raises `Cancelled` on the caller's wish; what was taken until then stays.
    """
    settle(parts.forgetting, cancel=options.cancel)
    everything = list(offered)
    intake = _Intake(parts, options)
    records: list[ItemRecord] = []
    with ThreadPoolExecutor(max_workers=parts.workers, thread_name_prefix="eyeline-ingest") as pool:
        for done, came_to in enumerate(pool.map(intake.one, range(len(everything)), everything), start=1):
            records += came_to
            if options.progress is not None:
                options.progress(done, len(everything), came_to[0].source)
    options.cancel.raise_if_cancelled()
    return IngestReport(tuple(records))


@dataclass(frozen=True, slots=True)
class _Gated:
    media_type: MediaType
    route: str | None
    mismatch: str | None


class _Intake:
    """The way of one item, from the gate to the tree, and of what it encloses."""

    def __init__(self, parts: IngestParts, options: IngestOptions) -> None:
        self._advancing = parts.advancing
        self._unroutable = parts.unroutable
        self._options = options

    def one(self, index: int, offered: Offered) -> list[ItemRecord]:
        blank = ItemRecord(index, shown(offered.reference), IngestStatus.FAILED, "cancelled", "the call was cancelled")
        record = self._alone(blank, offered)
        return [record, *self._inside(record, offered.reference, left=[MAX_INSIDE])]

    def _inside(self, record: ItemRecord, reference: str, *, left: list[int]) -> Iterator[ItemRecord]:
        """What a mail encloses, each through the same gate; none of it ever costs the mail."""
        advancing, cancel = self._advancing, self._options.cancel
        version = None if record.version_id is None else advancing.catalog.version(record.version_id)
        admission = None if version is None else advancing.catalog.admission(version.content.digest, advancing.policy)
        if version is None or admission is None or cancel.cancelled:
            return
        blank = ItemRecord(record.index, record.source, IngestStatus.FAILED, "cancelled", "the call was cancelled")
        blank = replace(blank, came_in=version.version_id, depth=record.depth + 1)
        has_any = False
        try:
            for each in inside(version, admission, advancing=advancing, cancel=cancel):
                has_any = True
                if left[0] <= 0 or record.depth >= MAX_DEPTH:
                    message = f"more is enclosed: at most {MAX_INSIDE} are taken out, {MAX_DEPTH} mails deep"
                    yield _too_large(blank, message)
                    break
                left[0] -= 1
                yield from self._enclosed(blank, reference, each, left=left)
        except EyelineError as exc:
            yield _failed(blank, exc)
        if has_any:
            with suppress(EyelineError):
                advancing.published(version.doc_id)

    def _enclosed(self, blank: ItemRecord, mail: str, each: Inside, *, left: list[int]) -> Iterator[ItemRecord]:
        reference = reference_inside(mail, each.number, name=each.name)
        blank, data = replace(blank, source=shown(reference)), each.data
        if data is None:
            yield _too_large(blank, f"{each.size} bytes are over what one job hands back")
            return
        offered = Offered(
            reference,
            lambda _: Incoming(io.BytesIO(data), name=each.name, declared=each.claimed),
            source_kind=SourceKind.ENCLOSED,
            title=each.name,
            came_in=CameIn(str(blank.came_in), each.number),
        )
        record = self._alone(blank, offered)
        yield record
        yield from self._inside(record, reference, left=left)

    def _alone(self, blank: ItemRecord, offered: Offered) -> ItemRecord:
        if self._options.cancel.cancelled:
            return blank
        if offered.passed_over is not None:
            message = "not asked for by name"
            return replace(blank, status=IngestStatus.PASSED_OVER, code=offered.passed_over, message=message)
        if offered.refusal is not None or offered.opener is None:
            code = (offered.refusal or GateRefusal.UNREADABLE).value
            return replace(blank, status=IngestStatus.REFUSED, code=code, message=offered.message)
        try:
            with offered.opener(self._options.cancel) as incoming:
                gated = self._gate(blank, offered.reference, incoming)
                return gated if isinstance(gated, ItemRecord) else self._take(blank, offered, incoming.file, gated)
        except EyelineError as exc:
            return _failed(blank, exc)

    def _gate(self, blank: ItemRecord, reference: str, incoming: Incoming) -> _Gated | ItemRecord:
        """The refusals of the closed list, before anything is kept."""
        source, name = incoming.file, reference if incoming.name is None else incoming.name
        byte_count = source.seek(0, 2)
        refused = replace(blank, status=IngestStatus.REFUSED, byte_count=byte_count)
        if byte_count == 0:
            return replace(refused, code=GateRefusal.EMPTY.value, message="the file is empty")
        if byte_count > self._advancing.limits.max_bytes:
            message = f"{byte_count} bytes are over the limit of {self._advancing.limits.max_bytes}"
            return replace(refused, code=GateRefusal.TOO_LARGE.value, message=message)
        media_type = sniff_file(source, name=name)
        route = route_of(media_type)
        if route is None and self._unroutable == "refuse":
            extra = missing_extra(media_type)
            also = "" if extra is None else f"install eyeline[{extra}] for one, or "
            also += _WAYS_OUT.get(media_type.name, "")
            message = f"{media_type} has no route here; {also}set unroutable to keep to store such files"
            return replace(refused, code=GateRefusal.NO_ROUTE.value, message=message, media_type=media_type)
        return _Gated(media_type, route or CARD_ROUTE, mismatch(incoming.declared, name, media_type))

    def _take(self, blank: ItemRecord, offered: Offered, source: BinaryIO, gated: _Gated) -> ItemRecord:
        moved = self._moved(offered)
        recorded, known = self._recorded(offered, source, gated)
        content, version_id = recorded.version.content, recorded.version.version_id
        record = replace(
            blank,
            status=_status(recorded, known=known),
            media_type=content.media_type,
            byte_count=content.byte_count,
            digest=content.digest,
            doc_id=recorded.document.doc_id,
            version_id=version_id,
            route=gated.route,
            tree_path=str(original_path(recorded.version)),
            notes=_notes(gated, moved=moved),
            detail=None if gated.mismatch is None else {"type_mismatch": gated.mismatch},
        )
        try:
            came_to = self._forward(record, recorded)
        except EyelineError:
            if self._advancing.catalog.version(version_id) is not None:
                raise
            came_to = None
        if came_to is None or self._advancing.catalog.version(version_id) is None:
            return replace(record, code="forgotten", message="taken in, and forgotten meanwhile")
        return came_to

    def _forward(self, record: ItemRecord, recorded: RecordedVersion) -> ItemRecord:
        """Decode, convert and publish what is kept."""
        advancing, cancel = self._advancing, self._options.cancel
        document, version = recorded.document, recorded.version
        admission = None if version.route is None else advancing.admission(version.content, cancel=cancel)
        converted = None
        if admission is not None and self._options.wait:
            converted = advancing.converted(document, version, admission=admission, cancel=cancel)
        advancing.published(document.doc_id)
        if admission is not None and admission.outcome is AdmissionOutcome.ADMITTED and not self._options.wait:
            code = GateRefusal.NO_ROUTE.value if version.route == CARD_ROUTE else "admitted"
            return replace(record, code=code, message="kept and viewable; its text comes with the next convert")
        return _with_outcome(record, admission, converted)

    def _recorded(self, offered: Offered, source: BinaryIO, gated: _Gated) -> tuple[RecordedVersion, bool]:
        """Keep the bytes and record them, and whether they were known before; again when they were let go meanwhile."""
        catalog, store = self._advancing.catalog, self._advancing.store
        for tries_left in reversed(range(_TRIES)):
            source.seek(0)
            try:
                pin, known = self._keep(source, gated)
                return self._named(offered, pin, gated), known
            except StoreError as exc:
                if exc.detail.get("reason") != PIN_LOST or not tries_left:
                    raise
                catalog.release_blobs(store.delete)
        raise StoreError("the bytes were let go each time they were kept")

    def _keep(self, source: BinaryIO, gated: _Gated) -> tuple[Pin, bool]:
        """Store the bytes, then pin before checking that they are there: a racing removal is seen and made good."""
        catalog, store, limits = self._advancing.catalog, self._advancing.store, self._advancing.limits
        stored = store.put(source, max_bytes=limits.max_bytes)
        content = BlobRef(stored.digest, stored.byte_count, gated.media_type)
        known = catalog.knows(content.digest, collections=self._options.principal.collections)
        (pin,) = catalog.pin_blobs([content], now_ms=self._advancing.clock_ms())
        try:
            store.size(content.digest)
        except BlobNotFound:
            source.seek(0)
            store.put(source, max_bytes=limits.max_bytes, expected=stored.digest)
        return pin, known

    def _named(self, offered: Offered, pin: Pin, gated: _Gated) -> RecordedVersion:
        catalog = self._advancing.catalog
        try:
            return catalog.record_version(
                collection=self._options.collection,
                source_kind=offered.source_kind,
                reference=offered.reference,
                title=offered.title or offered.reference.rsplit("/", 1)[-1],
                pin=pin,
                route=gated.route,
                place=offered.place,
                now_ms=self._advancing.clock_ms(),
                came_in=offered.came_in,
            )
        except (InvalidRequest, VersionNotFound):
            catalog.condemn_blobs([pin.ref.digest])
            catalog.release_blobs(self._advancing.store.delete)
            raise

    def _moved(self, offered: Offered) -> bool:
        """Whether this reference came from another place of this host before."""
        doc_id = document_id(self._options.collection, offered.source_kind, offered.reference)
        before = self._advancing.catalog.place_of(doc_id)
        return before is not None and before != offered.place


def _too_large(blank: ItemRecord, message: str) -> ItemRecord:
    return replace(blank, status=IngestStatus.REFUSED, code=GateRefusal.TOO_LARGE.value, message=message)


def _failed(blank: ItemRecord, error: EyelineError) -> ItemRecord:
    """The record of an item that an error ended: refused where the file is at fault, failed where we are."""
    if isinstance(error, Cancelled):
        return blank
    if isinstance(error, PathRefused):
        code = str(error.detail.get("refusal", GateRefusal.UNREADABLE.value))
        return replace(blank, status=IngestStatus.REFUSED, code=code, message=error.message)
    if isinstance(error, LimitExceeded):
        return replace(blank, status=IngestStatus.REFUSED, code=GateRefusal.TOO_LARGE.value, message=error.message)
    return replace(blank, code=error.code, message=error.message, retryable=error.retryable)


def _status(recorded: RecordedVersion, *, known: bool) -> IngestStatus:
    if not recorded.created_version and recorded.was_current:
        return IngestStatus.UNCHANGED
    return IngestStatus.DEDUPLICATED if known else IngestStatus.TAKEN


def _notes(gated: _Gated, *, moved: bool) -> tuple[str, ...]:
    """Codes of what was odd: the name disagrees with the bytes; the reference came from another place before."""
    found = (("type_mismatch", gated.mismatch is not None), ("reference_from_another_place", moved))
    return tuple(code for code, holds in found if holds)


def _with_outcome(record: ItemRecord, admission: Admission | None, converted: Converted | None) -> ItemRecord:
    if record.route == CARD_ROUTE and converted is not None and converted.representation is not None:
        card = converted.representation.representation_id
        message = "kept without a route; its card says what it is"
        return replace(record, code=GateRefusal.NO_ROUTE.value, message=message, representation_id=card)
    if admission is None:
        return replace(record, code=GateRefusal.NO_ROUTE.value, message="kept without a route")
    if admission.outcome is not AdmissionOutcome.ADMITTED:
        message = f"kept, but not viewable: {admission.reason or admission.outcome.value}"
        return replace(record, code=admission.outcome.value, message=message)
    if converted is None or converted.representation is None:
        message = "kept and viewable; its text is not there" if converted is None else converted.message
        return replace(
            record,
            code="admitted",
            message=f"kept and viewable, not converted: {message}",
            retryable=converted is not None and converted.retryable,
            notes=(*record.notes, "not_converted"),
        )
    representation_id = converted.representation.representation_id
    taken = replace(record, code="admitted", message="taken in", representation_id=representation_id)
    if admission.reason is None:
        return taken
    return replace(taken, message=f"taken in: {admission.reason}", notes=(*record.notes, "not_drawn"))
