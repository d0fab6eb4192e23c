"""Importing Eyeline is light: heavy libraries load when their work is first asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "PIL", "alembic", "anyio", "av", "click", "httpx2", "jinja2", "mcp", "numpy", "pi_heif", "pydantic", "pypdfium2",
    "pyvips", "rich", "selectolax", "sqlalchemy", "sqlite3", "ssl", "starlette", "tesserocr", "uvicorn",
}  # fmt: skip


def _loaded_after(statement: str) -> set[str]:
    """The top-level names of all modules a fresh interpreter holds after one statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(answer.stdout))


@pytest.mark.parametrize("module", ["eyeline", "eyeline.errors", "eyeline.model"])
def test_importing_loads_no_heavy_library(module: str) -> None:
    assert _loaded_after(f"import {module}") & HEAVY == set()


def test_every_value_module_loads_no_heavy_library() -> None:
    everything = "import eyeline.model, importlib, pkgutil\n" + (
        "[importlib.import_module(m.name) for m in pkgutil.iter_modules(eyeline.model.__path__, 'eyeline.model.')]"
    )
    assert _loaded_after(everything) & HEAVY == set()
