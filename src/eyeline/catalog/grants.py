"""Which principal may see which collection."""

from __future__ import annotations

from sqlalchemy import Connection, select

from eyeline.catalog import schema
from eyeline.catalog.database import Writing


def grant(writing: Writing, *, principal: str, collection: str) -> None:
    """Let a principal see a collection."""
    values = {"principal": principal, "collection": collection}
    writing.add_missing(schema.grants, values, key=["principal", "collection"])


def granted(connection: Connection, principal: str) -> frozenset[str]:
    """The collections a principal was granted."""
    query = select(schema.grants.c.collection).where(schema.grants.c.principal == principal)
    return frozenset(connection.scalars(query))
