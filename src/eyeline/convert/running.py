"""Running a conversion: claimed once, packaged whole, current only when complete."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Lock

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.conversions import LEASE_MS
from eyeline.catalog.records import CLAIM_LOST, PIN_LOST, Claim, ConversionState
from eyeline.convert.converting import Bench, Converter, Original, Progress
from eyeline.convert.packaging import Package, package
from eyeline.convert.routes import converter_for
from eyeline.convert.scratch import ScratchFolder
from eyeline.errors import EngineFailed, EyelineError, MediaError, NotFound, StoreError
from eyeline.model.digest import Digest
from eyeline.model.document import BlobRef, Representation
from eyeline.model.ids import conversion_key
from eyeline.model.reading import Component
from eyeline.store.base import BlobStore

_TRIES = 16


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion came to: a representation, or the code of why there is none yet.

    `is_new`: it was made now, else it was there before.
    """

    representation: Representation | None
    code: str
    message: str
    retryable: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """What is done once more: readings with `gaps` that another try may fill; or all, also what failed for good."""

    gaps: bool = False
    all: bool = False


ONCE = Again()


@dataclass(slots=True)
class HeldClaim:
    """A claim that is renewed while its conversion makes progress."""

    claim: Claim
    catalog: Catalog
    clock_ms: Callable[[], int]
    report: Progress

    def progress(self, done: int, total: int, what: str) -> None:
        """Report progress, and renew the claim once half of its time is over."""
        now = self.clock_ms()
        if self.claim.expires_ms - now < LEASE_MS // 2:
            self.claim = self.catalog.renew_claim(self.claim, now_ms=now)
        self.report(done, total, what)


@dataclass(frozen=True, slots=True)
class _Work:
    """One conversion of one original for one version."""

    converter: Converter
    original: Original
    version_id: str
    key: Digest
    components: tuple[Component, ...]
    bench: Bench


class Conversions:
    """Converts admitted originals. Equal keys are equal work, so nothing is made twice."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        store: BlobStore,
        clock_ms: Callable[[], int],
        scratch: ScratchFolder | None = None,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._clock_ms = clock_ms
        self._scratch = scratch
        self._locks: dict[Digest, Lock] = {}
        self._guard = Lock()

    def key(self, content: BlobRef, *, collection: str, bench: Bench) -> Digest:
        """What a conversion of these bytes would be called now."""
        converter = converter_for(content.media_type)
        components = converter.components(content, bench)
        return key_of(content.digest, route=converter.route, components=components, collection=collection)

    def ensure(
        self, original: Original, version_id: str, *, collection: str, bench: Bench, again: Again = ONCE
    ) -> Converted:
        """Make, or find, the representation of these bytes and make it current for a version.

        A deterministic failure is recorded and answered again without another try; a transient one stays retryable.
        A reading that is made again never takes the place of the one before: that one stays, and is current no more.
        """
        converter = converter_for(original.content.media_type)
        components = converter.components(original.content, bench)
        key = key_of(original.content.digest, route=converter.route, components=components, collection=collection)
        with self._alone(key):
            is_due = self._is_due(key, again)
            found = None if is_due else self._found(key, version_id)
            if found is not None:
                return found
            return self._convert(_Work(converter, original, version_id, key, components, bench), again=is_due)

    def _is_due(self, key: Digest, again: Again) -> bool:
        before = self._catalog.conversion(key)
        return again.all or (again.gaps and before is not None and before.retryable)

    def _found(self, key: Digest, version_id: str) -> Converted | None:
        """What was made before, current from now on."""
        made = self._catalog.representation_by_key(key)
        if made is None:
            return None
        with suppress(NotFound):
            self._catalog.make_current(version_id, made.representation_id)
            return Converted(made, "converted", "this reading was made before")
        return None

    def _convert(self, work: _Work, *, again: bool) -> Converted:
        claim = self._catalog.claim_conversion(
            work.key,
            work.original.content.digest,
            route=work.converter.route,
            now_ms=self._clock_ms(),
            again=again,
        )
        if claim is None:
            return self._unclaimed(work.key)
        held = HeldClaim(claim, self._catalog, self._clock_ms, work.bench.progress)
        try:
            made = self._read(work, held)
        except (MediaError, EngineFailed) as exc:
            self._fail(held, exc.code, retryable=exc.retryable)
            return Converted(None, exc.code, exc.message, retryable=exc.retryable)
        except EyelineError as exc:
            if exc.detail.get("reason") == CLAIM_LOST:
                return Converted(None, "conversion_running", "another process took this over", retryable=True)
            self._fail(held, exc.code, retryable=True)
            raise
        if self._scratch is not None:
            self._scratch.drop(work.original.content.digest, key=work.key)
        return Converted(made, "converted", "converted", is_new=True)

    def _read(self, work: _Work, held: HeldClaim) -> Representation:
        content = work.original.content.digest
        scratch = None if self._scratch is None else self._scratch.of(content, key=work.key)
        reading = work.converter.read(work.original, replace(work.bench, progress=held.progress, scratch=scratch))
        packed = package(
            reading,
            work.original,
            route=work.converter.route,
            key=work.key,
            components=work.components,
            now_ms=self._clock_ms(),
        )
        try:
            self._finish(packed, held, work.version_id)
        except EyelineError:
            self._let_go(packed)
            raise
        return packed.representation

    def _finish(self, packed: Package, held: HeldClaim, version_id: str) -> None:
        """Keep the files and make them a representation; once more when one of them was being let go meanwhile."""
        for tries_left in reversed(range(_TRIES)):
            try:
                pins = self._catalog.pin_blobs(packed.refs, now_ms=self._clock_ms())
                packed.keep(self._store)
                self._catalog.finish_conversion(
                    held.claim,
                    packed.representation,
                    passages=packed.passages,
                    pins=pins,
                    version_ids=(version_id,),
                    retryable=packed.has_retryable_gap,
                )
            except StoreError as exc:
                if exc.detail.get("reason") != PIN_LOST or not tries_left:
                    raise
                self._catalog.release_blobs(self._store.delete)
            else:
                return

    def _let_go(self, packed: Package) -> None:
        """Remove the files of a representation that is not to be; a disk that refuses leaves them to a check."""
        with suppress(StoreError):
            self._catalog.condemn_blobs([ref.digest for ref in packed.refs])
            self._catalog.release_blobs(self._store.delete)

    def _fail(self, held: HeldClaim, code: str, *, retryable: bool) -> None:
        """Record a failure. Where even that fails, the claim runs out, and the first failure is what is told."""
        with suppress(StoreError):
            self._catalog.fail_conversion(held.claim, code=code, retryable=retryable)

    def _unclaimed(self, key: Digest) -> Converted:
        """Why a conversion is not ours to run: another process has it, or it failed for good before."""
        before = self._catalog.conversion(key)
        if before is not None and before.state is ConversionState.FAILED:
            return Converted(None, before.code or "failed", "these bytes could not be converted before")
        return Converted(None, "conversion_running", "another process is converting these bytes", retryable=True)

    @contextmanager
    def _alone(self, key: Digest) -> Generator[None]:
        with self._guard:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            yield


def key_of(content: Digest, *, route: str, components: tuple[Component, ...], collection: str) -> Digest:
    """Digest of a conversion's inputs. A reading that a remote model takes part in stays inside its collection."""
    fields = {f"component:{each.name}": f"{each.version}@{each.execution}" for each in components}
    if any(each.execution != "local" for each in components):
        fields["collection"] = collection
    return conversion_key({"content": str(content), "route": route, **fields})
