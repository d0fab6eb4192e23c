"""Scripts that run in a process of their own: to be killed, to be met half-way, or to have no privileges."""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WAIT_S = 60

_DROP = """
import json, os, sys
from pathlib import Path
from typing import Any
from eyeline.source import *
from eyeline.store import *
from eyeline.testing.store_contract import code_of
home = Path(sys.argv[1])
if os.geteuid() == 0:
    os.chown(home, 65534, 65534)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
os.umask(0o022)
"""


def printed_by(script: str, *arguments: str) -> list[str]:
    """The words that a script prints in a process of its own."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, check=False, timeout=WAIT_S)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()


@contextmanager
def running(script: str, *arguments: str) -> Generator[subprocess.Popen[bytes]]:
    """A Python script with pipes to its input and output; killed at the end if it still runs."""
    command = [sys.executable, "-c", script, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            yield process
        finally:
            process.kill()


def line_from(process: subprocess.Popen[bytes]) -> str:
    """The next line a script writes."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], WAIT_S)
    assert ready, "the script wrote nothing"
    return process.stdout.readline().decode().strip()


def say(process: subprocess.Popen[bytes], text: str) -> None:
    """Write one line to a script."""
    assert process.stdin is not None
    process.stdin.write(text.encode() + b"\n")


def as_ordinary_user(script: str) -> Any:
    """What a script prints as JSON when it runs without root's powers; `home` is its own empty folder."""
    home = Path(tempfile.mkdtemp(prefix="eyeline-test-"))
    try:
        command = [sys.executable, "-c", _DROP + script, str(home)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=WAIT_S)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)
    finally:
        shutil.rmtree(home)


def until(holds: Callable[[], bool]) -> None:
    """Look again and again until something holds; fails where it does not within a minute."""
    tick = threading.Event()
    for _ in range(WAIT_S * 100):
        if holds():
            return
        tick.wait(0.01)
    raise AssertionError("it did not come to hold")
