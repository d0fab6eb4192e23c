"""The part of a check that looks at blobs: every record against the store, and every blob there against the records."""

from __future__ import annotations

from collections.abc import Iterator

from eyeline.catalog.records import BlobState, KeptBlob
from eyeline.errors import BlobNotFound, IntegrityError
from eyeline.model.digest import Digest
from eyeline.model.finding import Finding, FindingCode
from eyeline.operations.checking import Checking


def check_blobs(checking: Checking) -> Iterator[Finding]:
    """Every blob, read in full. Files of representations that are broken are only noted, for `check_records`."""
    advancing = checking.parts.advancing
    in_store = advancing.store.list()
    unseen = next(in_store, None)
    for known in _records(checking):
        while unseen is not None and unseen < known.digest:
            yield from _unrecorded(unseen, checking)
            unseen = next(in_store, None)
        if unseen == known.digest:
            unseen = next(in_store, None)
        checking.step(str(known.digest))
        yield from _recorded(known, checking)
    while unseen is not None:
        yield from _unrecorded(unseen, checking)
        unseen = next(in_store, None)
    for flaw in advancing.store.flaws(mend=checking.options.repair):
        yield Finding.of(FindingCode(flaw.kind.value), flaw.subject, repaired=flaw.mended)


def _records(checking: Checking) -> Iterator[KeptBlob]:
    after: Digest | None = None
    while page := checking.parts.advancing.catalog.blobs_page(after=after):
        yield from page
        after = page[-1].digest


def _recorded(known: KeptBlob, checking: Checking) -> Iterator[Finding]:
    advancing = checking.parts.advancing
    if not known.is_named or known.state is BlobState.DELETING:
        yield from _unnamed(known, checking)
        return
    try:
        advancing.store.verify(known.digest)
        size = advancing.store.size(known.digest)
    except BlobNotFound:
        now = advancing.catalog.blob_record(known.digest)
        if now is not None and now.is_named:
            yield from _broken(known, FindingCode.ORIGINAL_MISSING, checking)
    except IntegrityError:
        yield from _broken(known, FindingCode.ORIGINAL_DAMAGED, checking)
    else:
        if size != known.byte_count:
            yield Finding.of(FindingCode.RECORD_DIFFERS, str(known.digest))


def _broken(known: KeptBlob, code: FindingCode, checking: Checking) -> Iterator[Finding]:
    if known.is_original:
        yield Finding.of(code, str(known.digest))
    if known.is_derived:
        checking.broken.add(known.digest)


def _unnamed(known: KeptBlob, checking: Checking) -> Iterator[Finding]:
    """A record that nothing names: somebody's pin as long as it is young, else a leftover."""
    is_going = known.state is BlobState.DELETING
    if not is_going and known.pinned_ms >= checking.old_ms:
        return
    advancing, repaired = checking.parts.advancing, False
    code = FindingCode.ORPHAN_BLOB if checking.has(known.digest) else FindingCode.RECORD_WITHOUT_BLOB
    if checking.options.repair:
        repaired = is_going or advancing.catalog.condemn_blobs([known.digest], before_ms=checking.old_ms) > 0
        advancing.catalog.release_blobs(advancing.store.delete)
    yield Finding.of(code, str(known.digest), repaired=repaired)


def _unrecorded(digest: Digest, checking: Checking) -> Iterator[Finding]:
    """A blob without a record: about to get one as long as it is young, else a leftover."""
    advancing, repaired = checking.parts.advancing, False
    try:
        is_young = advancing.store.kept_ms(digest) >= checking.old_ms
    except BlobNotFound:
        return
    except IntegrityError:
        is_young = False
    if is_young or advancing.catalog.blob_record(digest) is not None:
        return
    if checking.options.repair:
        repaired = advancing.catalog.condemn_unknown_blob(digest)
        advancing.catalog.release_blobs(advancing.store.delete)
    yield Finding.of(FindingCode.ORPHAN_BLOB, str(digest), repaired=repaired)
