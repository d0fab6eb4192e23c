"""`forget`: a version, or a document with all its versions, as if it had never been taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.records import Tombstone
from eyeline.errors import Cancelled, DocumentNotFound, EyelineError
from eyeline.model.access import Principal
from eyeline.model.audit import AuditAction, AuditOutcome, AuditRecord
from eyeline.model.digest import Digest
from eyeline.model.document import Version
from eyeline.operations.forgetting import ForgetParts, finish_forgetting
from eyeline.operations.resolving import versions_named
from eyeline.toolkit.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class Forgotten:
    """One version that is unknown from now on. `bytes_stay`: a version that this caller may see has the same bytes."""

    version_id: str
    doc_id: str
    content: Digest
    bytes_stay: bool


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was forgotten, a forgetting that was begun earlier included.

    `complete` is false when another process was reading the database all the while: nothing answers to these any more,
    but the database files may still hold text of them. The next `forget` or `check` cleans them.
    """

    forgotten: tuple[Forgotten, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """Who asks, over which surface, and whom to tell how far it is (`done`, `total`, what)."""

    principal: Principal
    surface: str
    progress: Callable[[int, int, str], None] | None = None
    cancel: CancelToken = field(default_factory=CancelToken)


def forget(
    names: Iterable[str], *, parts: ForgetParts, audit: AuditLog, options: ForgetOptions, clock_ms: Callable[[], int]
) -> ForgetReport:
    """Forget what is named: version ids, document ids, names, or paths in the tree; with a mail what only it enclosed.

    Every name is resolved before anything goes; `DocumentNotFound` and `AmbiguousName` leave all as it was, and so does
    an audit log that cannot be written. Raises `StoreError` when the disk refuses, `Cancelled` on the caller's wish:
    what was begun is unknown to everybody, and is finished by the next verb that writes.
    """
    begun = parts.catalog.tombstones()
    named = [version for name in names for version in _named(name, parts, options.principal, begun)]
    asked = list({version.version_id: version for version in named})
    wanted = [*asked, *parts.catalog.enclosures.going_along(asked)]
    options.cancel.raise_if_cancelled()
    if wanted:
        _bury(wanted, parts=parts, audit=audit, options=options, now_ms=clock_ms())
    try:
        gone = finish_forgetting(parts, cancel=options.cancel, progress=options.progress)
    except Cancelled as exc:
        hint = "nothing answers to these any more; the next verb that writes removes what the home still holds of them"
        raise Cancelled(exc.message, hint=hint) from exc
    left = {tombstone.token for tombstone in parts.catalog.tombstones()}
    return ForgetReport(
        tuple(_forgotten(each, parts, options.principal) for each in gone),
        not any(tombstone.token in left for tombstone in gone),
    )


def _bury(
    version_ids: Sequence[str], *, parts: ForgetParts, audit: AuditLog, options: ForgetOptions, now_ms: int
) -> None:
    """Write down what is about to go, then let it go; where that fails, write down that it did not."""
    by, over = options.principal.name, options.surface
    numbers = audit.append(
        [
            AuditRecord(now_ms, by, over, AuditAction.FORGET, AuditOutcome.FORGOTTEN, version_id=version_id)
            for version_id in version_ids
        ]
    )
    try:
        parts.catalog.forget_versions(version_ids, now_ms=now_ms)
    except EyelineError as exc:
        for number in numbers:
            audit.complete(number, AuditOutcome.FAILED, code=exc.code, at_ms=now_ms)
        raise


def _named(name: str, parts: ForgetParts, principal: Principal, begun: tuple[Tombstone, ...]) -> tuple[Version, ...]:
    try:
        return versions_named(name, catalog=parts.catalog, principal=principal)
    except DocumentNotFound:
        if any(name in (each.version_id, each.doc_id, each.reference) for each in begun):
            return ()
        raise


def _forgotten(gone: Tombstone, parts: ForgetParts, principal: Principal) -> Forgotten:
    stays = parts.catalog.knows(gone.content, collections=principal.collections)
    return Forgotten(gone.version_id, gone.doc_id, gone.content, stays)
