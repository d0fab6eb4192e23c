"""What one picture is made to for a route, and how much of a request it may take: decided from its reference alone."""

from __future__ import annotations

from eyeline.model.attachment import ImageRef, ImageTarget
from eyeline.model.geometry import Size
from eyeline.model.route import RoutePolicy
from eyeline.request.tokens import fitted_by, within

REDUCED_PX = (1024, 512)
"""Longer edges that pictures step down to before any is left out."""

OMITTED = len(REDUCED_PX) + 1
"""The level after the last reduction."""

_LEAST_BYTES = 64 << 10


def targets_of(ref: ImageRef, route: RoutePolicy, *, is_many: bool) -> tuple[ImageTarget, ...]:
    """The targets of a picture: the exact size it is fitted to, and the bytes it may take, none larger than before.

    The first is the size that the route's models make use of; the others are its steps down.
    """
    made: list[ImageTarget] = []
    for size in fitted_sizes(ref.size, route, is_many=is_many):
        room = _room(ref, route, size=size, is_reduced=bool(made))
        made.append(
            ImageTarget(
                width_px=size.width_px,
                height_px=size.height_px,
                max_bytes=min(room, made[-1].max_bytes) if made else room,
                media_types=route.media_types,
                min_side_px=route.min_side_px,
            )
        )
    return tuple(made)


def fitted_sizes(size: Size, route: RoutePolicy, *, is_many: bool) -> list[Size]:
    """The sizes of a picture on this route, before padding: what its models get is what is sent."""
    bounds = [route.edge_px, route.max_side_px, route.many_side_px if is_many else None]
    full = within(fitted_by(route.tokens, size), min(bound for bound in bounds if bound))
    return [full, *(within(full, edge_px) for edge_px in REDUCED_PX)]


def in_base64(byte_count: int) -> int:
    """Characters of the base64 text of so many bytes."""
    return -(-byte_count // 3) * 4


def _room(ref: ImageRef, route: RoutePolicy, *, size: Size, is_reduced: bool) -> int:
    """Bytes a picture may take: its own where it goes as it is, else so many for each pixel, within the route's cap."""
    cap = _cap(route)
    if not is_reduced and _goes_as_it_is(ref, route, size=size, cap=cap):
        return ref.byte_count
    for_pixels = size.pixels // 2 if is_reduced else size.pixels
    return min(cap, max(_LEAST_BYTES, min(for_pixels, ref.byte_count * 3 // 2)))


def _goes_as_it_is(ref: ImageRef, route: RoutePolicy, *, size: Size, cap: int) -> bool:
    return (
        size == ref.size
        and not ref.has_alpha
        and ref.media_type in route.media_types
        and ref.byte_count <= cap
        and min(size.width_px, size.height_px) >= route.min_side_px
    )


def _cap(route: RoutePolicy) -> int:
    """The route's bound on one picture, in raw bytes."""
    if route.max_image_bytes is None:
        return route.max_request_bytes // 2
    return route.max_image_bytes if route.counted == "raw" else route.max_image_bytes // 4 * 3
