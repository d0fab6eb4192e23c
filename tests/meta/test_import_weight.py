"""Importing Eyeline is light: heavy libraries load when their work is first asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "PIL",
    "alembic",
    "anthropic",
    "anyio",
    "av",
    "click",
    "google",
    "httpcore2",
    "httpx2",
    "idna",
    "jinja2",
    "langchain_core",
    "mcp",
    "numpy",
    "olefile",
    "openai",
    "pi_heif",
    "pydantic",
    "pydantic_ai",
    "pypdfium2",
    "pyvips",
    "rich",
    "selectolax",
    "sqlalchemy",
    "sqlite3",
    "ssl",
    "starlette",
    "tesserocr",
    "uvicorn",
}

PRINT_LOADED = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"

IMPORT_EVERY_VALUE_MODULE = """
import eyeline.model, importlib, pkgutil
for module in pkgutil.iter_modules(eyeline.model.__path__, "eyeline.model."):
    importlib.import_module(module.name)
"""


def _loaded_after(statement: str) -> set[str]:
    """The top-level names of all modules a fresh interpreter holds after one statement."""
    code = f"{statement}\n{PRINT_LOADED}"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(answer.stdout))


@pytest.mark.parametrize("module", ["eyeline", "eyeline.errors", "eyeline.model", "eyeline.source.url"])
def test_importing_loads_no_heavy_library(module: str) -> None:
    assert _loaded_after(f"import {module}") & HEAVY == set()


INTEGRATIONS = [
    *("anthropic", "gemini", "langchain", "langchain_messages", "litellm", "openai", "pydantic_ai"),
    "pydantic_ai_messages",
]
CLIENTS = {"anthropic", "google", "langchain_core", "mcp", "openai", "pydantic_ai"}


@pytest.mark.parametrize("module", INTEGRATIONS)
def test_an_integration_loads_no_client_and_no_framework_before_it_is_used(module: str) -> None:
    assert _loaded_after(f"import eyeline.integrations.{module}") & CLIENTS == set()


def test_every_value_module_loads_no_heavy_library() -> None:
    assert _loaded_after(IMPORT_EVERY_VALUE_MODULE) & HEAVY == set()
