"""Verbs that are killed before any change they make on the disk: run again, they end as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import in_pieces
from tests.support.killed import SCENARIOS

ROOT = Path(__file__).parents[2]
A_RUN_S = 60
SAMPLES = 3
PIECE = 20


def runs(scenario: str, folder: Path, numbers: Sequence[int | str]) -> list[dict[str, Any]]:
    """What came of a verb that was killed at each of these moments and then run again."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.support.killed", scenario, str(folder), ",".join(map(str, numbers))]
    limit = A_RUN_S * (max(len(numbers), SAMPLES) + 2)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=limit)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def undisturbed(scenario: str, folder: Path) -> dict[str, Any]:
    (run,) = runs(scenario, folder, [0])
    assert (run["status"], run["findings"]) == (0, [])
    return run


def hold(killed: list[dict[str, Any]], whole: dict[str, Any]) -> None:
    """Each was really killed, and each ended like the undisturbed run, with nothing left over."""
    for run in killed:
        assert run["status"] == -9, f"{run['at']} was not killed"
        assert run["findings"] == [], run["at"]
        # the inbox of another run has another path, which the catalogue keeps to itself
        mine, theirs = (without_places(each["state"]) for each in (run, whole))
        differing = {key: (mine.get(key), theirs.get(key)) for key in mine.keys() | theirs.keys()}
        assert {key: pair for key, pair in differing.items() if pair[0] != pair[1]} == {}, run["at"]


def without_places(state: dict[str, str]) -> dict[str, str]:
    return {
        key: value if not key.startswith("documents ") else repr([each for each in eval(value) if each[0] != "place"])
        for key, value in state.items()
    }


@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_verb_that_was_killed_and_run_again_ends_as_an_undisturbed_one(scenario: str, tmp_path: Path) -> None:
    whole, *killed = runs(scenario, tmp_path / "runs", [f"0/{SAMPLES}"])
    assert (whole["status"], whole["findings"], len(killed)) == (0, [], SAMPLES)
    assert whole["count"] > 5 * SAMPLES
    hold(killed, whole)


@pytest.mark.torture
@pytest.mark.requirement("XC-02")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_same_at_each_single_moment(scenario: str, tmp_path: Path) -> None:
    whole = undisturbed(scenario, tmp_path / "whole")
    for numbers in in_pieces(f"killed {scenario}", range(1, whole["count"] + 1), size=PIECE):
        hold(runs(scenario, tmp_path / f"killed-{numbers[0]}", numbers), whole)
