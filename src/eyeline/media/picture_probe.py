"""What is told of an admitted picture: size, colour, frames and pages with their sizes and times."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pyvips

from eyeline.media.classify import is_flat
from eyeline.media.containers.facts import Container
from eyeline.media.picture_colour import colour_name, is_srgb, on_white, to_srgb
from eyeline.media.picture_decode import Picture, decoding
from eyeline.media.picture_geometry import upright_size
from eyeline.model.media_type import MediaType

LEAST_SHOWN_MS, USUAL_SHOWN_MS = 10, 100


def probe_of(picture: Picture, media_type: MediaType, *, seen: pyvips.Image | None = None) -> dict[str, Any]:
    """The plain form of the probe; `seen` is a small picture of what was decoded, none where nothing was yet."""
    facts, first = picture.facts, picture.facts.at(1)
    upright = upright_size(first.width_px, first.height_px, orientation=first.orientation)
    flat = seen is not None and _is_flat(seen, first)
    return {
        "media_type": str(media_type),
        "size": {"width_px": upright.width_px, "height_px": upright.height_px},
        "orientation": first.orientation,
        "bits": first.bits,
        "has_alpha": first.has_alpha,
        "colour": colour_name(first),
        "frames": facts.frames,
        "frames_are_pages": picture.format.has_pages,
        "frame_sizes": _frame_sizes(facts),
        "frame_times": _frame_times(facts),
        "duration_ms": sum(shown_ms(facts)) or None,
        "is_drawing": picture.format.is_drawing,
        "plain_pixels": facts.is_bare and is_srgb(first) and not facts.notes,
        "flat": flat,
        "notes": list(dict.fromkeys([*facts.notes, *first.notes])),
    }


def _is_flat(seen: pyvips.Image, first: Container) -> bool:
    with decoding():
        shown = to_srgb(on_white(seen, [], by=""), first, done=[], by="")
        return is_flat(shown.copy_memory())


def _frame_sizes(facts: Container) -> list[dict[str, int]]:
    """Runs of pages of equal upright size; empty where all are of one."""
    sizes = [upright_size(each.width_px, each.height_px, orientation=each.orientation) for each in facts.pages]
    runs = [(size, len(list(run))) for size, run in groupby(sizes)]
    return (
        [{"count": count, "width_px": size.width_px, "height_px": size.height_px} for size, count in runs]
        if len(runs) > 1
        else []
    )


def _frame_times(facts: Container) -> list[dict[str, int]]:
    """Runs of frames that are shown equally long."""
    runs = [(each, len(list(run))) for each, run in groupby(shown_ms(facts))]
    return [{"count": count, "shown_ms": each} for each, count in runs]


def shown_ms(facts: Container) -> list[int]:
    """How long each frame is shown, in milliseconds: what the file says, or 100 where it says 10 or less, as every
    browser shows it; empty for a still picture."""
    if facts.frames < 2 or facts.pages:
        return []
    said = [*facts.durations_ms, *[0] * facts.frames][: facts.frames]
    return [each if each > LEAST_SHOWN_MS else USUAL_SHOWN_MS for each in said]
