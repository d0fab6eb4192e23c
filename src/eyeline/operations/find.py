"""`find`: full-text over derived text and names, answering with source handles and the locators of the passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.records import Entry, Filters, Match
from eyeline.errors import LimitExceeded, VersionNotFound
from eyeline.model.access import Principal
from eyeline.model.display import shown
from eyeline.model.envelope import Found, Negative, NegativeCode, Passage
from eyeline.model.locator import Locator
from eyeline.model.media_type import Family, MediaType
from eyeline.model.reading import HIDDEN_TEXT
from eyeline.operations.handles import handle_of
from eyeline.operations.narrowing import narrowed
from eyeline.operations.resolving import Resolved, promised, resolved_from
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
    finder = _Finder(catalog, store, policy)
    filters = Filters(_visible(request, principal), request.family, request.media_type, request.name)
    if not request.query.strip():
        listing = catalog.list_documents(filters, cursor=request.cursor, limit=request.limit)
        return _found((finder.listed(entry) for entry in listing.entries), listing.cursor)
    matches = catalog.search(request.query, filters, cursor=request.cursor, limit=request.limit)
    return _found((finder.matched(match, request.query) for match in matches.matches), matches.cursor)


def _visible(request: FindRequest, principal: Principal) -> frozenset[str] | None:
    if request.collection is None:
        return principal.collections
    return frozenset({request.collection}) if principal.sees(request.collection) else frozenset()


def _found(passages: Iterable[Passage | None], cursor: str | None) -> Found:
    found = tuple(passage for passage in passages if passage is not None)
    nothing = None if found else Negative(NegativeCode.KNOWN_EMPTY, "nothing matches")
    return Found(found, cursor, negative=nothing)


def _excerpt(match: Match) -> str:
    if match.passage is None:
        return ""
    start = max(0, match.at - EXCERPT_CHARS // 3)
    words = match.passage.text[start : start + EXCERPT_CHARS].split()
    return shown(" ".join(words), max_chars=EXCERPT_CHARS)


class _Finder:
    """Turns records of the catalogue into passages."""

    def __init__(self, catalog: Catalog, store: BlobStore, policy: str) -> None:
        self._catalog = catalog
        self._store = store
        self._policy = policy

    def listed(self, entry: Entry) -> Passage:
        return Passage(handle_of(self._resolved(entry)), Locator(), "", None, None)

    def matched(self, match: Match, query: str) -> Passage | None:
        """The passage with its place; none for one that was forgotten since it was found."""
        resolved = self._resolved(match.entry)
        handle = handle_of(resolved)
        if match.passage is None or resolved.representation is None:
            return Passage(handle, Locator(), "", None, None)
        reading = StoredReading(resolved.representation, self._store)
        try:
            with promised(resolved.version, catalog=self._catalog):
                place = narrowed(match.passage, query, source_map=reading.source_map, duration_ms=handle.duration_ms)
                notes = (HIDDEN_TEXT,) if reading.account.hides(place.locator) else ()
        except VersionNotFound:
            return None
        return Passage(handle, place.locator, _excerpt(match), place.derivation_kind, place.evidence_mode, notes)

    def _resolved(self, entry: Entry) -> Resolved:
        representation_id = entry.representation_id
        representation = None if representation_id is None else self._catalog.representation(representation_id)
        return resolved_from(entry.document, entry.version, representation, catalog=self._catalog, policy=self._policy)
