"""Budgets that keep files, functions and signatures readable, and exceptions from a rule few, named and explained."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from tests.meta.tree import ROOT, SOURCES, TESTS, Function, Module, functions, modules

FILE_LINES, FILE_LINES_HARD = 400, 600
FUNCTION_LINES, FUNCTION_LINES_HARD = 40, 60
SURFACE_LINES = 120
POSITIONAL = 2
BY_POSITION = (["reader", "params", "out"], ["done", "total", "what"])
"""What every job of an engine, and every report of progress, is called with by position."""

BLANKET_PLACES = {
    "src/eyeline/cli/main.py",
    "src/eyeline/mcp/mounting.py",
    "src/eyeline/mcp/server.py",
    "src/eyeline/media/bounded/worker.py",
    "src/eyeline/toolkit/runner.py",
}
"""Where anything at all is caught: the bounded child, the runner of tools and hooks, the top of each surface."""

EXCUSES = 0
"""Lines in src that switch a checker off. The number goes down with them, and never up."""

EXCUSE = re.compile(r"#\s*(type:\s*ignore|pyright:|noqa|pragma:)")
LATER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|NotImplemented" + r"Error)\b")
BAD_MODULES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "service", "data", "info"}
BAD_ENDINGS = re.compile(
    r"(Manager|Handler|Service|Helper|Helpers|Utils?|Impl|Info)$|^(I[A-Z][a-z]|Abstract|Base[A-Z])"
)


def allowed() -> set[str]:
    lines = (TESTS / "meta" / "over_budget.txt").read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def span(node: Function) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def positional(node: Function, owner: str | None) -> int:
    """Positional parameters beside `self` or `cls`."""
    static = any(ast.unparse(each) == "staticmethod" for each in node.decorator_list)
    return len(node.args.posonlyargs) + len(node.args.args) - int(owner is not None and not static)


def over_guides() -> Iterator[str]:
    for module in modules():
        if len(module.lines) > FILE_LINES:
            yield f"{module.path} lines"
        for name, node, owner in functions(module):
            if span(node) > FUNCTION_LINES:
                yield f"{module.path}::{name} lines"
            is_public = not any(part.startswith("_") for part in name.split("."))
            names = [each.arg.removeprefix("_") for each in node.args.args if each.arg != "self"]
            if is_public and names not in BY_POSITION and positional(node, owner) > POSITIONAL:
                yield f"{module.path}::{name} parameters"


def test_what_is_over_a_guide_is_listed_and_the_list_only_shrinks() -> None:
    over = set(over_guides())
    assert sorted(over - allowed()) == [], "over a guide: make it smaller"
    assert sorted(allowed() - over) == [], "no longer over: take it off tests/meta/over_budget.txt"


def test_nothing_is_over_a_hard_bound() -> None:
    long = [module.path for module in modules() if len(module.lines) > FILE_LINES_HARD]
    long += [
        f"{module.path}::{name}"
        for module in modules()
        for name, node, _ in functions(module)
        if span(node) > FUNCTION_LINES_HARD
    ]
    assert long == []


@pytest.mark.parametrize("surface", ["cli", "mcp", "http"])
def test_a_module_of_a_surface_stays_small(surface: str) -> None:
    found = {module.path: len(module.lines) for module in modules() if f"/eyeline/{surface}/" in module.path}
    assert {path: lines for path, lines in found.items() if lines > SURFACE_LINES} == {}


def test_conftest_stays_small() -> None:
    assert len((TESTS / "conftest.py").read_text(encoding="utf-8").splitlines()) <= SURFACE_LINES


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes any exception and lets it end there; one that cleans up and raises again does not."""
    caught = "BaseException" if handler.type is None else ast.unparse(handler.type)
    is_blanket = re.search(r"\b(Base)?Exception\b", caught) is not None
    last = handler.body[-1]
    return is_blanket and not (isinstance(last, ast.Raise) and last.exc is None)


def test_anything_is_caught_only_in_the_named_places() -> None:
    found = {
        module.path
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and _swallows(node)
    }
    assert sorted(found - BLANKET_PLACES) == []


def excuses(module: Module) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(module.lines, 1) if EXCUSE.search(line)]


def test_a_line_that_switches_a_checker_off_says_why_on_the_line_above() -> None:
    silent = [
        f"{module.path}:{number}"
        for module in modules() + modules(folder=TESTS)
        if module.path != "tests/meta/test_budgets.py"
        for number, _ in excuses(module)
        if number < 2 or not re.match(r"\s*#\s*\w", module.lines[number - 2])
    ]
    assert silent == []


def test_the_lines_that_switch_a_checker_off_only_get_fewer() -> None:
    assert sum(len(excuses(module)) for module in modules()) == EXCUSES


def test_nothing_is_left_for_later() -> None:
    found = [
        f"{module.path}:{number}: {line.strip()}"
        for module in modules() + modules(folder=TESTS)
        for number, line in enumerate(module.lines, 1)
        if LATER.search(line)
    ]
    assert found == []


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    found = [
        f"{module.path}:{node.lineno}"
        for module in modules(folder=TESTS)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and re.fullmatch(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)", ast.unparse(node))
    ]
    assert found == []


def test_names_say_what_a_thing_is() -> None:
    files = [module.path for module in modules() if module.path.rpartition("/")[2][:-3].strip("_") in BAD_MODULES]
    classes = [
        f"{module.path}::{node.name}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and BAD_ENDINGS.search(node.name)
    ]
    assert files + classes == []


def test_every_package_of_the_source_is_typed_and_importable() -> None:
    assert (SOURCES / "py.typed").is_file()
    folders = {(ROOT / module.path).parent for module in modules()}
    assert sorted(str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()) == []
