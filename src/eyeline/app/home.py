"""`Home`: the folder of one Eyeline, and its parts, each built when first asked for. Nothing else builds parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, Generic, Protocol, TypeVar

from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.convert.converting import Bench
from eyeline.convert.describer import EndpointDescriber
from eyeline.convert.lanes import Describer, Transcriber
from eyeline.convert.ocr_lane import TesseractOcr, ocr_read_paths
from eyeline.convert.running import Conversions
from eyeline.convert.scratch import ScratchFolder
from eyeline.convert.speech_lane import WhisperTranscriber, speech_read_paths
from eyeline.convert.transcriber import EndpointTranscriber
from eyeline.convert.typesetter import typesetter
from eyeline.errors import StoreError
from eyeline.media.admission import policy_version
from eyeline.media.bounded.pool import BoundedPool
from eyeline.operations.advancing import Advancing
from eyeline.operations.checking import CheckParts
from eyeline.operations.convert import ConvertParts
from eyeline.operations.fetch import FetchParts
from eyeline.operations.forgetting import ForgetParts
from eyeline.operations.ingest import IngestParts
from eyeline.operations.open import OpenParts
from eyeline.render.cache import PictureCache, RenditionCache
from eyeline.render.openers import Openers
from eyeline.render.renditions import Renditions
from eyeline.request.attachments import AttachmentStore
from eyeline.request.objects import LocalObjects
from eyeline.request.variants import VariantCache, VariantFacts
from eyeline.settings import Settings
from eyeline.source.url import UrlSource
from eyeline.source.verified import VerifiedBlobs
from eyeline.store.local import LocalStore
from eyeline.tree.publisher import Publisher

T = TypeVar("T")


class _Closing(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Closing)


class Built(Generic[T]):
    """A part that is built once, also when several threads ask for it first at the same time."""

    def __init__(self, build: Callable[[Any], T]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    def __set_name__(self, owner: type[object], name: str) -> None:
        self._name = name

    def __get__(self, home: Home, owner: type[object]) -> T:
        with home.lock:
            if self._name not in home.__dict__:
                home.__dict__[self._name] = self._build(home)
        return home.__dict__[self._name]


class Home:
    """Everything of one home folder. Parts that hold files or processes end with `close`."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: Settings,
        tree: Path | None,
        describer: Describer | None,
        transcriber: Transcriber | None = None,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.tree = tree or folder / "tree"
        self.lock = RLock()
        self._describer = describer
        self._transcriber = transcriber
        self._open: list[Callable[[], None]] = []
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise StoreError("the home folder cannot be made", hint="set EYELINE_HOME to a folder of yours") from exc

    def close(self) -> None:
        """Close databases and end the decoder processes. Closing twice does nothing."""
        with self.lock:
            while self._open:
                self._open.pop()()

    @property
    def policy(self) -> str:
        """Name of the admission policy in force."""
        return policy_version(self.settings.limits)

    @Built
    def store(self) -> LocalStore:
        """The blob store of this home."""
        with self.lock:
            return LocalStore(self.folder / "blobs", share=self.settings.share)

    @Built
    def originals(self) -> VerifiedBlobs:
        """The blobs of this home as originals are read: verified."""
        return VerifiedBlobs(self.store)

    @Built
    def catalog(self) -> Catalog:
        """The catalogue of this home."""
        return self._closing(Catalog.open(self.folder / "catalog.sqlite"))

    @Built
    def audit_log(self) -> AuditLog:
        """The audit log of this home."""
        return self._closing(AuditLog.open(self.folder / "audit.sqlite"))

    @Built
    def pool(self) -> BoundedPool:
        """The bounded decoders; their zygote starts with the first job."""
        spoken = self.settings.transcriber
        speech = speech_read_paths(spoken.model) if spoken.base_url is None else ()
        return self._closing(BoundedPool(read_paths=(*ocr_read_paths(self.settings.ocr.models), *speech)))

    @Built
    def urls(self) -> UrlSource:
        """What fetches URLs, under the policy of the settings."""
        return UrlSource(self.settings.urls)

    @Built
    def publisher(self) -> Publisher:
        """The writer of the tree."""
        return Publisher(self.tree, self.store, link=self.settings.tree.link)

    @Built
    def cache(self) -> RenditionCache:
        """The disposable cache of renditions."""
        folder = self.folder / "cache" / "renditions"
        return RenditionCache(folder, self.settings.cache_bytes, keeps=self.catalog.knows)

    @Built
    def attachments(self) -> AttachmentStore:
        """The attachments of this home."""
        return AttachmentStore(
            LocalObjects(self.folder / "attachments"),
            index=self.catalog.attachments,
            pool=self.pool,
            limits=self.settings.attachments,
            decoding=self.settings.limits,
            clock_ms=now_ms,
            cache=self.variants,
        )

    @Built
    def variants(self) -> VariantCache:
        """The disposable cache of request images."""
        folder = self.folder / "cache" / "requests"
        return PictureCache(folder, self.settings.cache_bytes, keeps=self.catalog.attachments.keeps, facts=VariantFacts)

    @Built
    def scratch(self) -> ScratchFolder:
        """What conversions that were killed go on with."""
        return ScratchFolder(self.folder / "cache" / "scratch", keeps=self.catalog.knows)

    @Built
    def renditions(self) -> Renditions:
        """The maker of renditions."""
        return Renditions(self.pool, limits=self.settings.limits, cache=self.cache)

    @Built
    def open_parts(self) -> OpenParts:
        """What `open` works with."""
        openers = Openers(pool=self.pool, renditions=self.renditions, limits=self.settings.limits)
        return OpenParts(
            catalog=self.catalog,
            store=self.store,
            originals=self.originals,
            openers=openers,
            audit=self.audit_log,
            served=self.settings.served,
            policy=self.policy,
            clock_ms=now_ms,
        )

    @Built
    def ingest_parts(self) -> IngestParts:
        """What `ingest` works with."""
        return IngestParts(self.advancing, self.forget_parts, self.settings.unroutable, self.settings.workers)

    @Built
    def convert_parts(self) -> ConvertParts:
        """What `convert` works with."""
        return ConvertParts(self.advancing, self.forget_parts, self.settings.workers)

    @Built
    def check_parts(self) -> CheckParts:
        """What `check` works with."""
        return CheckParts(self.advancing, self.forget_parts, self.audit_log, self.attachments, self.variants)

    @Built
    def forget_parts(self) -> ForgetParts:
        """What `forget` works with, and every verb that finishes what it began."""
        return ForgetParts(self.catalog, self.store, self.publisher, self.cache, self.scratch, self.policy)

    @Built
    def advancing(self) -> Advancing:
        """What brings a version forward."""
        conversions = Conversions(catalog=self.catalog, store=self.store, clock_ms=now_ms, scratch=self.scratch)
        return Advancing(
            catalog=self.catalog,
            store=self.store,
            originals=self.originals,
            conversions=conversions,
            publisher=self.publisher,
            bench=self._bench(),
            limits=self.settings.limits,
            clock_ms=now_ms,
        )

    def _bench(self) -> Bench:
        settings = self.settings
        return Bench(
            pool=self.pool,
            renditions=self.renditions,
            limits=settings.limits,
            served=settings.served,
            ocr=TesseractOcr(
                self.pool, languages=settings.ocr.languages, models=settings.ocr.models, limits=settings.limits
            ),
            describer=self._describer or self._configured_describer(),
            max_ocr_pages=settings.ocr.max_pages,
            max_thumbnails=settings.tree.max_thumbnails,
            transcriber=self._transcriber or self._configured_transcriber(),
            max_transcript_ms=settings.transcriber.max_minutes * 60_000,
            max_keyframes=settings.tree.max_keyframes,
            typesetter=typesetter(
                settings.typesetting.program,
                timeout_ms=settings.typesetting.timeout_ms,
                must_be_shut_off=settings.typesetting.shut_off == "required",
            ),
        )

    def _configured_describer(self) -> Describer | None:
        chosen = self.settings.describer
        if chosen.base_url is None:
            return None
        return EndpointDescriber(
            chosen.base_url, model=chosen.model, api_key_env=chosen.api_key_env, timeout_ms=chosen.timeout_ms
        )

    def _configured_transcriber(self) -> Transcriber | None:
        chosen = self.settings.transcriber
        if chosen.base_url is not None:
            return EndpointTranscriber(
                chosen.base_url,
                model=chosen.model or "",
                language=chosen.language,
                answer=chosen.answer,
                pool=self.pool,
                api_key_env=chosen.api_key_env,
                timeout_ms=chosen.timeout_ms,
            )
        if chosen.model is None:
            return None
        return WhisperTranscriber(self.pool, model=chosen.model, language=chosen.language, limits=self.settings.limits)

    @Built
    def fetch_parts(self) -> FetchParts:
        """What `fetch` works with."""
        return FetchParts(self.catalog, self.store, self.originals, self.audit_log, self.policy, now_ms)

    def _closing(self, part: C) -> C:
        with self.lock:
            self._open.append(part.close)
        return part


def now_ms() -> int:
    """The wall clock in whole milliseconds."""
    return time.time_ns() // 1_000_000
