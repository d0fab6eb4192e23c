"""Bringing a version forward: decoded under the policy in force, read into a representation, shown in the tree."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

from eyeline.catalog.catalog import Catalog
from eyeline.convert.converting import Bench, Original
from eyeline.convert.running import ONCE, Again, Conversions, Converted
from eyeline.media.admission import admit, policy_version
from eyeline.model.digest import Digest
from eyeline.model.document import Admission, AdmissionOutcome, BlobRef, Document, Version
from eyeline.model.limits import Limits
from eyeline.operations.entries import published
from eyeline.source.stored import BlobReading, StoredSource
from eyeline.store.base import BlobStore
from eyeline.toolkit.cancel import CancelToken
from eyeline.tree.publisher import Publisher


@dataclass(frozen=True, slots=True)
class Advancing:
    """What bringing a version forward works with. `originals` reads from the store what is verified."""

    catalog: Catalog
    store: BlobStore
    originals: BlobReading
    conversions: Conversions
    publisher: Publisher
    bench: Bench
    limits: Limits
    clock_ms: Callable[[], int]

    @property
    def policy(self) -> str:
        """Name of the admission policy in force."""
        return policy_version(self.limits)

    def admission(self, content: BlobRef, *, cancel: CancelToken) -> Admission:
        """What these bytes came to under the policy in force; decoded now where nobody did so before."""
        known = self.catalog.admission(content.digest, self.policy)
        if known is not None:
            return known
        admission = admit(
            content,
            functools.partial(self.originals.open, content.digest),
            pool=self.bench.pool,
            limits=self.limits,
            now_ms=self.clock_ms(),
            cancel=cancel,
        )
        self.catalog.set_admission(admission)
        return admission

    def key(self, version: Version, *, collection: str) -> Digest:
        """What a conversion of a version would be called now. Raises `UnsupportedMedia` without a route."""
        return self.conversions.key(version.content, collection=collection, bench=self.bench)

    def converted(
        self, document: Document, version: Version, *, admission: Admission, cancel: CancelToken, again: Again = ONCE
    ) -> Converted | None:
        """Its representation, found or made, and current from now on; none for what was not admitted."""
        if admission.outcome is not AdmissionOutcome.ADMITTED or admission.probe is None:
            return None
        source = StoredSource(self.originals, version.content, name=document.reference)
        return self.conversions.ensure(
            Original(version.content, source, admission.probe),
            version.version_id,
            collection=document.collection,
            bench=replace(self.bench, cancel=cancel),
            again=again,
        )

    def published(self, doc_id: str) -> None:
        """Make the tree say what the catalogue says of a document. Raises as `Publisher.publish`."""
        published(doc_id, catalog=self.catalog, publisher=self.publisher, policy=self.policy)
