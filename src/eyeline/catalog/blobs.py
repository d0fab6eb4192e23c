"""Which blobs the records name, and how far each is.

A blob is pinned before its bytes are looked for or written, and named by records afterwards in a transaction that
checks it is not being deleted. So a blob that is deleted because nothing names it is never one that somebody is about
to name.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from eyeline.catalog.database import Writing
from eyeline.catalog.records import BlobState
from eyeline.catalog.schema import blobs
from eyeline.errors import BlobNotFound, IntegrityError, StoreError
from eyeline.model.digest import Digest
from eyeline.model.document import BlobRef


def pin(writing: Writing, ref: BlobRef) -> None:
    """Announce a blob; one that is known stays as it is. Raises as `_check` does."""
    values = {"digest": ref.digest.hex, "byte_count": ref.byte_count, "state": BlobState.PINNED.value}
    if not writing.add_missing(blobs, values, key=["digest"]):
        _check(writing, ref)


def store(writing: Writing, digest: Digest) -> None:
    """Say that a pinned blob's bytes are kept. Raises `BlobNotFound` where none was pinned, else as `_check`."""
    state = writing.connection.scalar(select(blobs.c.state).where(blobs.c.digest == digest.hex).with_for_update())
    if state is None:
        raise BlobNotFound("the blob was not pinned before it was kept", digest=str(digest))
    _refuse_deleting(state)
    writing.connection.execute(update(blobs).where(blobs.c.digest == digest.hex).values(state=BlobState.STORED.value))


def keep(writing: Writing, ref: BlobRef) -> None:
    """Pin and store in one step, for the transaction that names the blob."""
    pin(writing, ref)
    store(writing, ref.digest)


def state_of(connection: Connection, digest: Digest) -> BlobState | None:
    """How far a blob is; none when no record knows it."""
    state = connection.scalar(select(blobs.c.state).where(blobs.c.digest == digest.hex))
    return None if state is None else BlobState(state)


def _check(writing: Writing, ref: BlobRef) -> None:
    """Raise `IntegrityError` for a size that was another before, retryable `StoreError` for a blob on its way out."""
    known = writing.connection.execute(
        select(blobs.c.byte_count, blobs.c.state).where(blobs.c.digest == ref.digest.hex).with_for_update()
    ).one()
    if known.byte_count != ref.byte_count:
        raise IntegrityError(
            "a blob has another size than was recorded",
            digest=str(ref.digest),
            recorded=known.byte_count,
            found=ref.byte_count,
        )
    _refuse_deleting(known.state)


def _refuse_deleting(state: str) -> None:
    if state == BlobState.DELETING.value:
        raise StoreError("the blob is being deleted", hint="take the file in again")
