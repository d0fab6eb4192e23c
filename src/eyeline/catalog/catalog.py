"""`Catalog`: every record of a home behind one class. Importing this module loads the database library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from eyeline.catalog import (
    blobs,
    conversions,
    documents,
    forgetting,
    grants,
    indexing,
    listing,
    representations,
    searching,
    sighting,
)
from eyeline.catalog.attachments import AttachmentIndex
from eyeline.catalog.database import CATALOG, Database
from eyeline.catalog.enclosures import EnclosureIndex
from eyeline.catalog.records import (
    BlobState,
    CameIn,
    Claim,
    Conversion,
    Filters,
    IndexedPassage,
    KeptBlob,
    Listing,
    Matches,
    NewVersion,
    Pin,
    RecordedVersion,
    Sight,
    Tombstone,
)
from eyeline.catalog.sqlite.database import SqliteDatabase
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, BlobRef, Document, Representation, SourceKind, Version
from eyeline.toolkit.cancel import CancelToken

EVERYTHING = Filters()
Collections = frozenset[str] | None


class Catalog:
    """Records of documents, versions, blobs, admissions, conversions and representations, and the search over them.

    Each method is one transaction: done and on the disk when it returns, or without effect. One object may be used by
    several threads, and one home by several processes. `collections` says which collections the caller may see (none:
    all); what is outside is answered like what does not exist. Every method may raise `StoreError` (disk or lock),
    `IntegrityError` (damaged records) and `InvalidRequest` (text that is not valid Unicode).
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the SQLite catalogue at a path, making or migrating it where that is due.

        Raises `ConfigError` on a network file system and for a database of another program or a newer release,
        `IntegrityError` for a damaged file.
        """
        return cls(SqliteDatabase.open(path, CATALOG))

    def close(self) -> None:
        """Close every connection; may be called twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def attachments(self) -> AttachmentIndex:
        """The records of what is attached to conversations."""
        return AttachmentIndex(self._database)

    @property
    def enclosures(self) -> EnclosureIndex:
        """The records of what came inside what."""
        return EnclosureIndex(self._database)

    # Blobs

    def pin_blobs(self, refs: Iterable[BlobRef], *, now_ms: int) -> tuple[Pin, ...]:
        """Announce blobs before their bytes are looked for, all or none; a record that names one shows its pin.

        Raises retryable `StoreError` with the reason `PIN_LOST` while one is being let go, `IntegrityError` for one
        whose size was another.
        """
        with self._database.writing() as writing:
            return tuple(
                blobs.pin(writing, ref, now_ms=now_ms) for ref in sorted(set(refs), key=lambda each: each.digest)
            )

    def blob_state(self, digest: Digest) -> BlobState | None:
        """How far a blob is; none when no record knows it."""
        with self._database.reading() as connection:
            return blobs.state_of(connection, digest)

    def blobs_page(self, *, after: Digest | None = None, limit: int = 500) -> tuple[KeptBlob, ...]:
        """Records of blobs in the order of their digests, those behind `after`."""
        with self._database.reading() as connection:
            return blobs.page(connection, after=after, limit=limit)

    def blob_record(self, digest: Digest) -> KeptBlob | None:
        """The record of a blob, if it has one."""
        with self._database.reading() as connection:
            return blobs.record(connection, digest)

    def counts(self) -> tuple[int, int]:
        """How many blobs and how many documents there are records of."""
        with self._database.reading() as connection:
            return blobs.count(connection), documents.count(connection)

    def condemn_blobs(self, digests: Sequence[Digest], *, before_ms: int | None = None) -> int:
        """Set those of some blobs on their way out that nothing names and nobody pinned since `before_ms`; how many."""
        with self._database.writing() as writing:
            return blobs.condemn(writing, digests, before_ms=before_ms)

    def condemn_unknown_blob(self, digest: Digest) -> bool:
        """Set a blob on its way out that has no record; false when it has one by now."""
        with self._database.writing() as writing:
            return blobs.condemn_unknown(writing, digest)

    def release_blobs(self, let_go: Callable[[Digest], object]) -> int:
        """Let every blob go that is on its way out: `let_go` takes its bytes, its record follows. How many.

        `let_go` runs inside the transaction, so that nobody pins what is going; it must not call the catalogue, and
        must do nothing for a blob that is gone already.
        """
        released = 0
        while self._condemned():
            with self._database.writing() as writing:
                released += blobs.release(writing, let_go)
        return released

    def _condemned(self) -> bool:
        with self._database.reading() as connection:
            return blobs.condemned(connection)

    # Documents and versions

    def record_version(
        self,
        *,
        collection: str,
        source_kind: SourceKind,
        reference: str,
        title: str,
        pin: Pin,
        route: str | None,
        place: str | None,
        now_ms: int,
        came_in: CameIn | None = None,
    ) -> RecordedVersion:
        """Record that a document has these bytes now, and make that its current version.

        The same thing again changes nothing; bytes that come back make their version current again. Call it when the
        bytes were seen in the store after they were pinned. `place` is where on this host they came from; it is kept to
        itself. `came_in` is the mail it came in: `VersionNotFound` where that is gone. Raises retryable `StoreError`
        with the reason `PIN_LOST` when they were let go since.
        """
        new = NewVersion(collection, source_kind, reference, title, pin, route, place, now_ms, came_in)
        with self._database.writing() as writing:
            return documents.record(writing, new=new)

    def document(self, doc_id: str) -> Document | None:
        """The document with an id."""
        with self._database.reading() as connection:
            return documents.by_id(connection, doc_id)

    def version(self, version_id: str) -> Version | None:
        """The version with an id."""
        with self._database.reading() as connection:
            return documents.version_by_id(connection, version_id)

    def sight(self, version_id: str, *, policy: str) -> Sight | None:
        """A version with all that is asked for when it is opened, at one moment and in one question."""
        with self._database.reading() as connection:
            return sighting.sight(connection, version_id, policy=policy)

    def place_of(self, doc_id: str) -> str | None:
        """Where on this host a document was last taken in from. Private: it never leaves the machine."""
        with self._database.reading() as connection:
            return documents.place_of(connection, doc_id)

    def document_named(self, name: str, *, collections: Collections = None) -> Document | None:
        """The visible document whose reference, else whose title, is exactly this name.

        Raises `AmbiguousName`, whose detail lists `candidates`, when several have it.
        """
        with self._database.reading() as connection:
            return documents.by_name(connection, name, collections=collections)

    def versions_of(self, doc_id: str) -> tuple[Version, ...]:
        """Versions of a document, in the order they were first seen."""
        with self._database.reading() as connection:
            return documents.versions_of(connection, doc_id)

    def versions_with(self, content: Digest, *, collections: Collections = None) -> tuple[Version, ...]:
        """Visible versions that have these bytes, in the order they were first seen."""
        with self._database.reading() as connection:
            return documents.versions_with(connection, content, collections=collections)

    def knows(self, content: Digest, *, collections: Collections = None) -> bool:
        """Whether a visible version has these bytes; what the caller may not see is not known."""
        return bool(self.versions_with(content, collections=collections))

    # Forgetting

    def forget_versions(self, version_ids: Sequence[str], *, now_ms: int) -> tuple[Tombstone, ...]:
        """Remove versions with all that only they need, and set the blobs on their way out that nothing names any more.

        What only they enclosed goes along. One transaction; from then on unknown. A tombstone for each that was there.
        """
        with self._database.writing() as writing:
            return forgetting.forget(writing, version_ids=version_ids, now_ms=now_ms)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Forgotten versions of which traces are left, oldest first."""
        with self._database.reading() as connection:
            return forgetting.left(connection)

    def close_tombstones(self, tokens: Sequence[str]) -> None:
        """Say that only the database files may hold anything of these."""
        with self._database.writing() as writing:
            forgetting.close(writing, tokens)

    def end_tombstones(self, tokens: Sequence[str]) -> None:
        """Say that nothing at all is left of these."""
        with self._database.writing() as writing:
            forgetting.end(writing, tokens)

    def scrub(self, cancel: CancelToken | None = None) -> bool:
        """Leave nothing of what was deleted in the database files: rewrites them, which takes time by their size.

        False when another process was reading all the while; then it has to be done again, as after `Cancelled`.
        """
        return self._database.scrub(cancel or CancelToken())

    def flaws(self) -> tuple[str, ...]:
        """What the database's own checks find wrong, in sentences that hold no text of any document."""
        return self._database.flaws()

    def index_holds(self) -> bool:
        """Whether the search index holds every passage and title and nothing else."""
        return self._database.index_holds()

    def rebuild_index(self) -> None:
        """Make the search index again from passages and titles; searches see the old one until it is done."""
        with self._database.writing() as writing:
            indexing.rebuild(writing)

    # Admissions and conversions

    def set_admission(self, admission: Admission) -> None:
        """Record what the decoding of a kept blob came to; a later outcome under the same policy takes its place.

        Raises retryable `StoreError` with the reason `PIN_LOST` for one that is not kept.
        """
        with self._database.writing() as writing:
            conversions.admit(writing, admission)

    def admission(self, content: Digest, policy: str) -> Admission | None:
        """The admission of some bytes under a policy."""
        with self._database.reading() as connection:
            return conversions.admission(connection, content, policy=policy)

    def claim_conversion(
        self, key: Digest, content: Digest, *, route: str, now_ms: int, again: bool = False
    ) -> Claim | None:
        """Take a conversion on, for `LEASE_MS` from `now_ms`; `renew_claim` holds it longer.

        None when it is done, failed for good, or being run by a living process. A claim whose owner is gone, or whose
        time is over, is taken over. `again` also takes on what is done or failed for good. Raises as `set_admission`.
        """
        with self._database.writing() as writing:
            return conversions.claim(writing, key=key, content=content, route=route, now_ms=now_ms, again=again)

    def renew_claim(self, claim: Claim, *, now_ms: int) -> Claim:
        """Hold a claim for `LEASE_MS` from `now_ms`. Raises retryable `StoreError` when it was taken over."""
        with self._database.writing() as writing:
            return conversions.renew(writing, claim, now_ms=now_ms)

    def finish_conversion(
        self,
        claim: Claim,
        representation: Representation,
        *,
        passages: Sequence[IndexedPassage],
        pins: Sequence[Pin],
        version_ids: Sequence[str],
        retryable: bool = False,
    ) -> None:
        """Keep what a conversion made, index its passages and make it current for versions of the same bytes.

        All or nothing. `pins` are those of all its blobs, which were seen in the store afterwards. `retryable` says
        that it has gaps which another try may fill. Raises retryable `StoreError` with the reason `CLAIM_LOST` when the
        claim was taken over and `PIN_LOST` when a blob was let go, `RepresentationMismatch` for a version of other
        bytes, `VersionNotFound` for an unknown one.
        """
        with self._database.writing() as writing:
            representations.finish(
                writing,
                claim=claim,
                made=representation,
                passages_of=passages,
                pins=pins,
                version_ids=version_ids,
                retryable=retryable,
            )

    def fail_conversion(self, claim: Claim, *, code: str, retryable: bool) -> None:
        """Say why a conversion came to nothing. Raises retryable `StoreError` when the claim was taken over."""
        with self._database.writing() as writing:
            conversions.fail(writing, claim, code=code, retryable=retryable)

    def abandoned_conversions(self, *, now_ms: int) -> tuple[Conversion, ...]:
        """Conversions that a process began which is gone, or whose time is over."""
        with self._database.reading() as connection:
            return conversions.abandoned(connection, now_ms=now_ms)

    def conversion(self, key: Digest) -> Conversion | None:
        """How far a conversion is; none when it was never taken on."""
        with self._database.reading() as connection:
            return conversions.conversion(connection, key)

    # Representations

    def representation_by_key(self, key: Digest) -> Representation | None:
        """What a conversion made last."""
        with self._database.reading() as connection:
            made = conversions.done_representation(connection, key)
            return None if made is None else representations.by_id(connection, made)

    def make_current(self, version_id: str, representation_id: str) -> None:
        """Make a kept representation the current one of a version of the same bytes. Raises as `finish_conversion`."""
        with self._database.writing() as writing:
            representations.make_current(writing, version_id=version_id, representation_id=representation_id)

    def representation(self, representation_id: str, *, collections: Collections = None) -> Representation | None:
        """The representation with an id, if it was made for a visible version."""
        with self._database.reading() as connection:
            return representations.by_id(connection, representation_id, collections=collections)

    def current_representation(self, version_id: str) -> Representation | None:
        """The representation that is current for a version."""
        with self._database.reading() as connection:
            return representations.current(connection, version_id)

    def representations_of(self, content: Digest, *, collection: str) -> tuple[Representation, ...]:
        """Every representation of some bytes that was made for a version in this collection, oldest first."""
        with self._database.reading() as connection:
            return representations.of_content(connection, content, collection=collection)

    # Finding

    def list_documents(self, filters: Filters = EVERYTHING, *, cursor: str | None = None, limit: int = 100) -> Listing:
        """Documents at their current versions by collection and reference, and the cursor for more.

        Raises `InvalidRequest` for a cursor of another question and `LimitExceeded` for a limit outside 1 to 1000.
        """
        with self._database.reading() as connection:
            return listing.documents_page(connection, filters, cursor=cursor, limit=limit)

    def search(
        self, query: str, filters: Filters = EVERYTHING, *, cursor: str | None = None, limit: int = 20
    ) -> Matches:
        """Passages and titles that a query (`eyeline.catalog.query`) matches, best first, and the cursor for more.

        Only current representations of current versions are searched. A document none of whose passages match is
        found by its title and reference. A blank query lists. Raises as `list_documents`, and `LimitExceeded` for a
        query that is too long.
        """
        with self._database.reading() as connection:
            return searching.search(self._database, connection, text=query, filters=filters, cursor=cursor, limit=limit)

    # Grants

    def grant(self, principal: str, *, collection: str) -> None:
        """Let a principal see a collection."""
        with self._database.writing() as writing:
            grants.grant(writing, principal=principal, collection=collection)

    def granted(self, principal: str) -> frozenset[str]:
        """The collections a principal was granted."""
        with self._database.reading() as connection:
            return grants.granted(connection, principal)
