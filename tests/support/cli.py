"""The command line, in a process of its own or, where only the answer counts, in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import eyeline
from eyeline.cli.main import cli

WAIT_S = 120
SOURCES = str(Path(eyeline.__path__[0]).parent)
COMMAND = [sys.executable, "-m", "eyeline"]


@dataclass(frozen=True, slots=True)
class Done:
    """What a process came to."""

    code: int
    out: bytes
    err: str

    @property
    def answer(self) -> Any:
        """Standard output as the one JSON text it is."""
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """The environment of a process: the sources under test, and nothing that points at another home."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("EYELINE_")}
    places = [SOURCES, os.environ.get("PYTHONPATH", "")]
    return {**inherited, "PYTHONPATH": os.pathsep.join(filter(None, places)), **more}


def run(home: Path, *arguments: str, given: bytes = b"", cwd: Path | None = None, **variables: str) -> Done:
    """Run a command over a home in a process of its own."""
    done = subprocess.run(
        [*COMMAND, "--home", str(home), *arguments],
        input=given,
        capture_output=True,
        check=False,
        cwd=cwd,
        timeout=WAIT_S,
        env=environment(**variables),
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def invoke(home: Path, *arguments: str) -> Result:
    """Run a command over a home in this process."""
    return CliRunner().invoke(cli, ["--home", str(home), *arguments], prog_name="eyeline")
