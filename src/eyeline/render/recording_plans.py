"""From a locator to what is made of a recording: instants, spans within what is served, pictures and cuts."""

from __future__ import annotations

from dataclasses import replace

from eyeline.errors import LocatorOutOfRange
from eyeline.model.geometry import Size
from eyeline.model.limits import ServedSet
from eyeline.model.locator import Locator, Span
from eyeline.model.media_type import MediaType
from eyeline.model.plan import CutPlan, RenditionPlan, Target
from eyeline.model.probe import Probe
from eyeline.render.planning import plan_for

SPECTROGRAM = Size(1200, 480)
_LEAST_SIDE_PX = 16


def duration_of(probe: Probe) -> int:
    """How long a recording lasts, in milliseconds; at least one."""
    return max(1, probe.duration_ms or 0)


def within(probe: Probe, span: Span) -> tuple[Span, bool]:
    """A span cut at the end of the recording, and whether it was; an instant stays one.

    Raises `LocatorOutOfRange` where it begins at or past the end.
    """
    end = duration_of(probe)
    if span.start_ms >= end:
        message = f"t={span} begins at or past the end: the recording lasts {end / 1000:g} seconds"
        raise LocatorOutOfRange(message, hint=f"t goes from 0 up to {end / 1000:g}", asked=str(span), extent=end / 1000)
    if span.end_ms is None or span.end_ms <= end:
        return span, False
    return Span(span.start_ms, end), True


def whole(probe: Probe) -> Span:
    """All of it."""
    return Span(0, duration_of(probe))


def frame_plan(probe: Probe, locator: Locator, *, target: Target, served: ServedSet) -> RenditionPlan:
    """The frame that is shown at the locator's instant, or a region of it. Raises as `plan_for`."""
    assert locator.span is not None, "a frame of a video is found by time"
    plan = plan_for(probe, replace(locator, span=None), target=target, served=served)
    return replace(plan, instant_ms=locator.span.start_ms)


def sound_plan(probe: Probe, *, target: Target) -> RenditionPlan:
    """The sound of the whole recording, drawn."""
    scale = min(1.0, target.max_edge_px / SPECTROGRAM.width_px)
    size = Size(round(SPECTROGRAM.width_px * scale), round(SPECTROGRAM.height_px * scale))
    return RenditionPlan(
        size=size,
        media_types=target.media_types,
        max_bytes=target.max_bytes,
        min_side_px=target.min_side_px,
        spectrogram=whole(probe),
    )


def clip_plan(probe: Probe, span: Span, *, media_type: MediaType, served: ServedSet, max_bytes: int) -> CutPlan:
    """A clip of a span, its pictures scaled into what is served, with even sides."""
    size = probe.size
    assert size is not None, "what is moving has a size"
    scale = min(1.0, served.clip_edge_px / max(size.width_px, size.height_px))
    even = Size(_even(size.width_px * scale), _even(size.height_px * scale))
    return CutPlan(span=span, media_type=media_type, max_bytes=max_bytes, size=even)


def _even(length: float) -> int:
    return max(_LEAST_SIDE_PX, round(length / 2) * 2)
