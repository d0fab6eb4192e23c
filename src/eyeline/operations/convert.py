"""`convert`: read originals again where there is no reading yet, where one has gaps, or where engines have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import Filters
from eyeline.convert.running import Again, Converted
from eyeline.errors import Cancelled, EyelineError
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.document import AdmissionOutcome, Document, Representation, Version
from eyeline.operations.advancing import Advancing
from eyeline.operations.forgetting import ForgetParts, settle
from eyeline.operations.resolving import versions_named
from eyeline.toolkit.cancel import CancelToken

PAGE = 200


class ConvertStatus(StrEnum):
    """What became of one version."""

    CONVERTED = "converted"
    UNCHANGED = "unchanged"
    NOT_VIEWABLE = "not_viewable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ConvertRecord:
    """One version: what became of it and why. `code` is an admission outcome, an error code, or the status."""

    version_id: str
    doc_id: str
    name: str
    status: ConvertStatus
    code: str
    message: str
    representation_id: str | None = None
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class ConvertReport:
    """One record for each version, by collection and reference, older versions of a document first."""

    items: tuple[ConvertRecord, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return not any(item.status is ConvertStatus.FAILED for item in self.items)

    def count(self, status: ConvertStatus) -> int:
        """How many versions came to a status."""
        return sum(item.status is status for item in self.items)


@dataclass(frozen=True, slots=True)
class ConvertParts:
    """What converting works with."""

    advancing: Advancing
    forgetting: ForgetParts
    workers: int


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """Who asks, what is done once more, and whom to tell how far it is (`done`, `total`, what).

    Without `again_all`, a version is converted when it has no reading, when its reading has a gap that another try may
    fill, or when it was made by other engines, settings or routes than are in force now.
    """

    principal: Principal
    again_all: bool = False
    progress: Callable[[int, int, str], None] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


def convert(names: Iterable[str] | None, *, parts: ConvertParts, options: ConvertOptions) -> ConvertReport:
    """Convert what is named, or everything (none), as far as that is due. A bad version never ends the batch.

    The new reading becomes current when it is complete; the one before stays. Raises `DocumentNotFound` and
    `AmbiguousName` for a name before anything is converted, `Cancelled` on the caller's wish; what was converted until
    then stays, and what was begun goes on from there the next time.
    """
    settle(parts.forgetting, cancel=options.cancel)
    catalog = parts.advancing.catalog
    wanted = list(_all(catalog, options.principal) if names is None else _named(names, catalog, options.principal))
    work = _Work(parts.advancing, options)
    records: list[ConvertRecord] = []
    with ThreadPoolExecutor(max_workers=parts.workers, thread_name_prefix="eyeline-convert") as pool:
        for record in pool.map(work.one, wanted):
            records.append(record)
            if options.progress is not None:
                options.progress(len(records), len(wanted), record.name)
    options.cancel.raise_if_cancelled()
    return ConvertReport(tuple(records))


Item = tuple[Document, Version]


def _named(names: Iterable[str], catalog: Catalog, principal: Principal) -> Iterator[Item]:
    for name in names:
        for version in versions_named(name, catalog=catalog, principal=principal):
            document = catalog.document(version.doc_id)
            if document is not None:
                yield document, version


def _all(catalog: Catalog, principal: Principal) -> Iterator[Item]:
    cursor: str | None = None
    while True:
        listing = catalog.list_documents(Filters(principal.collections), cursor=cursor, limit=PAGE)
        for entry in listing.entries:
            for version in catalog.versions_of(entry.document.doc_id):
                yield entry.document, version
        if listing.cursor is None:
            return
        cursor = listing.cursor


class _Work:
    """The way of one version: admission, conversion where it is due, tree."""

    def __init__(self, advancing: Advancing, options: ConvertOptions) -> None:
        self._advancing = advancing
        self._options = options

    def one(self, item: Item) -> ConvertRecord:
        document, version = item
        blank = ConvertRecord(
            version.version_id,
            document.doc_id,
            shown(document.title),
            ConvertStatus.FAILED,
            "cancelled",
            "the call was cancelled",
        )
        if self._options.cancel.cancelled:
            return blank
        try:
            return self._forward(blank, document, version)
        except Cancelled:
            return blank
        except EyelineError as exc:
            if self._advancing.catalog.version(version.version_id) is None:
                return replace(blank, code="forgotten", message="forgotten meanwhile")
            return replace(blank, code=exc.code, message=exc.message, retryable=exc.retryable)

    def _forward(self, blank: ConvertRecord, document: Document, version: Version) -> ConvertRecord:
        advancing, cancel = self._advancing, self._options.cancel
        if version.route is None:
            return replace(blank, status=ConvertStatus.NOT_VIEWABLE, code="no_route", message="it is kept as it came")
        admission = advancing.admission(version.content, cancel=cancel)
        if admission.outcome is not AdmissionOutcome.ADMITTED:
            advancing.published(document.doc_id)
            message = admission.reason or admission.outcome.value
            return replace(blank, status=ConvertStatus.NOT_VIEWABLE, code=admission.outcome.value, message=message)
        before = advancing.catalog.current_representation(version.version_id)
        if not self._is_due(document, version, before):
            # also what was decoded or converted before by a process that was killed before it could publish
            advancing.published(document.doc_id)
            return _unchanged(blank, before)
        again = Again(gaps=True, all=self._options.again_all)
        converted = advancing.converted(document, version, admission=admission, cancel=cancel, again=again)
        advancing.published(document.doc_id)
        return _came_to(blank, before, converted)

    def _is_due(self, document: Document, version: Version, before: Representation | None) -> bool:
        if before is None or self._options.again_all:
            return True
        key = self._advancing.key(version, collection=document.collection)
        conversion = self._advancing.catalog.conversion(key)
        return before.conversion_key != key or (conversion is not None and conversion.retryable)


def _unchanged(blank: ConvertRecord, before: Representation | None) -> ConvertRecord:
    status, made = ConvertStatus.UNCHANGED, None if before is None else before.representation_id
    return replace(blank, status=status, code=status.value, message="nothing is due", representation_id=made)


def _came_to(blank: ConvertRecord, before: Representation | None, converted: Converted | None) -> ConvertRecord:
    if converted is None or converted.representation is None:
        code, message = (
            ("not_converted", "it has no pictures and no text")
            if converted is None
            else (
                converted.code,
                converted.message,
            )
        )
        return replace(blank, code=code, message=message, retryable=converted is not None and converted.retryable)
    if before is not None and before.representation_id == converted.representation.representation_id:
        return replace(_unchanged(blank, before), message="read again, with the same outcome")
    return replace(
        blank,
        status=ConvertStatus.CONVERTED,
        code="converted",
        message="converted" if before is None else f"takes the place of {before.representation_id}, which stays",
        representation_id=converted.representation.representation_id,
    )
