"""From a locator and a target to a canonical plan, checked against the probed media.

Regions of pictures snap outwards to whole pixels. A picture is never enlarged; a page has no pixels of its own and is
drawn up to the target edge, within a resolution cap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.model.geometry import Region, Size
from eyeline.model.limits import ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CropBox, RenditionPlan, Target
from eyeline.model.probe import PageSize, Probe


@dataclass(frozen=True, slots=True)
class Frame:
    """The upright frame a region lies in: width and height in pixels (pictures) or points (pages)."""

    width: float
    height: float
    is_page: bool

    @property
    def size(self) -> Size:
        """Whole pixels or points, rounded up."""
        return Size(math.ceil(self.width), math.ceil(self.height))


def target_from(served: ServedSet, *, edge_px: int, max_bytes: int, media_types: tuple[MediaType, ...]) -> Target:
    """A target inside the served set."""
    return Target(
        media_types=media_types,
        max_edge_px=min(edge_px, served.max_edge_px),
        max_pixels=served.max_pixels,
        max_bytes=max_bytes,
        min_side_px=served.min_side_px,
    )


def check_kinds(locator: Locator, *, accepted: tuple[str, ...], what: str) -> None:
    """Raise `LocatorUnsupported` for a part that this media does not have."""
    foreign = [kind for kind in locator.kinds if kind not in accepted]
    if foreign:
        hint = f"it can be opened by {', '.join(accepted)}" if accepted else "open it without a locator"
        raise LocatorUnsupported(f"{what} has no {foreign[0]}", hint=hint, asked=str(locator), accepted=list(accepted))


def frame_of(probe: Probe, locator: Locator) -> Frame:
    """The page or picture frame that a locator names; raises `LocatorOutOfRange` with the real extent."""
    if probe.pages:
        page = locator.page or 1
        _check_count("page", page, probe.page_count)
        size: PageSize = probe.page_size(page)
        return Frame(size.width_pt, size.height_pt, is_page=True)
    if locator.frame is not None:
        _check_count("frame", locator.frame, probe.frames)
    if locator.page is not None:
        _check_count("page", locator.page, probe.frames)
    if probe.size is None:
        raise LocatorUnsupported(f"{probe.media_type} has no pictures", hint="open it without a region")
    return Frame(probe.size.width_px, probe.size.height_px, is_page=False)


def plan_for(probe: Probe, locator: Locator, *, target: Target, served: ServedSet) -> RenditionPlan:
    """The canonical plan for one picture of this media.

    Raises `LocatorOutOfRange` when page, frame or region lie outside, with the real extent.
    """
    frame = frame_of(probe, locator)
    crop = _crop(locator.region, frame)
    width, height = (frame.width, frame.height) if crop is None else (crop.w / 1000, crop.h / 1000)
    cap = (served.max_page_dpi if crop is None else served.max_region_dpi) / 72 if frame.is_page else 1.0
    page = locator.page or 1
    return RenditionPlan(
        size=_fitted(width, height, target=target, max_scale=cap),
        media_types=target.media_types,
        max_bytes=target.max_bytes,
        page=page if frame.is_page else None,
        frame=None if frame.is_page or probe.frames == 1 else (locator.frame or page),
        crop=crop,
        min_side_px=target.min_side_px,
    )


def _check_count(kind: str, asked: int, count: int) -> None:
    if asked > count:
        message = f"{kind} {asked} is past the end: there {'is' if count == 1 else 'are'} {count}"
        raise LocatorOutOfRange(message, hint=f"{kind}s go from 1 to {count}", asked=asked, extent=count)


def _crop(region: Region | None, frame: Frame) -> CropBox | None:
    if region is None:
        return None
    x, y, w, h = region.within(frame.width, frame.height)
    right, bottom = x + w, y + h
    slack = 0.001 if frame.is_page else 0.0
    if right > frame.width + slack or bottom > frame.height + slack:
        unit = "points (1/72 inch)" if frame.is_page else "pixels"
        raise LocatorOutOfRange(
            f"the region {region} ends outside",
            hint=f"the upright frame is {frame.width:g} by {frame.height:g} {unit}",
            asked=str(region),
            width=frame.width,
            height=frame.height,
        )
    if not frame.is_page:
        x, y, right, bottom = math.floor(x), math.floor(y), math.ceil(right), math.ceil(bottom)
    box = CropBox(
        *(round(value * 1000) for value in (x, y, min(right, frame.width) - x, min(bottom, frame.height) - y))
    )
    whole = (box.x, box.y) == (0, 0) and box.w >= frame.width * 1000 - 1 and box.h >= frame.height * 1000 - 1
    return None if whole else box


def _fitted(width: float, height: float, *, target: Target, max_scale: float) -> Size:
    scale = min(max_scale, target.max_edge_px / max(width, height), math.sqrt(target.max_pixels / (width * height)))
    size = Size(max(1, round(width * scale)), max(1, round(height * scale)))
    return size if size.pixels <= target.max_pixels else Size(max(1, int(width * scale)), max(1, int(height * scale)))
