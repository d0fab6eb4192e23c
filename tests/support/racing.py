"""Two verbs in two processes on one home: one is frozen in the middle while the other runs.

As a program, for a process of its own, because it forks: `python -m tests.support.racing FIRST SECOND FOLDER N,N,…`
prepares a home, and for each N freezes FIRST before its N-th change of the disk, runs SECOND until it ends or waits for
FIRST, lets FIRST go on, checks, and writes one line of JSON. N = 0 runs one after the other; 0/N is that, and then N
moments spread over those that there are.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.killed import ONE_WORKER, fill, forked, snapshot, spread

from eyeline import Eyeline
from eyeline.errors import DocumentNotFound
from eyeline.model.ids import document_id
from eyeline.testing.killing import freeze, interrupt

NAME = "manual.pdf"
HEAD_START_S = 1.0
"""How long the second verb may take before it is taken to be waiting for the first one."""


def _ingest(eye: Eyeline, inbox: Path) -> None:
    report = eye.ingest(inbox / NAME)
    assert {item.code for item in report.items} <= {"admitted", "forgotten"}, report


def _forget(eye: Eyeline, inbox: Path) -> None:
    del inbox
    try:
        eye.forget(document_id("default", "path", NAME))
    except DocumentNotFound:
        return


def _convert(eye: Eyeline, inbox: Path) -> None:
    del inbox
    report = eye.convert(again=True)
    assert {item.code for item in report.items} <= {"unchanged", "converted", "conversion_running", "forgotten"}, report


VERBS: dict[str, Callable[[Eyeline, Path], None]] = {"ingest": _ingest, "forget": _forget, "convert": _convert}


def main() -> None:
    """See above."""
    first, second, folder = VERBS[sys.argv[1]], VERBS[sys.argv[2]], Path(sys.argv[3])
    inbox, base = fill(folder / "inbox"), folder / "base"

    def prepare() -> None:
        with Eyeline(base, settings=ONE_WORKER) as eye:
            eye.ingest(inbox / NAME)

    assert forked(prepare, folder / "prepared") == 0

    def one(number: int) -> dict[str, Any]:
        home = folder / f"home-{number}"
        subprocess.run(["cp", "-a", str(base), str(home)], check=True)
        outcome = _race(first, second, home=home, inbox=inbox, number=number)
        sys.stdout.write(json.dumps({"at": number, **outcome}) + "\n")
        sys.stdout.flush()
        subprocess.run(["rm", "-r", str(home)], check=True)
        return outcome

    whole, _, samples = sys.argv[4].partition("/")
    for number in spread(one(int(whole))["count"], int(samples)) if samples else map(int, sys.argv[4].split(",")):
        one(number)


def _race(
    first: Callable[[Eyeline, Path], None],
    second: Callable[[Eyeline, Path], None],
    *,
    home: Path,
    inbox: Path,
    number: int,
) -> dict[str, Any]:
    frozen, told = os.pipe()
    counts = home.with_suffix(".count")

    def halting() -> None:

        def tell_and_freeze() -> None:
            os.write(told, b".")
            freeze()

        calls = interrupt(number, tell_and_freeze)
        with Eyeline(home, settings=ONE_WORKER) as eye:
            first(eye, inbox)
        counts.write_text(str(calls.count))

    def running() -> None:
        with Eyeline(home, settings=ONE_WORKER) as eye:
            second(eye, inbox)

    forking = multiprocessing.get_context("fork")
    halted, other = forking.Process(target=halting), forking.Process(target=running)
    halted.start()
    os.close(told)
    was_frozen = os.read(frozen, 1) == b"."
    if not was_frozen:
        halted.join()
    other.start()
    other.join(HEAD_START_S if was_frozen else None)
    assert halted.pid is not None
    if was_frozen:
        os.kill(halted.pid, signal.SIGCONT)
    for process in (halted, other):
        process.join()
    os.close(frozen)

    def look() -> dict[str, Any]:
        with Eyeline(home, settings=ONE_WORKER) as eye:
            report = eye.check(grace_ms=0)
        return {"findings": [[each.code, each.subject] for each in report.findings], "state": snapshot(home)}

    state = home.with_suffix(".state")
    assert forked(look, state) == 0
    codes = [halted.exitcode, other.exitcode]
    return {"frozen": was_frozen, "codes": codes, "count": int(counts.read_text()), **json.loads(state.read_text())}


if __name__ == "__main__":
    main()
