"""Making renditions: cache, single flight, one job in the bounded child."""

from __future__ import annotations

from eyeline.errors import UnsupportedMedia
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.engines import Engine, engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.digest import Digest
from eyeline.model.limits import Limits
from eyeline.model.media_type import MediaType
from eyeline.model.plan import RenditionPlan
from eyeline.model.rendition import Rendition, RenditionFacts
from eyeline.render.cache import RenditionCache
from eyeline.source.base import Source
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import to_plain, validate


class Renditions:
    """Makes renditions of stored media, each plan once while the cache holds it."""

    def __init__(self, pool: BoundedPool, *, limits: Limits, cache: RenditionCache | None = None) -> None:
        self._pool = pool
        self._limits = limits
        self._cache = cache

    def make(self, source: Source, plan: RenditionPlan, *, cancel: CancelToken | None = None) -> Rendition:
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

    def _render(self, engine: Engine, source: Source, plan: RenditionPlan, cancel: CancelToken | None) -> Rendition:
        params = {"media_type": str(source.media_type), "plan": to_plain(plan), "max_pixels": self._limits.max_pixels}
        with source.open() as opened:
            result = self._pool.run(
                engine.job("render"), params, source=opened, limits=job_limits(self._limits), cancel=cancel
            )
        data = result.outputs[0]
        told = {name: result.value[name] for name in ("media_type", "size", "transforms", "scale")}
        facts = validate(RenditionFacts, {**told, "digest": str(Digest.of(data))})
        return Rendition(data, facts)


def _rendering(media_type: MediaType) -> Engine:
    engine = engine_for(media_type)
    if engine is None or not engine.renders:
        raise UnsupportedMedia(f"{media_type} has no pictures", media_type=str(media_type))
    return engine
