"""What the catalogue needs of a database. Everything that one database says differently stands behind this seam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection, Select, Table

from eyeline.catalog.folding import IndexForm
from eyeline.catalog.query import Term

Values: TypeAlias = Mapping[str, Any]
Question: TypeAlias = Select[*tuple[Any, ...]]
"""A SELECT whose columns the type does not say."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """A set of tables and how it came about: the folder of its migrations, and their revisions, oldest first."""

    name: str
    revisions: tuple[str, ...]

    @property
    def head(self) -> str:
        """The revision this program works with."""
        return self.revisions[-1]


CATALOG = Lineage("catalog", ("r0001",))
AUDIT = Lineage("audit", ("a0001",))


class Indexed(StrEnum):
    """What is indexed for search; numbers are row numbers of `passages` and of `documents`."""

    PASSAGES = "passages"
    TITLES = "titles"


class SearchIndex(Protocol):
    """The index of words and symbols. It is changed in the transaction that changes what it indexes."""

    def add(self, connection: Connection, target: Indexed, forms: Sequence[tuple[int, IndexForm]]) -> None:
        """Index texts under numbers that are not indexed yet."""
        ...

    def replace(self, connection: Connection, target: Indexed, form: tuple[int, IndexForm]) -> None:
        """Index a text anew under a number that may be indexed; nothing of the old text stays."""
        ...

    def matching(self, target: Indexed, terms: tuple[Term, ...], *, any_of: bool = False) -> Question:
        """Numbers (`id`) and a `score` (smaller is better) of the texts that hold all, or any, of some terms.

        Words are matched in order, symbols anywhere: a text may be offered that does not hold a term as it is written,
        never one left out that does.
        """
        ...


class Database(Protocol):
    """Connections of one database at the current revision of its lineage; shared by threads.

    Whatever fails inside a block fails as one of ours. Blocks do not nest within a thread.
    """

    index: SearchIndex

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent state to read; nothing of the database's main file changes."""
        ...

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction that holds off other writers from its start; durable when the block ends, or not there."""
        ...

    def add_missing(self, connection: Connection, table: Table, values: Values, *, key: Sequence[str]) -> bool:
        """Insert a row unless one with its key exists; whether it was inserted."""
        ...

    def put(self, connection: Connection, table: Table, values: Values, *, key: Sequence[str]) -> None:
        """Insert a row, or give the row with its key these values."""
        ...

    def close(self) -> None:
        """Close every connection; a database may be closed twice."""
        ...
