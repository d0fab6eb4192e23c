"""Standard renditions made at conversion: small pictures for people and for agents with a mount."""

from __future__ import annotations

from eyeline.convert.converting import AssetDraft, Bench, Original
from eyeline.errors import EngineFailed, MediaError
from eyeline.model.limits import JPEG, PNG
from eyeline.model.locator import Locator
from eyeline.model.plan import RenditionPlan
from eyeline.model.rendition import Rendition
from eyeline.render.planning import plan_for, sheet_for, target_from
from eyeline.render.recording_plans import sound_plan, whole

PREVIEW_EDGE_PX, PREVIEW_BYTES = 512, 256 * 1024
THUMBNAIL_EDGE_PX, THUMBNAIL_BYTES = 192, 48 * 1024
SHEET_BYTES = 1024 * 1024


def picture_of(original: Original, locator: Locator, *, bench: Bench, edge_px: int, max_bytes: int) -> Rendition:
    """A picture of one part of an original, of at most an edge and a number of bytes. Raises as `Renditions.make`."""
    plan = _plan(original, locator, bench, (edge_px, max_bytes))
    return bench.renditions.make(original.source, plan, cancel=bench.cancel)


def preview(original: Original, locator: Locator, *, bench: Bench, name: str = "preview") -> AssetDraft | None:
    """The preview of a picture or a first page; none where it cannot be drawn."""
    return _asset(original, locator, bench=bench, name=name, bounds=(PREVIEW_EDGE_PX, PREVIEW_BYTES))


def contact_sheet(original: Original, *, bench: Bench) -> AssetDraft | None:
    """The contact sheet of several frames or pages; none where it cannot be drawn."""
    edge = bench.served.target_edge_px
    target = target_from(bench.served, edge_px=edge, max_bytes=SHEET_BYTES, media_types=(PNG, JPEG))
    plan = sheet_for(original.probe, target=target)
    try:
        made = bench.renditions.make(original.source, plan, cancel=bench.cancel)
    except (MediaError, EngineFailed):
        return None
    return drafted(made, "contact-sheet", locator=Locator())


def sound_drawn(original: Original, *, bench: Bench) -> AssetDraft | None:
    """The sound of a whole recording, drawn; none where it cannot be."""
    edge = bench.served.target_edge_px
    target = target_from(bench.served, edge_px=edge, max_bytes=SHEET_BYTES, media_types=(PNG, JPEG))
    try:
        made = bench.renditions.make(original.source, sound_plan(original.probe, target=target), cancel=bench.cancel)
    except (MediaError, EngineFailed):
        return None
    return drafted(made, "spectrogram", locator=Locator(span=whole(original.probe)))


def page_pictures(original: Original, *, bench: Bench, thumbnails: int) -> list[AssetDraft]:
    """The preview of the first page, and thumbnails of the first so many; what cannot be drawn is left out."""
    small = [
        (f"page-{number:04d}", number, (THUMBNAIL_EDGE_PX, THUMBNAIL_BYTES)) for number in range(1, thumbnails + 1)
    ]
    asked = [("preview", 1, (PREVIEW_EDGE_PX, PREVIEW_BYTES)), *small]
    plans = [_plan(original, Locator(page=number), bench, bounds) for _, number, bounds in asked]
    made = bench.renditions.make_each(original.source, plans, cancel=bench.cancel)
    return [
        drafted(rendition, name, locator=Locator(page=number))
        for (name, number, _), rendition in zip(asked, made, strict=True)
        if rendition is not None
    ]


def _asset(
    original: Original, locator: Locator, *, bench: Bench, name: str, bounds: tuple[int, int]
) -> AssetDraft | None:
    try:
        made = picture_of(original, locator, bench=bench, edge_px=bounds[0], max_bytes=bounds[1])
    except (MediaError, EngineFailed):
        return None
    return drafted(made, name, locator=locator)


def _plan(original: Original, locator: Locator, bench: Bench, bounds: tuple[int, int]) -> RenditionPlan:
    edge_px, max_bytes = bounds
    target = target_from(bench.served, edge_px=edge_px, max_bytes=max_bytes, media_types=(PNG, JPEG))
    return plan_for(original.probe, locator, target=target, served=bench.served)


def drafted(made: Rendition, name: str, *, locator: Locator) -> AssetDraft:
    """A rendition as a file of a representation, named after what it is."""
    media_type = made.facts.media_type
    return AssetDraft(f"assets/{name}.{media_type.extension}", made.bytes, media_type, locator)
