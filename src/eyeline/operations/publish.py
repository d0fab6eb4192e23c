"""`publish`: write the tree, every document or some, as the catalogue has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import Filters
from eyeline.errors import DocumentNotFound
from eyeline.operations.entries import published
from eyeline.operations.forgetting import ForgetParts, settle
from eyeline.toolkit.cancel import CancelToken

PAGE = 200


def publish(
    doc_ids: Iterable[str] | None,
    *,
    parts: ForgetParts,
    progress: Callable[[int, int, str], None] | None = None,
    cancel: CancelToken,
) -> int:
    """Publish documents (all without a list) and return how many. What is there already is left as it is.

    Raises `DocumentNotFound` for an unknown id, `StoreError` when the disk refuses, `Cancelled` between two documents.
    """
    settle(parts, cancel=cancel)
    wanted = list(_all(parts.catalog) if doc_ids is None else doc_ids)
    for done, doc_id in enumerate(wanted, start=1):
        cancel.raise_if_cancelled()
        folder = published(doc_id, catalog=parts.catalog, publisher=parts.publisher, policy=parts.policy)
        if folder is None and doc_ids is not None:
            raise DocumentNotFound(f"no document answers to {doc_id!r}")
        if progress is not None:
            progress(done, len(wanted), doc_id)
    return len(wanted)


def _all(catalog: Catalog) -> Iterable[str]:
    cursor: str | None = None
    while True:
        listing = catalog.list_documents(Filters(), cursor=cursor, limit=PAGE)
        yield from (entry.document.doc_id for entry in listing.entries)
        if listing.cursor is None:
            return
        cursor = listing.cursor
