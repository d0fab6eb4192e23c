"""The part of a check that looks at versions: decoded under the limits in force, readings whole and as they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eyeline.convert.running import Again
from eyeline.errors import BlobNotFound, EyelineError, IntegrityError, InvalidRequest
from eyeline.model.digest import Digest
from eyeline.model.document import Document, Representation, Version
from eyeline.model.finding import Finding, FindingCode
from eyeline.model.ids import representation_id
from eyeline.model.reading import ConversionManifest
from eyeline.operations.checking import Checking
from eyeline.render.subject import read_blob
from eyeline.wire import loads


def check_version(document: Document, version: Version, *, checking: Checking) -> Iterator[Finding]:
    """One version and its readings."""
    yield from _admission(version, checking)
    readings = checking.parts.advancing.catalog.representations_of(
        version.content.digest, collection=document.collection
    )
    for made in readings:
        if not (_blobs(made) & checking.broken) and not _is_as_it_says(made, checking):
            yield Finding.of(FindingCode.REPRESENTATION_DIFFERS, made.representation_id)
    yield from _broken(document, version, readings, checking=checking)


def check_conversions(checking: Checking) -> Iterator[Finding]:
    """Conversions that a process began which is gone."""
    catalog = checking.parts.advancing.catalog
    for left in catalog.abandoned_conversions(now_ms=checking.parts.advancing.clock_ms()):
        for version in catalog.versions_with(left.content):
            document = catalog.document(version.doc_id)
            is_read = checking.options.repair and document is not None and _read(document, version, checking)
            yield Finding.of(FindingCode.STALE_CONVERSION, version.version_id, repaired=is_read)


def _admission(version: Version, checking: Checking) -> Iterator[Finding]:
    advancing = checking.parts.advancing
    if version.route is None or advancing.catalog.admission(version.content.digest, advancing.policy) is not None:
        return
    if version.created_ms >= checking.old_ms and not checking.options.repair:
        return
    finding = Finding.of(FindingCode.ADMISSION_DUE, version.version_id)
    if checking.options.repair:
        try:
            advancing.admission(version.content, cancel=checking.options.cancel)
        except (BlobNotFound, IntegrityError):
            yield finding
            return
    yield replace(finding, repaired=checking.options.repair)


def _blobs(made: Representation) -> set[Digest]:
    return {made.manifest.digest, *(asset.content.digest for asset in made.assets)}


def _is_as_it_says(made: Representation, checking: Checking) -> bool:
    """Whether a representation's manifest says what the records say."""
    try:
        data = read_blob(checking.parts.advancing.store, made.manifest)
        manifest = loads(ConversionManifest, data)
    except (BlobNotFound, IntegrityError):
        # it went since the blobs were looked at: the next check tells
        return True
    except InvalidRequest:
        return False
    said = {(each.path, each.digest, each.byte_count, each.media_type, str(each.locator)) for each in manifest.outputs}
    recorded = {
        (each.path, each.content.digest, each.content.byte_count, str(each.content.media_type), each.locator)
        for each in made.assets
    }
    account = (manifest.content, manifest.conversion_key, manifest.route)
    return (
        made.representation_id == representation_id(made.manifest.digest)
        and account == (made.content, made.conversion_key, made.route)
        and said == recorded
    )


def _broken(
    document: Document, version: Version, readings: tuple[Representation, ...], *, checking: Checking
) -> Iterator[Finding]:
    """Files of a version's readings that are missing or damaged; a repair reads the original again."""
    advancing = checking.parts.advancing
    wrong = sorted({digest for made in readings for digest in _blobs(made)} & checking.broken)
    if not wrong:
        return
    damaged = [digest for digest in wrong if checking.has(digest)]
    if checking.options.repair:
        for digest in damaged:
            known = advancing.catalog.blob_record(digest)
            if known is not None and not known.is_original:
                advancing.store.delete(digest)
        _read(document, version, checking)
    for digest in wrong:
        code = FindingCode.DERIVED_DAMAGED if digest in damaged else FindingCode.DERIVED_MISSING
        is_whole = checking.options.repair and _is_whole(digest, checking)
        if is_whole:
            checking.broken.discard(digest)
        yield Finding.of(code, str(digest), repaired=is_whole, detail=f"of {version.version_id}")


def _read(document: Document, version: Version, checking: Checking) -> bool:
    """Decode a version and convert it, also where that was done before; whether it has a reading now."""
    advancing, cancel = checking.parts.advancing, checking.options.cancel
    try:
        admission = advancing.admission(version.content, cancel=cancel)
        made = advancing.converted(document, version, admission=admission, cancel=cancel, again=Again(all=True))
    except (BlobNotFound, IntegrityError):
        return False
    return made is not None and made.representation is not None


def _is_whole(digest: Digest, checking: Checking) -> bool:
    try:
        checking.parts.advancing.store.verify(digest)
    except EyelineError:
        return False
    return True
