"""From a locator and a target to a canonical plan, checked against the probed media.

Regions of pictures snap outwards to whole pixels. A picture is never enlarged; a page or a drawing has no pixels of its
own and is drawn up to the target edge, within a resolution cap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from eyeline.errors import LocatorOutOfRange, LocatorUnsupported
from eyeline.model.geometry import Region, Size
from eyeline.model.limits import ServedSet
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.plan import SHEET_CAPTION_PX, SHEET_GAP_PX, CropBox, RenditionPlan, Sheet, Target
from eyeline.model.probe import PageSize, Probe

PAGE_DPI, DRAWING_DPI = 72, 96
"""How many points of a page, and how many pixels of a drawing as it says its size, make an inch."""

MAX_SHEET_FRAMES, LEAST_CELL_PX = 16, 112
"""How many frames a contact sheet shows at most, and how wide a cell is at least, for its caption."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The upright frame a region lies in: width and height in pixels (pictures) or points (pages).

    `dpi`: how many of them an inch has, where it has no pixels of its own.
    """

    width: float
    height: float
    is_page: bool
    dpi: int | None = None

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
        raise LocatorUnsupported(
            f"{what} is not opened by {foreign[0]}", hint=hint, asked=str(locator), accepted=list(accepted)
        )


def frame_of(probe: Probe, locator: Locator) -> Frame:
    """The page or picture frame that a locator names; raises `LocatorOutOfRange` with the real extent."""
    if probe.pages:
        page = locator.page or 1
        _check_count("page", page, probe.page_count)
        size: PageSize = probe.page_size(page)
        return Frame(size.width_pt, size.height_pt, is_page=True, dpi=PAGE_DPI)
    number = _number(probe, locator)
    found = probe.frame_size(number)
    if found is None:
        raise LocatorUnsupported(f"{probe.media_type} has no pictures", hint="open it without a locator")
    return Frame(found.width_px, found.height_px, is_page=False, dpi=DRAWING_DPI if probe.is_drawing else None)


def settled(probe: Probe, locator: Locator) -> Locator:
    """The locator with the frame that is shown at an instant in place of the instant.

    Raises `LocatorOutOfRange` from the end of the animation on, and `LocatorUnsupported` for a stretch of time.
    """
    span = locator.span
    if span is None or not probe.frame_times:
        return locator
    if span.end_ms is not None or locator.frame is not None:
        asked = "a stretch of time" if span.end_ms is not None else "a frame and a time"
        hint = "name one frame, as frame=3, or one instant, as t=0.5"
        raise LocatorUnsupported(f"{asked} is no one frame", hint=hint, asked=str(locator), accepted=["frame", "t"])
    frame = probe.frame_at(span.start_ms)
    if frame is None:
        seconds = (probe.duration_ms or 0) / 1000
        message = f"t={span} is past the end: the animation takes {seconds:g} seconds"
        raise LocatorOutOfRange(message, hint=f"t goes from 0 up to {seconds:g}", asked=str(span), extent=seconds)
    return replace(locator, frame=frame, span=None)


def plan_for(probe: Probe, locator: Locator, *, target: Target, served: ServedSet) -> RenditionPlan:
    """The canonical plan for one picture of this media.

    Raises `LocatorOutOfRange` when page, frame or region lie outside, with the real extent.
    """
    locator = settled(probe, locator)
    frame = frame_of(probe, locator)
    crop = _crop(locator.region, frame)
    width, height = (frame.width, frame.height) if crop is None else (crop.w / 1000, crop.h / 1000)
    finest = served.max_page_dpi if crop is None else served.max_region_dpi
    cap = finest / frame.dpi if frame.dpi is not None else 1.0
    return RenditionPlan(
        size=_fitted(width, height, target=target, max_scale=cap),
        media_types=target.media_types,
        max_bytes=target.max_bytes,
        page=(locator.page or 1) if frame.is_page else None,
        frame=None if frame.is_page or probe.frames == 1 else _number(probe, locator),
        crop=crop,
        min_side_px=target.min_side_px,
    )


def sheet_for(probe: Probe, *, target: Target) -> RenditionPlan:
    """The contact sheet of an animation or of a picture of several pages, evenly spread over all there are."""
    frames = _spread(probe.frames, MAX_SHEET_FRAMES)
    sizes = [size for frame in frames if (size := probe.frame_size(frame)) is not None]
    room = Size(max(size.width_px for size in sizes), max(size.height_px for size in sizes))
    return _on_sheet(frames, room, target)


def sheet_of_instants(times_ms: tuple[int, ...], room: Size, *, target: Target) -> RenditionPlan:
    """The contact sheet of frames at some instants of a video whose pictures have the size of `room`."""
    made = _on_sheet(tuple(range(1, len(times_ms) + 1)), room, target)
    assert made.sheet is not None, "it was planned as a sheet"
    return replace(made, sheet=replace(made.sheet, frames=(), times_ms=times_ms))


def _on_sheet(frames: tuple[int, ...], room: Size, target: Target) -> RenditionPlan:
    edge = min(target.max_edge_px, math.isqrt(target.max_pixels))
    sheets = [_sheet(frames, columns, room, edge=edge) for columns in range(1, len(frames) + 1)]
    best = max(sheets, key=_merit)
    return RenditionPlan(
        size=best.size,
        media_types=target.media_types,
        max_bytes=target.max_bytes,
        min_side_px=target.min_side_px,
        sheet=best,
    )


def _spread(count: int, most: int) -> tuple[int, ...]:
    if count <= most:
        return tuple(range(1, count + 1))
    return tuple(1 + round(place * (count - 1) / (most - 1)) for place in range(most))


def _sheet(frames: tuple[int, ...], columns: int, room: Size, *, edge: int) -> Sheet:
    """The sheet of so many columns within an edge; no cell exceeds the largest frame, or a caption."""
    rows = -(-len(frames) // columns)
    across = (edge - SHEET_GAP_PX * (columns + 1)) / columns
    down = (edge - SHEET_GAP_PX * (rows + 1) - SHEET_CAPTION_PX * rows) / rows
    scale = min(1.0, across / room.width_px, down / room.height_px)
    width = max(min(LEAST_CELL_PX, int(across)), int(room.width_px * scale))
    return Sheet(frames, columns, Size(width, max(1, int(room.height_px * scale))))


def _merit(sheet: Sheet) -> tuple[int, int, int]:
    """The larger the cells the better, then the shorter the longer side, then the fewer cells that stay empty."""
    size = sheet.size
    return (
        sheet.cell.pixels,
        -max(size.width_px, size.height_px),
        len(sheet.frames) - sheet.columns * sheet.rows,
    )


def _number(probe: Probe, locator: Locator) -> int:
    """The frame or page of a picture that a locator names, checked; the first where it names none."""
    kind, asked = ("page", locator.page) if locator.frame is None else ("frame", locator.frame)
    _check_count(kind, asked or 1, probe.frames)
    return asked or 1


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
