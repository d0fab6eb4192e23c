"""Promises and tests name each other: a promise has a test or is pending, and a mark names a promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.meta.tree import ROOT, TESTS, modules, table_rows

PENDING = TESTS / "meta" / "pending.txt"
PENDING_LEFT = 8
"""How many promises are not built. It goes down in the commit that takes a line out of pending.txt, and never up."""

ID = re.compile(r"(?:SA|VF|AT|XC)-\d{2}")


def promised() -> list[str]:
    text = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    return [cells[0] for cells in table_rows(text) if ID.fullmatch(cells[0])]


def pending() -> dict[str, str]:
    """Ids that are not proven yet, each with what stands behind it: nothing, or `partly: ` and what is missing."""
    lines = PENDING.read_text(encoding="utf-8").splitlines()
    return {name: note for name, _, note in (line.partition(" ") for line in lines)}


def marks(tree: ast.AST) -> Iterator[str]:
    """The ids in every `pytest.mark.requirement(...)` of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.requirement":
            for argument in node.args:
                assert isinstance(argument, ast.Constant), f"an id is written out: {ast.unparse(node)}"
                yield str(argument.value)


def marked() -> dict[str, list[str]]:
    """Each marked id with the files that hold its marks."""
    found: dict[str, list[str]] = {}
    for module in modules(folder=TESTS):
        for requirement in marks(module.tree):
            found.setdefault(requirement, []).append(module.path)
    return found


def test_the_table_names_each_promise_once_and_says_something() -> None:
    ids = promised()
    assert len(ids) == len(set(ids))
    assert ids == sorted(ids, key=lambda name: (["SA", "VF", "AT", "XC"].index(name[:2]), name))
    text = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
    assert all(cells[1] for cells in table_rows(text) if ID.fullmatch(cells[0]))


def test_every_mark_names_a_promise_of_the_table() -> None:
    assert {name: files for name, files in marked().items() if name not in promised()} == {}


def test_a_promise_has_a_test_or_is_pending_and_both_only_when_partly_proven() -> None:
    proven, waiting = set(marked()), pending()
    assert sorted(set(promised()) - proven - set(waiting)) == [], "neither proven nor pending"
    partly = {name for name, note in waiting.items() if note}
    assert sorted(proven & (set(waiting) - partly)) == [], "proven: take it out of tests/meta/pending.txt"
    assert sorted(partly - proven) == [], "nothing of it is proven: say so without `partly`"


def test_what_is_partly_proven_says_what_is_missing() -> None:
    notes = [note for note in pending().values() if note]
    assert [note for note in notes if not re.fullmatch(r"partly: \S.{8,}", note)] == []


def test_the_pending_list_is_sorted_known_and_only_shrinks() -> None:
    listed = list(pending())
    assert listed == [name for name in promised() if name in listed], (
        "in the order of the table, each once, none unknown"
    )
    assert len(listed) == PENDING_LEFT
