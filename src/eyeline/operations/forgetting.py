"""Finishing what was begun to be forgotten, in an order that can be taken up again wherever it was broken off.

The tombstone comes first, in the transaction that removes the records; then go tree, cache and blobs, then what the
database files hold of deleted rows, then the tombstone. Every step does nothing where it was done already, and each
looks at the catalogue again, so that bytes which came back meanwhile are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import Tombstone
from eyeline.convert.scratch import ScratchFolder
from eyeline.model.digest import Digest
from eyeline.operations.entries import published
from eyeline.render.cache import RenditionCache
from eyeline.source.enclosed import mails_of
from eyeline.store.base import BlobStore
from eyeline.toolkit.cancel import CancelToken
from eyeline.tree.layout import Name
from eyeline.tree.publisher import Publisher


@dataclass(frozen=True, slots=True)
class ForgetParts:
    """Every place that may hold something of a version."""

    catalog: Catalog
    store: BlobStore
    publisher: Publisher
    cache: RenditionCache
    scratch: ScratchFolder
    policy: str


def settle(parts: ForgetParts, *, cancel: CancelToken) -> None:
    """Finish or remove what killed processes left, before a verb writes: half a publishing, half a forgetting."""
    parts.publisher.clear_staging(wait=False)
    finish_forgetting(parts, cancel=cancel)


def finish_forgetting(
    parts: ForgetParts, *, cancel: CancelToken, progress: Callable[[int, int, str], None] | None = None
) -> tuple[Tombstone, ...]:
    """Finish every forgetting that was begun, by whomever; the tombstones that were there.

    One whose database files a reader holds keeps its tombstone for the next time, and so does every one after
    `Cancelled`. `progress` counts the versions, and as a last step the database files, which are written anew once,
    however many versions there are.
    """
    left = parts.catalog.tombstones()
    if not left:
        return ()
    tell = progress or _nobody
    for done, tombstone in enumerate(left, start=1):
        cancel.raise_if_cancelled()
        if tombstone.is_open:
            _remove(tombstone, parts)
        tell(done, len(left) + 1, tombstone.version_id)
    parts.publisher.clear_staging(wait=True)
    parts.catalog.release_blobs(lambda digest: _let_go(digest, parts.store, cancel))
    tokens = [tombstone.token for tombstone in left]
    parts.catalog.close_tombstones(tokens)
    if parts.catalog.scrub(cancel):
        parts.catalog.end_tombstones(tokens)
    tell(len(left) + 1, len(left) + 1, "the database")
    return left


def _let_go(digest: Digest, store: BlobStore, cancel: CancelToken) -> None:
    cancel.raise_if_cancelled()
    store.delete(digest)


def _nobody(done: int, total: int, what: str) -> None:
    """Nobody wants to know how far it is."""


def _remove(tombstone: Tombstone, parts: ForgetParts) -> None:
    name = Name(tombstone.collection or "", tombstone.reference or "")
    published(tombstone.doc_id, catalog=parts.catalog, publisher=parts.publisher, policy=parts.policy, name=name)
    for mail in mails_of(name.collection, name.reference):
        if parts.catalog.document(mail) is not None:
            published(mail, catalog=parts.catalog, publisher=parts.publisher, policy=parts.policy)
    if not parts.catalog.knows(tombstone.content):
        parts.cache.drop(tombstone.content)
        parts.scratch.drop(tombstone.content)
