"""`ingest`: files go through the gate, are kept byte for byte, admitted, converted and published; one record each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import RecordedVersion
from eyeline.convert.converting import Bench, Original
from eyeline.convert.routes import route_of
from eyeline.convert.running import Conversions, Converted
from eyeline.errors import BlobNotFound, Cancelled, EyelineError, LimitExceeded, PathRefused
from eyeline.media.admission import admit, policy_version
from eyeline.media.sniffing import mismatch, sniff
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.document import (
    DEFAULT_COLLECTION,
    Admission,
    AdmissionOutcome,
    BlobRef,
    Document,
    GateRefusal,
    SourceKind,
)
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType
from eyeline.model.record import IngestStatus, ItemRecord
from eyeline.operations.entries import entry_of
from eyeline.source.stored import StoredSource
from eyeline.store.base import BlobStore
from eyeline.toolkit.cancel import CancelToken
from eyeline.tree.layout import original_path
from eyeline.tree.publisher import Publisher

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Offered:
    """One thing offered: its public reference and place in the batch, and how to open it (seekable, from its start).

    `refusal` is set when the walk refused it already, `passed_over` says why nobody asked for it; `place` is the real path or address, kept private.
    """

    reference: str
    opener: Callable[[], BinaryIO] | None
    refusal: GateRefusal | None = None
    passed_over: str | None = None
    message: str = ""
    source_kind: SourceKind = SourceKind.PATH
    place: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One record for each thing offered, in the order offered, good and bad."""

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

    catalog: Catalog
    store: BlobStore
    conversions: Conversions
    publisher: Publisher | None
    bench: Bench
    limits: Limits
    unroutable: Literal["refuse", "keep"]
    workers: int
    clock_ms: Callable[[], int]


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Where the documents go, who brings them, and whom to tell how far it is (`done`, `total`, what)."""

    principal: Principal
    collection: str = DEFAULT_COLLECTION
    progress: Callable[[int, int, str], None] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


def ingest(offered: Iterable[Offered], *, parts: IngestParts, options: IngestOptions) -> IngestReport:
    """Take everything in. A bad item is a record, never the end of the batch.

    Raises `Cancelled` on the caller's wish; what was taken until then stays.
    """
    everything = list(offered)
    one = functools.partial(_one, parts=parts, options=options)
    records: list[ItemRecord] = []
    with ThreadPoolExecutor(max_workers=parts.workers, thread_name_prefix="eyeline-ingest") as pool:
        for record in pool.map(one, range(len(everything)), everything):
            records.append(record)
            if options.progress is not None:
                options.progress(len(records), len(everything), record.source)
    options.cancel.raise_if_cancelled()
    return IngestReport(tuple(records))


def _one(index: int, offered: Offered, *, parts: IngestParts, options: IngestOptions) -> ItemRecord:
    blank = ItemRecord(index, shown(offered.reference), IngestStatus.FAILED, "cancelled", "the call was cancelled")
    if options.cancel.cancelled:
        return blank
    if offered.passed_over is not None:
        return replace(
            blank, status=IngestStatus.PASSED_OVER, code=offered.passed_over, message="not asked for by name"
        )
    if offered.refusal is not None or offered.opener is None:
        refusal = offered.refusal or GateRefusal.UNREADABLE
        return replace(blank, status=IngestStatus.REFUSED, code=refusal.value, message=offered.message)
    try:
        with offered.opener() as source:
            gated = _gate(blank, offered, source, parts)
            return gated if isinstance(gated, ItemRecord) else _take(blank, offered, source, gated, parts, options)
    except Cancelled:
        return blank
    except PathRefused as exc:
        refused = str(exc.detail.get("refusal", GateRefusal.UNREADABLE.value))
        return replace(blank, status=IngestStatus.REFUSED, code=refused, message=exc.message)
    except LimitExceeded as exc:
        return replace(blank, status=IngestStatus.REFUSED, code=GateRefusal.TOO_LARGE.value, message=exc.message)
    except EyelineError as exc:
        return replace(blank, code=exc.code, message=exc.message, retryable=exc.retryable)


@dataclass(frozen=True, slots=True)
class _Gated:
    media_type: MediaType
    route: str | None
    mismatch: str | None


def _gate(blank: ItemRecord, offered: Offered, source: BinaryIO, parts: IngestParts) -> _Gated | ItemRecord:
    """The refusals of the closed list, before anything is kept."""
    byte_count = source.seek(0, 2)
    refused = replace(blank, status=IngestStatus.REFUSED, byte_count=byte_count)
    if byte_count == 0:
        return replace(refused, code=GateRefusal.EMPTY.value, message="the file is empty")
    if byte_count > parts.limits.max_bytes:
        message = f"{byte_count} bytes are over the limit of {parts.limits.max_bytes}"
        return replace(refused, code=GateRefusal.TOO_LARGE.value, message=message)
    source.seek(max(0, byte_count - TAIL_BYTES))
    tail = source.read(TAIL_BYTES)
    source.seek(0)
    media_type = sniff(source.read(HEAD_BYTES), size=byte_count, tail=tail, name=offered.reference)
    source.seek(0)
    route = route_of(media_type)
    if route is None and parts.unroutable == "refuse":
        message = f"{media_type} has no route here; set unroutable to keep to store such files"
        return replace(refused, code=GateRefusal.NO_ROUTE.value, message=message, media_type=media_type)
    return _Gated(media_type, route, mismatch(None, offered.reference, media_type))


def _take(
    blank: ItemRecord,
    offered: Offered,
    source: BinaryIO,
    gated: _Gated,
    parts: IngestParts,
    options: IngestOptions,
) -> ItemRecord:
    content, known = _keep(source, gated, parts, options)
    recorded = parts.catalog.record_version(
        collection=options.collection,
        source_kind=offered.source_kind,
        reference=offered.reference,
        title=offered.title or offered.reference.rsplit("/", 1)[-1],
        content=content,
        route=gated.route,
        place=offered.place,
        now_ms=parts.clock_ms(),
    )
    admission = _admit(content, parts, options) if gated.route is not None else None
    converted = _convert(content, recorded, admission, parts, options)
    _publish(recorded.document, parts)
    status = IngestStatus.TAKEN if not known else IngestStatus.DEDUPLICATED
    if not recorded.created_version and recorded.was_current:
        status = IngestStatus.UNCHANGED
    record = replace(
        blank,
        status=status,
        media_type=content.media_type,
        byte_count=content.byte_count,
        digest=content.digest,
        doc_id=recorded.document.doc_id,
        version_id=recorded.version.version_id,
        route=gated.route,
        tree_path=str(original_path(recorded.version)),
        notes=_notes(gated, recorded.moved),
        detail=None if gated.mismatch is None else {"type_mismatch": gated.mismatch},
    )
    return _with_outcome(record, admission, converted)


def _keep(source: BinaryIO, gated: _Gated, parts: IngestParts, options: IngestOptions) -> tuple[BlobRef, bool]:
    """Store the bytes, then pin before checking that they are there: a racing removal is seen and made good."""
    stored = parts.store.put(source, max_bytes=parts.limits.max_bytes)
    content = BlobRef(stored.digest, stored.byte_count, gated.media_type)
    known = parts.catalog.knows(content.digest, collections=options.principal.collections)
    parts.catalog.pin_blob(content)
    try:
        parts.store.size(content.digest)
    except BlobNotFound:
        source.seek(0)
        parts.store.put(source, max_bytes=parts.limits.max_bytes, expected=stored.digest)
    parts.catalog.mark_stored(content.digest)
    return content, known


def _admit(content: BlobRef, parts: IngestParts, options: IngestOptions) -> Admission:
    known = parts.catalog.admission(content.digest, policy_version(parts.limits))
    if known is not None:
        return known
    admission = admit(
        content,
        functools.partial(parts.store.open, content.digest),
        pool=parts.bench.pool,
        limits=parts.limits,
        now_ms=parts.clock_ms(),
        cancel=options.cancel,
    )
    parts.catalog.set_admission(admission)
    return admission


def _convert(
    content: BlobRef, recorded: RecordedVersion, admission: Admission | None, parts: IngestParts, options: IngestOptions
) -> Converted | None:
    if admission is None or admission.outcome is not AdmissionOutcome.ADMITTED or admission.probe is None:
        return None
    source = StoredSource(parts.store, content, name=recorded.document.reference)
    bench = replace(parts.bench, cancel=options.cancel)
    original = Original(content, source, admission.probe)
    return parts.conversions.ensure(original, recorded.version.version_id, collection=options.collection, bench=bench)


def _publish(document: Document, parts: IngestParts) -> None:
    if parts.publisher is not None:
        entry = entry_of(document.doc_id, catalog=parts.catalog, policy=policy_version(parts.limits))
        parts.publisher.publish(entry)


def _notes(gated: _Gated, moved: bool) -> tuple[str, ...]:
    """Codes of what was odd: the name disagrees with the bytes; the reference came from another place before."""
    found = (("type_mismatch", gated.mismatch is not None), ("reference_from_another_place", moved))
    return tuple(code for code, holds in found if holds)


def _with_outcome(record: ItemRecord, admission: Admission | None, converted: Converted | None) -> ItemRecord:
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
    return replace(
        record, code="admitted", message="taken in", representation_id=converted.representation.representation_id
    )
