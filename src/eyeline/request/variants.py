"""Request images: the picture that one request gets, made once, recorded under its id, and the same from then on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from eyeline.errors import InvalidRequest
from eyeline.media.engines import engine_for
from eyeline.model.attachment import ImageRef, ImageTarget, RequestImage
from eyeline.model.digest import Digest
from eyeline.model.geometry import Size
from eyeline.model.manifest import Transform
from eyeline.model.media_type import MediaType
from eyeline.model.plan import RenditionPlan
from eyeline.render.cache import PictureCache
from eyeline.render.renditions import Renditions
from eyeline.request.objects import HeldBytes, InMemory
from eyeline.toolkit.cancel import CancelToken

TRANSFORM_VERSION = "variant/1"


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """A recorded request image, but its bytes."""

    variant_id: Digest
    digest: Digest
    media_type: MediaType
    size: Size
    transforms: tuple[Transform, ...] = ()


VariantCache = PictureCache[VariantFacts]


def plan_of(ref: ImageRef, target: ImageTarget) -> RenditionPlan:
    """The canonical plan of a picture for a target: fitted into the box, never enlarged.

    Raises `InvalidRequest` for a target without room.
    """
    if min(target.width_px, target.height_px, target.max_bytes, target.min_side_px) < 1 or not target.media_types:
        raise InvalidRequest("a target has room for at least one pixel and one byte of one media type")
    scale = min(1.0, target.width_px / ref.width_px, target.height_px / ref.height_px)
    size = Size(max(1, _half_up(ref.width_px * scale)), max(1, _half_up(ref.height_px * scale)))
    return RenditionPlan(
        size=Size(min(size.width_px, target.width_px), min(size.height_px, target.height_px)),
        media_types=target.media_types,
        max_bytes=target.max_bytes,
        min_side_px=target.min_side_px,
    )


def _half_up(length: float) -> int:
    return math.floor(length + 0.5)


def variant_id_of(ref: ImageRef, plan: RenditionPlan) -> Digest:
    """The id of what the engines at hand make of a picture by a plan: what made it, never where it lies."""
    if is_unchanged(ref, plan):
        return _named("unchanged", ref.attachment_id)
    engine = engine_for(ref.media_type)
    versions = {} if engine is None else engine.versions()
    return _named("made", plan.key(ref.attachment_id, versions))


def is_unchanged(ref: ImageRef, plan: RenditionPlan) -> bool:
    """Whether the normalised object itself is what a plan asks for."""
    return (
        not ref.has_alpha
        and ref.size == plan.size
        and ref.media_type in plan.media_types
        and ref.byte_count <= plan.max_bytes
        and min(ref.width_px, ref.height_px) >= plan.min_side_px
    )


class Variants:
    """Makes request images. With a cache, each plan is made once, in one thread of one process."""

    def __init__(self, renditions: Renditions, *, cache: VariantCache | None) -> None:
        self._renditions = renditions
        self._cache = cache

    def of(
        self,
        ref: ImageRef,
        target: ImageTarget,
        *,
        read_object: Callable[[], bytes],
        cancel: CancelToken | None,
    ) -> RequestImage:
        """The request image of a picture for a target. `read_object` gives the verified bytes.

        Raises `MediaTooLarge` where nothing fits into the target's bytes, and what reading the object raises.
        """
        plan = plan_of(ref, target)
        if is_unchanged(ref, plan):
            data = read_object()
            return RequestImage(
                variant_id_of(ref, plan), ref.attachment_id, data, ref.attachment_id, ref.media_type, ref.size
            )
        recorded = plan.key(ref.attachment_id, {})
        kept = self._kept(ref, recorded)
        if kept is not None:
            return kept
        if self._cache is None:
            return self._made(ref, plan, read_object, cancel)
        with self._cache.single_flight(ref.attachment_id, recorded):
            kept = self._kept(ref, recorded)
            if kept is not None:
                return kept
            made = self._made(ref, plan, read_object, cancel)
            facts = VariantFacts(made.variant_id, made.digest, made.media_type, made.size, made.transforms)
            self._cache.keep(ref.attachment_id, recorded, data=made.bytes, facts=facts)
            return made

    def _kept(self, ref: ImageRef, recorded: Digest) -> RequestImage | None:
        found = None if self._cache is None else self._cache.find(ref.attachment_id, recorded)
        if found is None:
            return None
        data, facts = found
        return RequestImage(
            facts.variant_id, ref.attachment_id, data, facts.digest, facts.media_type, facts.size, facts.transforms
        )

    def _made(
        self, ref: ImageRef, plan: RenditionPlan, read_object: Callable[[], bytes], cancel: CancelToken | None
    ) -> RequestImage:
        data = read_object()
        held = HeldBytes(ref.attachment_id, len(data), ref.media_type, lambda: InMemory(data))
        rendition = self._renditions.make(held, plan, cancel=cancel)
        facts = rendition.facts
        return RequestImage(
            variant_id_of(ref, plan),
            ref.attachment_id,
            rendition.bytes,
            facts.digest,
            facts.media_type,
            facts.size,
            facts.transforms,
        )


def _named(how: str, by: Digest) -> Digest:
    return Digest.of(f"{TRANSFORM_VERSION}\x00{how}\x00{by.hex}".encode())
