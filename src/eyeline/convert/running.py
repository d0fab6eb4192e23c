"""Running a conversion: claimed once, packaged whole, current only when complete."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock

from eyeline.catalog.catalog import Catalog
from eyeline.catalog.conversions import LEASE_MS
from eyeline.catalog.records import Claim, ConversionState
from eyeline.convert.converting import Bench, Converter, Original, Progress
from eyeline.convert.packaging import package
from eyeline.convert.routes import converter_for
from eyeline.errors import EngineFailed, EyelineError, MediaError, UnsupportedMedia
from eyeline.model.digest import Digest
from eyeline.model.document import Representation
from eyeline.model.ids import conversion_key
from eyeline.model.reading import Component
from eyeline.store.base import BlobStore


@dataclass(frozen=True, slots=True)
class Converted:
    """What a conversion came to: a representation, or the code of why there is none yet."""

    representation: Representation | None
    code: str
    message: str
    retryable: bool = False


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


class Conversions:
    """Converts admitted originals. Equal keys are equal work, so nothing is made twice."""

    def __init__(self, *, catalog: Catalog, store: BlobStore, clock_ms: Callable[[], int]) -> None:
        self._catalog = catalog
        self._store = store
        self._clock_ms = clock_ms
        self._locks: dict[Digest, Lock] = {}
        self._guard = Lock()

    def ensure(self, original: Original, version_id: str, *, collection: str, bench: Bench) -> Converted:
        """Make, or find, the representation of these bytes and make it current for a version.

        A deterministic failure is recorded and answered again without another try; a transient one stays retryable.
        """
        converter = converter_for(original.content.media_type)
        if converter is None:
            raise UnsupportedMedia(f"{original.content.media_type} has no route")
        components = converter.components(original.content, bench)
        key = key_of(original.content.digest, route=converter.route, components=components, collection=collection)
        with self._alone(key):
            made = self._catalog.representation_by_key(key)
            if made is None:
                return self._convert(converter, original, version_id, key=key, components=components, bench=bench)
            self._catalog.make_current(version_id, made.representation_id)
        return Converted(made, "converted", "this reading was made before")

    def _convert(
        self,
        converter: Converter,
        original: Original,
        version_id: str,
        *,
        key: Digest,
        components: tuple[Component, ...],
        bench: Bench,
    ) -> Converted:
        claim = self._catalog.claim_conversion(
            key, original.content.digest, route=converter.route, now_ms=self._clock_ms()
        )
        if claim is None:
            return self._unclaimed(key)
        held = HeldClaim(claim, self._catalog, self._clock_ms, bench.progress)
        try:
            reading = converter.read(original, replace(bench, progress=held.progress))
            representation, passages = package(
                reading,
                original,
                route=converter.route,
                key=key,
                components=components,
                store=self._store,
                now_ms=self._clock_ms(),
            )
        except (MediaError, EngineFailed) as exc:
            self._catalog.fail_conversion(held.claim, code=exc.code, retryable=exc.retryable)
            return Converted(None, exc.code, exc.message, retryable=exc.retryable)
        except EyelineError as exc:
            self._catalog.fail_conversion(held.claim, code=exc.code, retryable=True)
            raise
        self._catalog.finish_conversion(held.claim, representation, passages=passages, version_ids=(version_id,))
        return Converted(representation, "converted", "converted")

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
