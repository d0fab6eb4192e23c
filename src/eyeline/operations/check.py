"""`check`: walk everything a home consists of, name what is wrong, and repair what can be made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eyeline.catalog.records import Filters
from eyeline.errors import IntegrityError
from eyeline.model.document import Document
from eyeline.model.finding import Finding, FindingCode, Severity
from eyeline.operations.checking import Checking, CheckOptions, CheckParts
from eyeline.operations.checking_attachments import check_attachments
from eyeline.operations.checking_blobs import check_blobs
from eyeline.operations.checking_records import check_conversions, check_version
from eyeline.operations.entries import entry_of
from eyeline.operations.forgetting import finish_forgetting
from eyeline.tree.surveying import Surveyor, TreeFlaw

PAGE = 200
_YOUNG = frozenset({FindingCode.TREE_MISSING, FindingCode.INDEX_DIFFERS})


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Everything that was found, and how much was looked at."""

    findings: tuple[Finding, ...]
    blobs: int
    documents: int

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong any more."""
        return not self.left

    @property
    def left(self) -> tuple[Finding, ...]:
        """What was not repaired."""
        return tuple(finding for finding in self.findings if not finding.repaired)

    @property
    def broken(self) -> bool:
        """Whether something that was kept is lost or damaged, and still is."""
        return any(finding.severity in (Severity.LOSS, Severity.DAMAGE) for finding in self.left)


def check(*, parts: CheckParts, options: CheckOptions) -> CheckReport:
    """Look at everything; with `repair`, mend what loses nothing. Originals are never rebuilt: their loss stays.

    Raises `Cancelled` on the caller's wish, `StoreError` when the disk refuses.
    """
    blob_count, document_count = parts.advancing.catalog.counts()
    old_ms = parts.advancing.clock_ms() - options.grace_ms + 1
    checking = Checking(parts, options, old_ms, blob_count + document_count)
    sections = (
        _databases,
        _forgetting,
        check_blobs,
        check_conversions,
        _documents,
        _rest_of_tree,
        _cache,
        check_attachments,
    )
    findings = [finding for section in sections for finding in _as_far_as_it_goes(section, checking)]
    return CheckReport(tuple(findings), blob_count, document_count)


def _as_far_as_it_goes(section: Callable[[Checking], Iterator[Finding]], checking: Checking) -> Iterator[Finding]:
    """What a section finds; a record that cannot be read ends it, and is a finding itself."""
    try:
        yield from section(checking)
    except IntegrityError as exc:
        yield Finding.of(FindingCode.CATALOG_DAMAGED, "catalog", detail=exc.message)


def _databases(checking: Checking) -> Iterator[Finding]:
    for sentence in checking.parts.advancing.catalog.flaws():
        yield Finding.of(FindingCode.CATALOG_DAMAGED, "catalog", detail=sentence)
    if not checking.parts.advancing.catalog.index_holds():
        if checking.options.repair:
            checking.parts.advancing.catalog.rebuild_index()
        yield Finding.of(FindingCode.SEARCH_DIFFERS, "catalog", repaired=checking.options.repair)
    try:
        checking.parts.audit.verify_chain()
    except IntegrityError as exc:
        yield Finding.of(FindingCode.AUDIT_BROKEN, str(exc.detail.get("seq", "audit")))


def _forgetting(checking: Checking) -> Iterator[Finding]:
    forgetting, options = checking.parts.forgetting, checking.options
    left = finish_forgetting(forgetting, cancel=options.cancel) if options.repair else forgetting.catalog.tombstones()
    still = {tombstone.token for tombstone in forgetting.catalog.tombstones()}
    for tombstone in left:
        repaired = tombstone.token not in still
        yield Finding.of(FindingCode.UNFINISHED_FORGET, tombstone.version_id, repaired=repaired)


def _documents(checking: Checking) -> Iterator[Finding]:
    """Every document: its versions and their readings, then what the tree shows of it."""
    surveyor = Surveyor(checking.parts.advancing.publisher, checking.parts.advancing.store)
    for document in _each_document(checking):
        checking.step(document.doc_id)
        for version in checking.parts.advancing.catalog.versions_of(document.doc_id):
            yield from check_version(document, version, checking=checking)
        yield from _in_tree(document, surveyor, checking)


def _rest_of_tree(checking: Checking) -> Iterator[Finding]:
    surveyor = Surveyor(checking.parts.advancing.publisher, checking.parts.advancing.store)
    for flaw in surveyor.rest(checking.parts.advancing.catalog.document, mend=checking.options.repair):
        yield _of_tree(flaw)


def _each_document(checking: Checking) -> Iterator[Document]:
    cursor: str | None = None
    while True:
        listing = checking.parts.advancing.catalog.list_documents(Filters(), cursor=cursor, limit=PAGE)
        yield from (entry.document for entry in listing.entries)
        if listing.cursor is None:
            return
        cursor = listing.cursor


def _in_tree(document: Document, surveyor: Surveyor, checking: Checking) -> Iterator[Finding]:
    advancing, repair = checking.parts.advancing, checking.options.repair
    doc_id = document.doc_id
    flaws = surveyor.document(
        doc_id, lambda: entry_of(doc_id, catalog=advancing.catalog, policy=advancing.policy), mend=repair
    )
    for flaw in flaws:
        if flaw.code in _YOUNG and document.created_ms >= checking.old_ms and not repair:
            # the call that takes it in publishes it at its end
            continue
        yield _of_tree(flaw)


def _of_tree(flaw: TreeFlaw) -> Finding:
    return Finding.of(flaw.code, flaw.subject, repaired=flaw.mended)


def _cache(checking: Checking) -> Iterator[Finding]:
    forgetting, repair = checking.parts.forgetting, checking.options.repair
    knows, cache, scratch = forgetting.catalog.knows, forgetting.cache, forgetting.scratch
    for content in cache.contents():
        is_extra, damaged = not knows(content), cache.damaged(content)
        if repair and (is_extra or damaged):
            cache.drop(content)
        if is_extra or damaged:
            code = FindingCode.CACHE_EXTRA if is_extra else FindingCode.CACHE_DAMAGED
            yield Finding.of(code, str(content), repaired=repair)
    for content in scratch.contents():
        if not knows(content):
            if repair:
                scratch.drop(content)
            yield Finding.of(FindingCode.CACHE_EXTRA, str(content), repaired=repair)
