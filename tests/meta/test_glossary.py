"""One word, one meaning: the glossary defines its words and names the value classes, and the code keeps to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.meta.tree import ROOT, modules, table_rows

BANNED = {
    "bbox": "region",
    "checksum": "digest",
    "derivative": "rendition",
    "etag": "digest",
    "mime": "media type",
    "mimetype": "media type",
    "perceived": "delivered",
}
"""Words that names in the code do not use, with the word to say instead."""


def rows() -> list[list[str]]:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return [cells for cells in table_rows(text) if cells[0].startswith("**")]


def value_classes() -> set[str]:
    return {
        node.name
        for module in modules()
        if module.path.startswith("src/eyeline/model/")
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


def test_every_word_is_defined_once() -> None:
    words = [cells[0].strip("*") for cells in rows()]
    assert len(words) == len(set(words))
    assert [cells[0] for cells in rows() if len(cells) != 4 or len(cells[1].split()) < 2] == []


def test_every_value_class_stands_beside_its_word_and_only_there() -> None:
    named = [name for cells in rows() for name in re.findall(r"`(\w+)`", cells[3])]
    assert sorted(value_classes() - set(named)) == [], "say in docs/glossary.md which word it carries"
    assert sorted(set(named) - value_classes()) == [], "no such class in eyeline.model"
    assert len(named) == len(set(named))


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_no_name_in_the_code_uses_a_word_that_the_glossary_replaces() -> None:
    found = {
        f"{module.path}: {name}"
        for module in modules()
        for name in _names(module.tree)
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
        if word.lower() in BANNED
    }
    assert sorted(found) == []


def _annotated(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Line, name and annotation of every annotated parameter and field."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation:
            yield node.lineno, node.arg, ast.unparse(node.annotation)
        elif isinstance(node, ast.AnnAssign):
            yield node.lineno, ast.unparse(node.target), ast.unparse(node.annotation)


def test_a_digest_is_never_a_bare_text() -> None:
    found = [
        f"{module.path}:{line}"
        for module in modules()
        for line, name, annotation in _annotated(module.tree)
        if name.rpartition(".")[2].endswith("digest") and re.fullmatch(r"str( \| None)?", annotation.strip("'\""))
    ]
    assert found == []
