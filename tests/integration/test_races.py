"""Two processes on one home, one stopped in the middle: it ends as if one verb had followed the other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import in_pieces

ROOT = Path(__file__).parents[2]
A_RUN_S = 60
SAMPLES = 2
PIECE = 20
PAIRS = [("forget", "ingest"), ("ingest", "forget"), ("convert", "forget"), ("ingest", "ingest")]
MORE_PAIRS = [*PAIRS, ("forget", "convert"), ("convert", "convert")]


def races(first: str, second: str, *, folder: Path, numbers: Sequence[int | str]) -> list[dict[str, Any]]:
    """What came of two verbs, the first one stopped at each of these moments while the second one ran."""
    folder.mkdir()
    asked = ",".join(map(str, numbers))
    command = [sys.executable, "-m", "tests.support.racing", first, second, str(folder), asked]
    limit = A_RUN_S * (max(len(numbers), SAMPLES) + 2)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=limit)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def state(run: dict[str, Any]) -> dict[str, str]:
    """What the home says, but for the path of the inbox, which the catalogue keeps to itself."""
    assert (run["findings"], run["codes"]) == ([], [0, 0]), run["at"]
    return {key: value for key, value in run["state"].items() if not key.startswith("documents ")}


def hold(first: str, second: str, *, folder: Path) -> None:
    """Some moments: each comes to one verb after the other."""
    one, *raced = races(first, second, folder=folder / "raced", numbers=[f"0/{SAMPLES}"])
    other = one if first == second else races(second, first, folder=folder / "other", numbers=[0])[0]
    assert [run["frozen"] for run in raced] == [True] * SAMPLES
    for run in raced:
        assert state(run) in (state(one), state(other)), run["at"]


@pytest.mark.requirement("XC-02", "SA-26")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_verbs_at_once_come_to_what_one_after_the_other_does(first: str, second: str, tmp_path: Path) -> None:
    hold(first, second, folder=tmp_path)


@pytest.mark.torture
@pytest.mark.requirement("XC-02", "SA-26")
@pytest.mark.parametrize(("first", "second"), MORE_PAIRS)
def test_the_same_stopped_at_each_single_moment(first: str, second: str, tmp_path: Path) -> None:
    (one,) = races(first, second, folder=tmp_path / "one", numbers=[0])
    (other,) = races(second, first, folder=tmp_path / "other", numbers=[0])
    for piece in in_pieces(f"races {first} {second}", range(1, one["count"] + 1), size=PIECE):
        for run in races(first, second, folder=tmp_path / f"races-{piece[0]}", numbers=piece):
            assert state(run) in (state(one), state(other)), run["at"]
