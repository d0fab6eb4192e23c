"""Making renditions: cache, single flight, one job in the bounded child."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Protocol

from eyeline.errors import EngineFailed, MediaError, UnsupportedMedia
from eyeline.media.bounded.job import JobResult
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import Engine, engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType
from eyeline.model.plan import RenditionPlan
from eyeline.model.probe import Probe
from eyeline.model.rendition import Rendition, RenditionFacts
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import to_plain, validate

PLANS_A_JOB = 8


class PictureSource(Protocol):
    """What is rendered: media that is kept, or about to be."""

    @property
    def digest(self) -> Digest:
        """The digest of the whole."""
        ...

    @property
    def media_type(self) -> MediaType:
        """What the bytes are."""
        ...

    @property
    def open(self) -> Callable[[], BinaryIO]:
        """Opens it: a seekable, read-only file at the first byte."""
        ...


class Cache(Protocol):
    """Keeps renditions while it likes; losing one costs making it again and nothing else. Thread-safe."""

    def get(self, content: Digest, key: Digest) -> Rendition | None:
        """The rendition of an original made for a key, or none."""
        ...

    def put(self, content: Digest, key: Digest, *, rendition: Rendition) -> None:
        """Keep a rendition."""
        ...

    def single_flight(self, content: Digest, key: Digest) -> AbstractContextManager[None]:
        """Hold a key, so that one caller makes a rendition and the others find it."""
        ...


class Renditions:
    """Makes renditions of stored media, each plan once while the cache holds it."""

    def __init__(self, pool: BoundedPool, *, limits: Limits, cache: Cache | None = None) -> None:
        self._pool = pool
        self._limits = limits
        self._cache = cache

    def make(self, source: PictureSource, plan: RenditionPlan, *, cancel: CancelToken | None = None) -> Rendition:
        """The rendition of a plan, from the cache or made now.

        Raises `MediaError` kinds for bytes that cannot be rendered, `EngineFailed` for a child that died or ran over a
        limit, `Cancelled` on the caller's wish.
        """
        engine = _rendering(source.media_type)
        if self._cache is None:
            return self._render(engine, source, plan, cancel)
        key = plan.key(source.digest, engine.versions())
        kept = self._cache.get(source.digest, key)
        if kept is not None:
            return kept
        with self._cache.single_flight(source.digest, key):
            kept = self._cache.get(source.digest, key)
            if kept is None:
                kept = self._render(engine, source, plan, cancel)
                self._cache.put(source.digest, key, rendition=kept)
        return kept

    def look(self, source: PictureSource, *, cancel: CancelToken | None = None) -> Probe:
        """What the container of a picture says, without decoding it. Raises what `make` raises."""
        engine = _rendering(source.media_type)
        params = {"max_frames": self._limits.max_frames}
        return validate(Probe, self._run(engine.job("look"), source, params, cancel).value["probe"])

    def bare(self, source: PictureSource, *, cancel: CancelToken | None = None) -> bytes:
        """A JPEG without its metadata, its pixels as they are coded. Raises what `make` raises."""
        params = {"max_frames": self._limits.max_frames}
        return self._run(_rendering(source.media_type).job("bare"), source, params, cancel).outputs[0]

    def reread(
        self, source: PictureSource, grid: list[int], *, cancel: CancelToken | None = None
    ) -> tuple[Probe, bool]:
        """Read what `make_strictly` made again, in a child of its own: what it is, and whether it has this grid.

        Raises what `make_strictly` raises.
        """
        params = {"max_frames": self._limits.max_frames, "grid": grid}
        told = self._run(_rendering(source.media_type).job("reread"), source, params, cancel).value
        return validate(Probe, told["probe"]), told["is_same"]

    def make_strictly(
        self, source: PictureSource, plan: RenditionPlan, *, cancel: CancelToken | None = None
    ) -> tuple[Rendition, list[int]]:
        """The rendition of a plan of a whole still picture, made now, every pixel decoded; and its grid for `reread`.

        Raises `CorruptMedia` also for what a decoder only warns of, and what `make` raises.
        """
        params = {"plan": to_plain(plan), "max_frames": self._limits.max_frames, "strict": True}
        result = self._run(_rendering(source.media_type).job("render"), source, params, cancel)
        return _rendition(result.value, result.outputs[0]), result.value["grid"]

    def make_each(
        self, source: PictureSource, plans: Sequence[RenditionPlan], *, cancel: CancelToken | None = None
    ) -> list[Rendition | None]:
        """The rendition of each plan, none where `make` would say that it cannot be rendered; several a job.

        Raises `UnsupportedMedia` for a type that has no pictures at all, and `Cancelled`.
        """
        engine = _rendering(source.media_type)
        made = [self._kept(engine, source, plan) for plan in plans]
        missing = [place for place, rendition in enumerate(made) if rendition is None]
        together = PLANS_A_JOB if engine.renders_each else 1
        for first in range(0, len(missing), together):
            places = missing[first : first + together]
            batch = [plans[place] for place in places]
            for place, rendition in zip(places, self._batch(engine, source, batch, cancel), strict=True):
                made[place] = rendition
        return made

    def _kept(self, engine: Engine, source: PictureSource, plan: RenditionPlan) -> Rendition | None:
        if self._cache is None:
            return None
        return self._cache.get(source.digest, plan.key(source.digest, engine.versions()))

    def _batch(
        self, engine: Engine, source: PictureSource, plans: Sequence[RenditionPlan], cancel: CancelToken | None
    ) -> list[Rendition | None]:
        """Some plans in one job; each in its own where that job fails, so that one costs no other."""
        if len(plans) == 1:
            return [self._made_if_possible(source, plans[0], cancel)]
        try:
            made = self._render_each(engine, source, plans, cancel)
        except (MediaError, EngineFailed):
            return [self._made_if_possible(source, plan, cancel) for plan in plans]
        if self._cache is not None:
            for plan, rendition in zip(plans, made, strict=True):
                if rendition is not None:
                    self._cache.put(source.digest, plan.key(source.digest, engine.versions()), rendition=rendition)
        return made

    def _made_if_possible(
        self, source: PictureSource, plan: RenditionPlan, cancel: CancelToken | None
    ) -> Rendition | None:
        try:
            return self.make(source, plan, cancel=cancel)
        except (MediaError, EngineFailed):
            return None

    def _render(
        self, engine: Engine, source: PictureSource, plan: RenditionPlan, cancel: CancelToken | None
    ) -> Rendition:
        result = self._run(engine.job("render"), source, {"plan": to_plain(plan)}, cancel)
        return _rendition(result.value, result.outputs[0])

    def _render_each(
        self, engine: Engine, source: PictureSource, plans: Sequence[RenditionPlan], cancel: CancelToken | None
    ) -> list[Rendition | None]:
        result = self._run(engine.job("render_each"), source, {"plans": [to_plain(plan) for plan in plans]}, cancel)
        told: list[dict[str, Any] | None] = result.value["made"]
        if len(told) != len(plans) or sum(each is not None for each in told) != len(result.outputs):
            raise EngineFailed("the engine tells of other pictures than it made", reason="crashed")
        outputs = iter(result.outputs)
        return [None if each is None else _rendition(each, next(outputs)) for each in told]

    def _run(self, job: str, source: PictureSource, params: dict[str, Any], cancel: CancelToken | None) -> JobResult:
        params = {"media_type": str(source.media_type), "max_pixels": self._limits.max_pixels, **params}
        with source.open() as opened:
            bounds = job_limits(self._limits, whole_recording=_looks_at_all(params))
            return self._pool.run(job, params, source=opened, limits=bounds, cancel=cancel)


def _looks_at_all(params: dict[str, Any]) -> bool:
    """Whether a plan is about the sound of a whole recording."""
    return "plan" in params and "spectrogram" in params["plan"]


def _rendition(told: dict[str, Any], data: bytes) -> Rendition:
    wanted = {name: told.get(name) for name in ("media_type", "size", "transforms", "scale", "at_ms")}
    return Rendition(data, validate(RenditionFacts, {**wanted, "digest": str(Digest.of(data))}))


def _rendering(media_type: MediaType) -> Engine:
    engine = engine_for(media_type)
    if engine is None or not engine.renders:
        raise UnsupportedMedia(f"{media_type} has no pictures", media_type=str(media_type))
    return engine
