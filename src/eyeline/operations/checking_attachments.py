"""The part of a check that looks at attachments: every recorded object, every one there, and what was made of them."""

from __future__ import annotations

from collections.abc import Iterator

from eyeline.catalog.records import KeptObject
from eyeline.errors import AttachmentNotFound, IntegrityError
from eyeline.model.finding import Finding, FindingCode
from eyeline.operations.checking import Checking
from eyeline.request.rebuilding import Rebuilt


def check_attachments(checking: Checking) -> Iterator[Finding]:
    """Every attached object, read in full, then objects without a record, then the folder and the cache."""
    store, repair = checking.parts.attachments, checking.options.repair
    for kept in store.recorded():
        checking.step(kept.place)
        try:
            store.verify(kept)
        except AttachmentNotFound:
            yield _rebuilt(checking, kept, FindingCode.ATTACHMENT_MISSING)
        except IntegrityError:
            yield _rebuilt(checking, kept, FindingCode.ATTACHMENT_DAMAGED)
    for kept in store.unnamed(before_ms=checking.old_ms):
        repaired = repair and store.remove_unnamed(kept)
        yield Finding.of(FindingCode.ORPHAN_ATTACHMENT, kept.place, repaired=repaired)
    for flaw in store.flaws(mend=repair):
        yield Finding.of(FindingCode(flaw.kind.value), flaw.subject, repaired=flaw.mended)
    yield from _variants(checking)


def _rebuilt(checking: Checking, kept: KeptObject, code: FindingCode) -> Finding:
    """The finding about an object; a repair makes it again from its upload, or says why it does not."""
    if not checking.options.repair:
        return Finding.of(code, kept.place)
    came = checking.parts.attachments.rebuild(kept, cancel=checking.options.cancel)
    return Finding.of(code, kept.place, repaired=came is Rebuilt.MADE, detail=came.value)


def _variants(checking: Checking) -> Iterator[Finding]:
    cache, repair = checking.parts.variants, checking.options.repair
    for content in cache.contents():
        is_extra, damaged = not cache.keeps(content), cache.damaged(content)
        if repair and (is_extra or damaged):
            cache.drop(content)
        if is_extra or damaged:
            code = FindingCode.CACHE_EXTRA if is_extra else FindingCode.CACHE_DAMAGED
            yield Finding.of(code, str(content), repaired=repair)
