"""`fetch`: the exact bytes of an original, whole or a range, through the same resolution, authorisation and audit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.errors import IntegrityError, InvalidRequest, VersionNotFound
from eyeline.model.access import Principal
from eyeline.model.audit import AuditAction, AuditOutcome, AuditRecord, DeliveredPart
from eyeline.model.document import BlobRef, Version
from eyeline.model.manifest import ContentKind, Origin
from eyeline.operations.auditing import known_id
from eyeline.operations.resolving import UNKNOWN, promised, resolve
from eyeline.source.stored import BlobReading
from eyeline.store.base import BlobStore
from eyeline.tree.layout import original_name

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Fetched:
    """An original on its way out: what it is, and its bytes in chunks.

    `chunks` may be walked once. A whole original is hashed as it goes and the last chunk is withheld when the digest
    differs, with `IntegrityError`. `broken` records that the transfer ended early.
    """

    content: BlobRef
    file_name: str
    start: int
    end: int
    chunks: Iterator[bytes]
    broken: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FetchParts:
    """What fetching works with."""

    catalog: Catalog
    store: BlobStore
    originals: BlobReading
    audit: AuditLog
    policy: str
    clock_ms: Callable[[], int]


def fetch(
    version_id: str, *, start: int = 0, end: int | None = None, parts: FetchParts, principal: Principal, surface: str
) -> Fetched:
    """The bytes `start` to `end` (half-open) of a version's original.

    Raises `VersionNotFound` for what is not there for this principal and `InvalidRequest` for a range outside it. The
    release is recorded before the first byte is read.
    """
    resolved = resolve(
        version_id, representation_id=None, catalog=parts.catalog, policy=parts.policy, principal=principal
    )
    record = AuditRecord(
        at_ms=parts.clock_ms(),
        principal=principal.name,
        surface=surface,
        action=AuditAction.FETCH,
        outcome=AuditOutcome.REFUSED,
        version_id=known_id(version_id, "ver"),
        code="unknown_entity",
    )
    if resolved is None:
        parts.audit.released(record)
        raise VersionNotFound(UNKNOWN)
    content = resolved.version.content
    stop = content.byte_count if end is None else end
    if not 0 <= start <= stop <= content.byte_count:
        parts.audit.released(replace(record, code=InvalidRequest.code))
        raise InvalidRequest(
            f"bytes {start} to {stop} do not lie in this original", hint=f"it has bytes 0 to {content.byte_count}"
        )
    return _released(resolved.version, start, stop, parts=parts, record=record)


def _released(version: Version, start: int, stop: int, *, parts: FetchParts, record: AuditRecord) -> Fetched:
    """Record the release, then hand out the bytes; nothing is read before the record is kept."""
    content = version.content
    part = DeliveredPart(ContentKind.BYTES, Origin.ORIGINAL, stop - start, content.digest)
    sequence = parts.audit.released(replace(record, outcome=AuditOutcome.RELEASED, code=None, parts=(part,)))

    def broken(code: str) -> None:
        parts.audit.complete(sequence, AuditOutcome.FAILED, code=code, at_ms=parts.clock_ms())

    return Fetched(
        content=content,
        file_name=original_name(content.media_type),
        start=start,
        end=stop,
        chunks=_chunks(parts, version, start, stop),
        broken=broken,
    )


def _chunks(parts: FetchParts, version: Version, start: int, stop: int) -> Iterator[bytes]:
    content = version.content
    hasher = hashlib.sha256() if (start, stop) == (0, content.byte_count) else None
    # the whole is verified as it leaves; of a range, what it is taken from is verified before
    blobs = parts.store if hasher is not None else parts.originals
    with promised(version, catalog=parts.catalog), blobs.open(content.digest) as opened:
        opened.seek(start)
        left = stop - start
        while left:
            chunk = opened.read(min(CHUNK_BYTES, left))
            if not chunk:
                raise IntegrityError("the original is shorter than recorded", digest=str(content.digest))
            left -= len(chunk)
            if hasher is not None:
                hasher.update(chunk)
                if not left and hasher.hexdigest() != content.digest.hex:
                    raise IntegrityError("the original does not hash to its digest", digest=str(content.digest))
            yield chunk
