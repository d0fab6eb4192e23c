"""What the catalogue needs of a database. Everything that one database says differently stands behind this seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeAlias, cast

from sqlalchemy import Connection, CursorResult, Executable, Select, Table

from eyeline.catalog.folding import IndexForm
from eyeline.catalog.query import Term
from eyeline.toolkit.cancel import CancelToken

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


CATALOG = Lineage("catalog", ("r0001", "r0002", "r0003", "r0004", "r0005"))
AUDIT = Lineage("audit", ("a0001",))


class Indexed(StrEnum):
    """What is indexed for search; numbers are row numbers of `passages` and of `documents`."""

    PASSAGES = "passages"
    TITLES = "titles"


class SearchIndex(Protocol):
    """The index of words and symbols. It is changed in the transaction that changes what it indexes."""

    def add(self, connection: Connection, forms: Sequence[tuple[int, IndexForm]], *, target: Indexed) -> None:
        """Index texts under numbers that are not indexed yet."""
        ...

    def replace(self, connection: Connection, form: tuple[int, IndexForm], *, target: Indexed) -> None:
        """Index a text anew under a number that may be indexed; nothing of the old text stays."""
        ...

    def empty(self, connection: Connection) -> None:
        """Take every text out, whatever state the index is in."""
        ...

    def remove(self, connection: Connection, numbers: Sequence[int], *, target: Indexed) -> None:
        """Take texts out; nothing of them is found any more."""
        ...

    def matching(self, target: Indexed, terms: tuple[Term, ...], *, any_of: bool = False) -> Question:
        """Numbers (`id`) and a `score` (smaller is better) of the texts that hold all, or any, of some terms.

        Words are matched in order, symbols anywhere: a text may be offered that does not hold a term as it is written,
        never one left out that does.
        """
        ...


class ConflictingInsert(Protocol):
    """An INSERT that says what becomes of a row whose key is there; every database has its own class for it."""

    excluded: Any

    def on_conflict_do_nothing(self, *, index_elements: Sequence[str]) -> Executable:
        """Leave the row that is there."""
        ...

    def on_conflict_do_update(self, *, index_elements: Sequence[str], set_: Values) -> Executable:
        """Change the row that is there."""
        ...


@dataclass(frozen=True, slots=True)
class Writing:
    """One transaction that writes: its connection, the search index, and inserting where a row may be there."""

    connection: Connection
    index: SearchIndex
    insert: Callable[[Table, Values], ConflictingInsert]

    def add_missing(self, table: Table, values: Values, *, key: Sequence[str]) -> bool:
        """Insert a row unless one with its key exists; whether it was inserted."""
        statement = self.insert(table, values).on_conflict_do_nothing(index_elements=key)
        return cast("CursorResult[Any]", self.connection.execute(statement)).rowcount == 1

    def put(self, table: Table, values: Values, *, key: Sequence[str]) -> None:
        """Insert a row, or give the row with its key these values."""
        statement = self.insert(table, values)
        changed = {name: statement.excluded[name] for name in values if name not in key}
        self.connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))


class Database(Protocol):
    """Connections of one database at the current revision of its lineage; shared by threads.

    Whatever fails inside a block fails as one of ours. Blocks do not nest within a thread.
    """

    index: SearchIndex

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent state to read; nothing of the database's main file changes."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """One transaction that holds off other writers from its start; durable when the block ends, or not there."""
        ...

    def flaws(self) -> tuple[str, ...]:
        """What the database's own checks find wrong with its files and references; nothing when all is well."""
        ...

    def index_holds(self) -> bool:
        """Whether the search index is what it was made from."""
        ...

    def scrub(self, cancel: CancelToken) -> bool:
        """Leave nothing of what was deleted in the files; false when somebody reads and it has to be done again.

        Raises `Cancelled`, which leaves the files as they were.
        """
        ...

    def close(self) -> None:
        """Close every connection; a database may be closed twice."""
        ...
