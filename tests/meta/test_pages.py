"""Generated pages say what the program says."""

from __future__ import annotations

import subprocess
import sys

from tests.meta.tree import ROOT
from tests.support.cli import WAIT_S, environment


def test_the_generated_pages_are_what_would_be_written_now() -> None:
    command = [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, check=False, env=environment(), timeout=WAIT_S)
    assert (done.returncode, done.stderr) == (0, b"")
