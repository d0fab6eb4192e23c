"""The tool runtime stands alone: a program that only runs tools loads no store, no records, no media and no surface."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.meta.tree import ROOT

RUNS_A_TOOL = """
import json, sys
from docs_src.toolkit_example import answer, refusal
assert answer.result().quarters == 3
print(json.dumps(sorted(sys.modules)))
"""

ALLOWED = ("eyeline.toolkit", "eyeline.wire", "eyeline.model", "eyeline.errors")
FOREIGN = {
    "PIL",
    "alembic",
    "click",
    "httpx2",
    "mcp",
    "pi_heif",
    "pypdfium2",
    "pyvips",
    "sqlalchemy",
    "starlette",
    "tesserocr",
}


def test_a_program_that_only_runs_tools_loads_nothing_else() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", RUNS_A_TOOL],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
    )
    loaded: list[str] = json.loads(answer.stdout)
    ours = [name for name in loaded if name.startswith("eyeline.")]
    assert [name for name in ours if not name.startswith(ALLOWED)] == []
    assert "eyeline.toolkit.runner" in ours
    assert {name.partition(".")[0] for name in loaded} & FOREIGN == set()


def test_importing_the_runtime_loads_no_validator_and_no_event_loop() -> None:
    code = "import json, sys, eyeline.toolkit.runner\nprint(json.dumps(sorted(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert {"pydantic", "anyio", "asyncio"} & set(json.loads(answer.stdout)) == set()
