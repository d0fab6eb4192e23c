"""The project's own files, read as text and as syntax trees, for the tests about the code itself."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "eyeline"
TESTS = ROOT / "tests"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: its path from the project's root, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@cache
def modules(*, folder: Path = SOURCES) -> tuple[Module, ...]:
    """Every Python file under a folder, in a stable order."""
    found: list[Module] = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(ROOT).as_posix(), text, ast.parse(text)))
    return tuple(found)


def functions(module: Module) -> Iterator[tuple[str, Function, str | None]]:
    """Every function of a module with its dotted name and, for a method, the name of its class."""

    def walk(node: ast.AST, prefix: str, owner: str | None) -> Iterator[tuple[str, Function, str | None]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield from walk(child, f"{prefix}{child.name}.", child.name)
            elif isinstance(child, Function):
                yield f"{prefix}{child.name}", child, owner
                yield from walk(child, f"{prefix}{child.name}.", None)
            else:
                yield from walk(child, prefix, owner)

    return walk(module.tree, "", None)


def committed_files() -> list[Path]:
    """What git tracks; in an unpacked archive, every file that is not made by a tool."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
        return [ROOT / name for name in names if (ROOT / name).is_file()]
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not re.search(r"/(\.venvs?|\.git|__pycache__|[^/]*cache)/", path.as_posix())
    ]


def table_rows(text: str) -> Iterator[list[str]]:
    """The cells of every row of every Markdown table in a text, heads and rules included."""
    for line in text.splitlines():
        if line.startswith("|") and line.endswith("|"):
            yield [cell.strip() for cell in line[1:-1].split("|")]
