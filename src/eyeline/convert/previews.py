"""Standard renditions made at conversion: small pictures for people and for agents with a mount."""

from __future__ import annotations

from eyeline.convert.converting import AssetDraft, Bench, Original
from eyeline.errors import EngineFailed, MediaError
from eyeline.model.limits import JPEG, PNG
from eyeline.model.locator import Locator
from eyeline.model.rendition import Rendition
from eyeline.render.planning import plan_for, sheet_for, target_from

PREVIEW_EDGE_PX, PREVIEW_BYTES = 512, 256 * 1024
THUMBNAIL_EDGE_PX, THUMBNAIL_BYTES = 192, 48 * 1024
SHEET_BYTES = 1024 * 1024


def picture_of(original: Original, locator: Locator, *, bench: Bench, edge_px: int, max_bytes: int) -> Rendition:
    """A picture of one part of an original, of at most an edge and a number of bytes. Raises as `Renditions.make`."""
    target = target_from(bench.served, edge_px=edge_px, max_bytes=max_bytes, media_types=(PNG, JPEG))
    plan = plan_for(original.probe, locator, target=target, served=bench.served)
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
    media_type = made.facts.media_type
    return AssetDraft(f"assets/contact-sheet.{media_type.extension}", made.bytes, media_type, Locator())


def thumbnail(original: Original, locator: Locator, *, bench: Bench, name: str) -> AssetDraft | None:
    """The thumbnail of one page; none where it cannot be drawn."""
    return _asset(original, locator, bench=bench, name=name, bounds=(THUMBNAIL_EDGE_PX, THUMBNAIL_BYTES))


def _asset(
    original: Original, locator: Locator, *, bench: Bench, name: str, bounds: tuple[int, int]
) -> AssetDraft | None:
    try:
        made = picture_of(original, locator, bench=bench, edge_px=bounds[0], max_bytes=bounds[1])
    except (MediaError, EngineFailed):
        return None
    media_type = made.facts.media_type
    return AssetDraft(f"assets/{name}.{media_type.extension}", made.bytes, media_type, locator)
