"""`find`: full-text over derived text and names, answering with source handles and the locators of the passages."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import Entry, Filters, Match
from eyeline.errors import LimitExceeded
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.envelope import Found, Negative, NegativeCode, Passage
from eyeline.model.locator import Locator
from eyeline.model.media_type import Family, MediaType
from eyeline.operations.handles import handle_of
from eyeline.operations.narrowing import Narrowed, narrowed
from eyeline.operations.resolving import Resolved
from eyeline.render.subject import StoredReading
from eyeline.store.base import BlobStore

MAX_LIMIT = 100
EXCERPT_CHARS = 240


@dataclass(frozen=True, slots=True)
class FindRequest:
    """What is looked for. An empty query lists; `cursor` goes on where an earlier answer stopped."""

    query: str = ""
    collection: str | None = None
    family: Family | None = None
    media_type: MediaType | None = None
    name: str | None = None
    cursor: str | None = None
    limit: int = 20


def find(request: FindRequest, *, catalog: Catalog, store: BlobStore, policy: str, principal: Principal) -> Found:
    """Passages that match, best first, or documents when the query is empty.

    Raises `InvalidRequest` for a cursor that is not ours and `LimitExceeded` for more than `MAX_LIMIT` at once.
    """
    if not 1 <= request.limit <= MAX_LIMIT:
        raise LimitExceeded(f"limit={request.limit} is not served", hint=f"1 to {MAX_LIMIT}", allowed=MAX_LIMIT)
    filters = Filters(_visible(request, principal), request.family, request.media_type, request.name)
    if not request.query.strip():
        listing = catalog.list_documents(filters, cursor=request.cursor, limit=request.limit)
        passages = tuple(_listed(entry, catalog, policy) for entry in listing.entries)
        return _found(passages, listing.cursor)
    matches = catalog.search(request.query, filters, cursor=request.cursor, limit=request.limit)
    passages = tuple(_matched(match, request.query, catalog, store, policy) for match in matches.matches)
    return _found(passages, matches.cursor)


def _visible(request: FindRequest, principal: Principal) -> frozenset[str] | None:
    if request.collection is None:
        return principal.collections
    return frozenset({request.collection}) if principal.sees(request.collection) else frozenset()


def _found(passages: tuple[Passage, ...], cursor: str | None) -> Found:
    if passages:
        return Found(passages, cursor)
    return Found((), cursor, negative=Negative(NegativeCode.KNOWN_EMPTY, "nothing matches"))


def _resolved(entry: Entry, catalog: Catalog, policy: str) -> Resolved:
    representation_id = entry.representation_id
    representation = None if representation_id is None else catalog.representation(representation_id)
    admission = catalog.admission(entry.version.content.digest, policy)
    return Resolved(entry.document, entry.version, admission, representation)


def _listed(entry: Entry, catalog: Catalog, policy: str) -> Passage:
    return Passage(handle_of(_resolved(entry, catalog, policy)), Locator(), "", None, None)


def _matched(match: Match, query: str, catalog: Catalog, store: BlobStore, policy: str) -> Passage:
    resolved = _resolved(match.entry, catalog, policy)
    handle = handle_of(resolved)
    if match.passage is None or resolved.representation is None:
        return Passage(handle, Locator(), "", None, None)
    reading = StoredReading(resolved.representation, store)
    place: Narrowed = narrowed(match.passage, query, reading.source_map)
    text = match.passage.text
    start = max(0, match.at - EXCERPT_CHARS // 3)
    excerpt = shown(" ".join(text[start : start + EXCERPT_CHARS].split()), max_chars=EXCERPT_CHARS)
    return Passage(handle, place.locator, excerpt, place.derivation_kind, place.evidence_mode)
