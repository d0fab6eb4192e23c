"""A peer that is no dependency: installed by the ordinary client into an environment of its own, below `.bench/`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.measuring import left_out

PEERS = Path(__file__).resolve().parent.parent / ".bench"


def peer_python(name: str, *, requirements: tuple[str, ...]) -> Path | None:
    """The interpreter of an environment with these packages; none, and a sentence, where they are not to be had."""
    folder = PEERS / f"{name}-py{sys.version_info.major}{sys.version_info.minor}"
    python, stamp = folder / "bin" / "python", folder / "requirements"
    wanted = "\n".join(requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    venv.create(folder, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        left_out(f"{name} could not be installed (is the package index reachable?): nothing is compared with it.")
        return None
    stamp.write_text(wanted)
    return python


def peer_node(name: str, *, packages: tuple[str, ...]) -> Path | None:
    """The `node_modules` that holds these packages; none, and a sentence, where they are not to be had."""
    folder = PEERS / f"{name}-npm"
    stamp, wanted = folder / "requirements", "\n".join(packages)
    if stamp.exists() and stamp.read_text() == wanted:
        return folder / "node_modules"
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder), *packages]
    if shutil.which("npm") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        left_out(f"{name} could not be installed with npm (is it there, and its registry?): it is left out.")
        return None
    stamp.write_text(wanted)
    return folder / "node_modules"
