"""Region of docs/providers.md: what each route takes, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown import code, table

from eyeline.request.providers import FILES_APIS
from eyeline.request.routes import shipped_routes

if TYPE_CHECKING:
    from eyeline.model.route import RoutePolicy

_HEAD = "route | body | >pictures | >one picture | >side | >request | of a tool result | Files API | newest source"
_PLACES = {"nested": "inside it", "beside": "after it", "next_turn": "next user turn"}


def provider_limits() -> str:
    """One row for each route that ships."""
    return table(_HEAD, (_row(route) for route in shipped_routes().values() if route.pictures))


def _row(route: RoutePolicy) -> tuple[object, ...]:
    newest = max((fact.date for fact in route.facts if fact.trust in ("read", "tried")), default="none")
    return (
        code(route.name),
        code(route.adapter.value),
        route.max_images or "any",
        f"{_bytes(route.max_image_bytes)} {route.counted}" if route.max_image_bytes else "any",
        _side(route),
        _bytes(route.max_request_bytes) if route.max_request_bytes else "any",
        _PLACES[route.result_pictures.value],
        code(route.files_api) if route.files_api == FILES_APIS.get(route.adapter, "") else "none",
        newest,
    )


def _side(route: RoutePolicy) -> str:
    usual = f"{route.max_side_px} px" if route.max_side_px else "any"
    if route.many_from is None:
        return usual
    return f"{usual}; {route.many_side_px} px from {route.many_from} pictures on"


def _bytes(number: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1_000_000, "MB")):
        if number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number / 1_000_000:g} MB"


REGIONS = {"provider_limits": provider_limits}
