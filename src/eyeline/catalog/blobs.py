"""Which blobs the records name, and how far each is.

A blob is pinned before its bytes are looked for, and named by records afterwards in a transaction that checks the pin.
Letting a blob go takes two steps: in one transaction it is condemned because nothing names it, in another its bytes go
and its record with them. A pin says which incarnation of the record it saw: who looked for bytes that went meanwhile
finds the incarnation gone, and looks again. So `stored` means that somebody saw the bytes of this very incarnation.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, CursorResult, delete, exists, func, or_, select, update

from eyeline.catalog.database import Question, Writing
from eyeline.catalog.records import PIN_LOST, BlobState, KeptBlob, Pin
from eyeline.catalog.rows import Record, columns, kept
from eyeline.catalog.schema import admissions, assets, blobs, conversions, representations, versions
from eyeline.errors import IntegrityError, StoreError
from eyeline.model.digest import Digest
from eyeline.model.document import BlobRef

_SOME = 100


def pin(writing: Writing, ref: BlobRef, *, now_ms: int) -> Pin:
    """Announce a blob. Raises retryable `StoreError` while it is on its way out, `IntegrityError` for another size."""
    new = Pin(ref, secrets.token_hex(8))
    values = {
        "digest": ref.digest.hex,
        "byte_count": ref.byte_count,
        "state": BlobState.PINNED.value,
        "incarnation": new.incarnation,
        "pinned_ms": now_ms,
    }
    if writing.add_missing(blobs, values, key=["digest"]):
        return new
    known = _locked(writing, ref.digest)
    if known is None or known.state == BlobState.DELETING.value:
        raise lost(ref.digest)
    if known.byte_count != ref.byte_count:
        raise IntegrityError(
            "a blob has another size than was recorded",
            digest=str(ref.digest),
            recorded=known.byte_count,
            found=ref.byte_count,
        )
    writing.connection.execute(update(blobs).where(blobs.c.digest == ref.digest.hex).values(pinned_ms=now_ms))
    return Pin(ref, known.incarnation)


def keep(writing: Writing, pins: Iterable[Pin]) -> None:
    """Say that the bytes of pinned blobs were seen after the pin. Raises retryable `StoreError` for a lost pin."""
    for each in pins:
        digest = each.ref.digest
        known = _locked(writing, digest)
        if known is None or known.incarnation != each.incarnation or known.state == BlobState.DELETING.value:
            raise lost(digest)
        if known.state != BlobState.STORED.value:
            stored = BlobState.STORED.value
            writing.connection.execute(update(blobs).where(blobs.c.digest == digest.hex).values(state=stored))


def refuse_leaving(writing: Writing, digest: Digest) -> None:
    """Raise retryable `StoreError` when a blob is not kept, or not any more."""
    known = _locked(writing, digest)
    if known is None or known.state == BlobState.DELETING.value:
        raise lost(digest)


def lost(digest: Digest) -> StoreError:
    """What is raised when bytes went away between looking for them and naming them."""
    return StoreError("the blob is being let go", hint="take the file in again", reason=PIN_LOST, digest=str(digest))


def _locked(writing: Writing, digest: Digest) -> Record | None:
    return writing.connection.execute(
        columns(blobs).where(blobs.c.digest == digest.hex).with_for_update()
    ).one_or_none()


def state_of(connection: Connection, digest: Digest) -> BlobState | None:
    """How far a blob is; none when no record knows it."""
    state = connection.scalar(select(blobs.c.state).where(blobs.c.digest == digest.hex))
    return None if state is None else BlobState(state)


def _original() -> ColumnElement[bool]:
    return exists().where(versions.c.content == blobs.c.digest)


def _derived() -> ColumnElement[bool]:
    return or_(
        exists().where(representations.c.manifest == blobs.c.digest),
        exists().where(assets.c.digest == blobs.c.digest),
    )


def _named() -> ColumnElement[bool]:
    """Whether any record refers to a blob."""
    return or_(
        _original(),
        _derived(),
        exists().where(representations.c.content == blobs.c.digest),
        exists().where(admissions.c.content == blobs.c.digest),
        exists().where(conversions.c.content == blobs.c.digest),
    )


def page(connection: Connection, *, after: Digest | None, limit: int) -> tuple[KeptBlob, ...]:
    """Records of blobs by digest, those behind `after`."""
    query = _described().order_by(blobs.c.digest)
    if after is not None:
        query = query.where(blobs.c.digest > after.hex)
    return tuple(map(_kept_blob, connection.execute(query.limit(limit))))


def record(connection: Connection, digest: Digest) -> KeptBlob | None:
    """The record of a blob, if it has one."""
    row = connection.execute(_described().where(blobs.c.digest == digest.hex)).one_or_none()
    return None if row is None else _kept_blob(row)


def count(connection: Connection) -> int:
    """How many blobs there are records of."""
    return connection.scalar(select(func.count()).select_from(blobs)) or 0


def _described() -> Question:
    return columns(blobs, _original().label("original"), _derived().label("derived"), _named().label("named"))


@kept
def _kept_blob(row: Record) -> KeptBlob:
    return KeptBlob(
        Digest(row.digest),
        row.byte_count,
        BlobState(row.state),
        row.pinned_ms,
        is_original=bool(row.original),
        is_derived=bool(row.derived),
        is_named=bool(row.named),
    )


def condemn(writing: Writing, digests: Sequence[Digest], *, before_ms: int | None = None) -> int:
    """Set blobs that nothing names on their way out, those last pinned before a time; how many.

    One without a record gets one, so that whoever is about to pin it sees that it goes.
    """
    condemned = 0
    for digest in digests:
        here = (blobs.c.digest == digest.hex, blobs.c.state != BlobState.DELETING.value, ~_named())
        old = () if before_ms is None else (blobs.c.pinned_ms < before_ms,)
        statement = update(blobs).where(*here, *old).values(state=BlobState.DELETING.value)
        condemned += cast("CursorResult[Any]", writing.connection.execute(statement)).rowcount
    return condemned


def condemn_unknown(writing: Writing, digest: Digest) -> bool:
    """Set a blob without a record on its way out; false when it has one by now."""
    values = {
        "digest": digest.hex,
        "byte_count": 0,
        "state": BlobState.DELETING.value,
        "incarnation": secrets.token_hex(8),
        "pinned_ms": 0,
    }
    return writing.add_missing(blobs, values, key=["digest"])


def condemned(connection: Connection) -> bool:
    """Whether any blob is on its way out."""
    state = BlobState.DELETING.value
    return connection.scalar(select(blobs.c.digest).where(blobs.c.state == state).limit(1)) is not None


def release(writing: Writing, let_go: Callable[[Digest], object], *, limit: int = _SOME) -> int:
    """Let the bytes of some condemned blobs go and forget their records; how many. Nobody can pin one meanwhile."""
    state = BlobState.DELETING.value
    query = select(blobs.c.digest).where(blobs.c.state == state).order_by(blobs.c.digest).limit(limit)
    going = writing.connection.scalars(query.with_for_update()).all()
    for name in going:
        let_go(Digest(name))
    writing.connection.execute(delete(blobs).where(blobs.c.digest.in_(going), blobs.c.state == state))
    return len(going)
