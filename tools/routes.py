"""Region of docs/reference/routes.md: every route with its numbers and where each comes from."""

from __future__ import annotations

from markdown import code, table

from eyeline.model.route import RouteFact
from eyeline.request.routes import shipped_routes


def routes() -> str:
    """A table for each route."""
    parts: list[str] = []
    for route in shipped_routes().values():
        models = ", ".join(map(code, route.models)) or "chosen by name only"
        rows = map(_row, route.facts)
        head = f"## {route.name}\n\n{route.provider}, body `{route.adapter}`; models: {models}\n"
        parts.append(f"{head}\n{table('what | >value | trust | source', rows)}")
    return "\n".join(parts)


def _row(fact: RouteFact) -> tuple[str, str, str, str]:
    return code(fact.name), fact.value or "none", fact.trust.replace("_", "-"), f"{fact.source}, {fact.date}"


REGIONS = {"routes": routes}
