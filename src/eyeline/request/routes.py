"""The routes that ship: `routes.toml`, one table for each provider and family of models, each number sourced."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

from eyeline.errors import InvalidRequest
from eyeline.model.route import RouteFact, RoutePolicy
from eyeline.wire import validate

Table = Mapping[str, Any]

_TOKEN = "token."
_NONE = ""
"""What takes an entry of the route it is like away again."""


def route_named(name: str) -> RoutePolicy:
    """The route of this name, else the first one whose patterns match it as the name of a model.

    Raises `InvalidRequest` with all names for anything else.
    """
    routes = shipped_routes()
    if name in routes:
        return routes[name]
    for route in routes.values():
        if any(fnmatchcase(name.lower(), pattern) for pattern in route.models):
            return route
    raise InvalidRequest(
        f"{name[:80]!r} is neither a route nor a model of one",
        hint=f"the routes are {', '.join(routes)}",
        route=name[:80],
    )


@lru_cache(maxsize=1)
def shipped_routes() -> dict[str, RoutePolicy]:
    """All routes by name, in the order of the file; do not change the dict."""
    return routes_of(files("eyeline.request").joinpath("routes.toml").read_text("utf-8"))


def routes_of(text: str) -> dict[str, RoutePolicy]:
    """Routes written as `routes.toml` writes them."""
    table = tomllib.loads(text)
    return {name: _route(name, table["routes"], sources=table["sources"]) for name in table["routes"]}


def _route(name: str, routes: Table, *, sources: Table) -> RoutePolicy:
    own, entries = _merged(name, routes)
    values = {key: entry["is"] for key, entry in entries.items() if entry["is"] != _NONE}
    rule = {key.removeprefix(_TOKEN): value for key, value in values.items() if key.startswith(_TOKEN)}
    limits = {key: value for key, value in values.items() if not key.startswith(_TOKEN)}
    facts = tuple(_fact(key, entry, source=sources[entry["from"]]) for key, entry in entries.items())
    named = {key: own[key] for key in ("provider", "adapter", "models")}
    return validate(RoutePolicy, {"name": name, "tokens": rule, "facts": facts, **named, **limits})


def _merged(name: str, routes: Table) -> tuple[dict[str, Any], dict[str, Table]]:
    """A route's own fields and its facts, over those of the route it is like."""
    table = routes[name]
    own, entries = _merged(table["like"], routes) if "like" in table else ({}, {})
    return own | {key: table[key] for key in table if key != "facts"}, entries | table["facts"]


def _fact(name: str, entry: Table, *, source: Table) -> RouteFact:
    value: object = entry["is"]
    text = ", ".join(cast("list[str]", value)) if isinstance(value, list) else str(value).lower()
    return RouteFact(name, text, source["address"], source["date"].isoformat(), source["trust"])
