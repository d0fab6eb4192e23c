"""How the work of a question grows with the catalogue, counted in steps of SQLite's virtual machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import Engine, event

from eyeline.catalog.catalog import Catalog
from eyeline.testing.catalog_samples import convert, found, take_in

FEW, MANY = 40, 400
A_LOOK = 5
"""Steps between two counts."""


class Steps:
    """Steps that the connections made since, rounded down for each statement."""

    def __init__(self) -> None:
        self.taken = 0

    def count(self) -> None:
        self.taken += A_LOOK

    def of(self, call: Callable[[], object]) -> int:
        self.taken = 0
        call()
        return self.taken


@pytest.fixture(scope="module")
def steps() -> Iterator[Steps]:
    counted = Steps()

    def count(connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(counted.count, A_LOOK)
        # nothing here has to survive a power cut
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", count)
    yield counted
    event.remove(Engine, "connect", count)


@pytest.fixture(scope="module")
def catalogs(steps: Steps, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Catalog, Catalog]]:
    """Catalogues of a few and of many documents, each of which speaks of pumps in its title and in its text."""
    del steps
    with ExitStack() as opened:
        made: list[Catalog] = []
        for count in (FEW, MANY):
            path = tmp_path_factory.mktemp("catalog") / f"{count}.sqlite"
            catalog = opened.enter_context(Catalog.open(path))
            for number in range(count):
                recorded = take_in(catalog, f"pump {number}.pdf")
                convert(catalog, recorded, texts=[f"the pump numbered {number}", "and its valves"])
            made.append(catalog)
        yield made[0], made[1]


def growth(steps: Steps, catalogs: tuple[Catalog, Catalog], call: Callable[[Catalog], object]) -> float:
    """How many times the work is done with ten times the documents."""
    few, many = (steps.of(lambda catalog=catalog: call(catalog)) for catalog in catalogs)
    assert few > 0
    return many / few


def test_looking_for_what_every_document_says_grows_as_they_do_and_no_faster(
    steps: Steps, catalogs: tuple[Catalog, Catalog]
) -> None:
    assert growth(steps, catalogs, lambda catalog: catalog.search("pump", limit=5)) < 2 * MANY / FEW


def test_looking_for_what_one_document_says_reads_no_other(steps: Steps, catalogs: tuple[Catalog, Catalog]) -> None:
    assert found(catalogs[1], "17") == ["pump 17.pdf#page=1"]
    assert growth(steps, catalogs, lambda catalog: catalog.search("17", limit=5)) < 2


def test_a_document_is_found_by_its_name_without_reading_others(
    steps: Steps, catalogs: tuple[Catalog, Catalog]
) -> None:
    assert growth(steps, catalogs, lambda catalog: catalog.document_named("pump 17.pdf")) < 2


def test_the_next_page_of_a_list_takes_no_more_than_the_first(steps: Steps, catalogs: tuple[Catalog, Catalog]) -> None:
    few, many = catalogs
    first = many.list_documents(limit=10)
    after = many.list_documents(cursor=first.cursor, limit=10)
    assert after.cursor is not None
    of_few = steps.of(lambda: few.list_documents(limit=10))
    assert steps.of(lambda: many.list_documents(cursor=after.cursor, limit=10)) < 2 * of_few
