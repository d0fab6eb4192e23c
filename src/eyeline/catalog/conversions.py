"""Conversions: who runs one, and what it came to. Admissions, which decide whether there is one, stand beside them."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from eyeline import wire
from eyeline.catalog import blobs
from eyeline.catalog.database import Writing
from eyeline.catalog.ownership import Owner, this_process
from eyeline.catalog.records import CLAIM_LOST, Claim, Conversion, ConversionState
from eyeline.catalog.rows import SELECT_ADMISSIONS, SELECT_CONVERSIONS, Record, admission_of, conversion_of
from eyeline.catalog.schema import admissions, conversions
from eyeline.errors import StoreError
from eyeline.model.digest import Digest
from eyeline.model.document import Admission

LEASE_MS = 15 * 60_000


def admit(writing: Writing, admission: Admission) -> None:
    """Record an admission; a later one under the same policy takes its place. Bytes that went are not admitted."""
    blobs.refuse_leaving(writing, admission.content)
    values = {
        "content": admission.content.hex,
        "policy": admission.policy,
        "outcome": admission.outcome.value,
        "reason": admission.reason,
        "decoder": admission.decoder,
        "probe": None if admission.probe is None else wire.dumps(admission.probe),
        "decided_ms": admission.decided_ms,
    }
    writing.put(admissions, values, key=["content", "policy"])


def admission(connection: Connection, content: Digest, *, policy: str) -> Admission | None:
    """The admission of some bytes under a policy."""
    query = SELECT_ADMISSIONS.where(admissions.c.content == content.hex, admissions.c.policy == policy)
    row = connection.execute(query).one_or_none()
    return None if row is None else admission_of(row)


def conversion(connection: Connection, key: Digest) -> Conversion | None:
    """How far a conversion is."""
    row = connection.execute(SELECT_CONVERSIONS.where(conversions.c.conversion_key == key.hex)).one_or_none()
    return None if row is None else conversion_of(row)


def claim(writing: Writing, *, key: Digest, content: Digest, route: str, now_ms: int, again: bool) -> Claim | None:
    """The claim on a conversion, or none when it is not to be run here and now. Bytes that went are not converted."""
    blobs.refuse_leaving(writing, content)
    new = {
        "conversion_key": key.hex,
        "content": content.hex,
        "route": route,
        "state": ConversionState.QUEUED.value,
        "attempts": 0,
        "retryable": True,
    }
    writing.add_missing(conversions, new, key=["conversion_key"])
    query = SELECT_CONVERSIONS.where(conversions.c.conversion_key == key.hex)
    row = writing.connection.execute(query.with_for_update()).one()
    if not _is_free(row, now_ms=now_ms, again=again):
        return None
    taken = Claim(key, content, route, row.attempts + 1, now_ms + LEASE_MS)
    changed = {
        "state": ConversionState.RUNNING.value,
        "attempts": taken.attempt,
        "owner": str(this_process()),
        "expires_ms": taken.expires_ms,
    }
    writing.connection.execute(update(conversions).where(conversions.c.conversion_key == key.hex).values(changed))
    return taken


def _is_free(row: Record, *, now_ms: int, again: bool) -> bool:
    match ConversionState(row.state):
        case ConversionState.QUEUED:
            return True
        case ConversionState.RUNNING:
            owner = Owner.parse(row.owner)
            return now_ms >= row.expires_ms or owner is None or owner.is_gone()
        case ConversionState.FAILED:
            return row.retryable or again
        case ConversionState.DONE:
            return again


def renew(writing: Writing, claim: Claim, *, now_ms: int) -> Claim:
    """The claim with a later end, or retryable `StoreError` when it was taken over."""
    later = Claim(claim.conversion_key, claim.content, claim.route, claim.attempt, now_ms + LEASE_MS)
    end(writing, claim, expires_ms=later.expires_ms)
    return later


def end(writing: Writing, claim: Claim, **changed: str | int | bool | None) -> None:
    """Change the record of a claim that still holds; retryable `StoreError` when it was taken over."""
    statement = update(conversions).where(
        conversions.c.conversion_key == claim.conversion_key.hex,
        conversions.c.state == ConversionState.RUNNING.value,
        conversions.c.attempts == claim.attempt,
    )
    if writing.connection.execute(statement.values(changed)).rowcount != 1:
        raise StoreError(
            "another process took this conversion over",
            hint="use what it makes",
            reason=CLAIM_LOST,
            conversion_key=str(claim.conversion_key),
        )


def abandoned(connection: Connection, *, now_ms: int) -> tuple[Conversion, ...]:
    """Conversions that nobody runs any more and that nobody finished."""
    rows = connection.execute(SELECT_CONVERSIONS.where(conversions.c.state == ConversionState.RUNNING.value))
    return tuple(conversion_of(row) for row in rows.all() if _is_free(row, now_ms=now_ms, again=False))


def done_representation(connection: Connection, key: Digest) -> str | None:
    """Id of the representation that a conversion made last."""
    query = select(conversions.c.representation_id).where(
        conversions.c.conversion_key == key.hex, conversions.c.representation_id.is_not(None)
    )
    return connection.scalar(query)


def fail(writing: Writing, claim: Claim, *, code: str, retryable: bool) -> None:
    """Say why a claimed conversion came to nothing."""
    state = ConversionState.FAILED.value
    end(writing, claim, state=state, code=code, retryable=retryable, owner=None, expires_ms=None)
