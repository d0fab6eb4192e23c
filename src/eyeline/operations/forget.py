"""`forget`: a version, or a document with all its versions, as if it had never been taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eyeline.catalog.records import Tombstone
from eyeline.errors import DocumentNotFound
from eyeline.model.access import Principal
from eyeline.model.digest import Digest
from eyeline.model.document import Version
from eyeline.operations.forgetting import ForgetParts, finish_forgetting
from eyeline.operations.resolving import versions_named


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


def forget(
    names: Iterable[str], *, parts: ForgetParts, principal: Principal, clock_ms: Callable[[], int]
) -> ForgetReport:
    """Forget what is named: version ids, document ids, names, or paths in the tree.

    Every name is resolved before anything goes; `DocumentNotFound` and `AmbiguousName` leave all as it was. Raises
    `StoreError` when the disk refuses: what was begun is finished by the next verb that writes.
    """
    finished = finish_forgetting(parts)
    wanted = [version for name in names for version in _named(name, parts, principal, finished)]
    parts.catalog.forget_versions([version.version_id for version in wanted], now_ms=clock_ms())
    gone = (*finished, *finish_forgetting(parts))
    left = {tombstone.token for tombstone in parts.catalog.tombstones()}
    return ForgetReport(
        tuple(_forgotten(each, parts, principal) for each in _once(gone)),
        not any(tombstone.token in left for tombstone in gone),
    )


def _named(name: str, parts: ForgetParts, principal: Principal, finished: tuple[Tombstone, ...]) -> tuple[Version, ...]:
    try:
        return versions_named(name, catalog=parts.catalog, principal=principal)
    except DocumentNotFound:
        if any(name in (each.version_id, each.doc_id, each.reference) for each in finished):
            return ()
        raise


def _once(gone: tuple[Tombstone, ...]) -> list[Tombstone]:
    """Each version once, also when its database files had to be cleaned twice."""
    return list({tombstone.token: tombstone for tombstone in gone}.values())


def _forgotten(gone: Tombstone, parts: ForgetParts, principal: Principal) -> Forgotten:
    stays = parts.catalog.knows(gone.content, collections=principal.collections)
    return Forgotten(gone.version_id, gone.doc_id, gone.content, stays)
