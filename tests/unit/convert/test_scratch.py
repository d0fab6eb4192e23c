"""Scratch is kept for one conversion of one original, is whole or absent, and goes when nobody wants it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.homes import files_below

from eyeline.convert.lanes import OCR, LaneOutcome, OcrLine, OcrReading
from eyeline.convert.resuming import read_once
from eyeline.convert.scratch import Scratch, ScratchFolder
from eyeline.model.digest import Digest

CONTENT, KEY, OTHER = Digest.of(b"content"), Digest.of(b"key"), Digest.of(b"other")
READING = OcrReading((OcrLine("ein Wort „ß“", (0.1, 2.0, 3.3, 4.25), 88.123, 0, 1),), 90, 612.0, 792.5, ("eng", "deu"))


@pytest.fixture
def folder(tmp_path: Path) -> ScratchFolder:
    return ScratchFolder(tmp_path, keeps=lambda content: content != OTHER)


def test_a_piece_comes_back_to_the_conversion_that_made_it_and_to_no_other(folder: ScratchFolder) -> None:
    scratch = folder.of(CONTENT, key=KEY)
    assert scratch.recall("page") is None
    scratch.keep("page", b"words")
    assert folder.of(CONTENT, key=KEY).recall("page") == b"words"
    assert folder.of(CONTENT, key=OTHER).recall("page") is None
    assert list(folder.contents()) == [CONTENT]
    folder.drop(CONTENT, key=KEY)
    assert (scratch.recall("page"), list(folder.contents())) == (None, [])


@pytest.mark.parametrize("cut", [0, 1, 40, 64, 65, 69])
def test_a_piece_that_is_not_whole_is_absent(tmp_path: Path, folder: ScratchFolder, cut: int) -> None:
    scratch = folder.of(CONTENT, key=KEY)
    scratch.keep("page", b"words")
    (path,) = files_below(tmp_path)
    path.write_bytes(path.read_bytes()[:cut])
    assert scratch.recall("page") is None


def test_what_is_written_after_an_original_was_forgotten_does_not_stay(tmp_path: Path, folder: ScratchFolder) -> None:
    folder.of(OTHER, key=KEY).keep("page", b"words")
    assert list(files_below(tmp_path)) == []


def test_a_place_that_cannot_be_written_loses_the_piece_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "v1").write_text("in the way")
    scratch = ScratchFolder(tmp_path, keeps=lambda content: True).of(CONTENT, key=KEY)
    scratch.keep("page", b"words")
    assert scratch.recall("page") is None


def asked_twice(scratch: Scratch | None, outcome: LaneOutcome[OcrReading]) -> tuple[list[LaneOutcome[OcrReading]], int]:
    """What comes of asking for the same page twice, and how often the lane ran for it."""
    ran: list[int] = []

    def ask() -> LaneOutcome[OcrReading]:
        ran.append(1)
        return outcome

    return [read_once(scratch, "page", ask) for _ in range(2)], len(ran)


OUTCOMES: list[tuple[LaneOutcome[OcrReading], int]] = [
    (LaneOutcome(OCR, READING), 1),
    (LaneOutcome(OCR, code="nothing_found", reason="No text was found."), 1),
    (LaneOutcome(OCR, READING, code="over_budget", reason="The budget ended."), 1),
    (LaneOutcome(OCR, code="failed", reason="The engine failed: timeout.", retryable=True), 2),
]


@pytest.mark.parametrize(("outcome", "times"), OUTCOMES)
def test_what_a_lane_came_to_is_asked_for_once_unless_it_may_come_out_better(
    folder: ScratchFolder, outcome: LaneOutcome[OcrReading], times: int
) -> None:
    assert asked_twice(folder.of(CONTENT, key=KEY), outcome) == ([outcome, outcome], times)
    assert asked_twice(None, outcome) == ([outcome, outcome], 2)


def test_a_piece_of_another_form_is_asked_for_again(folder: ScratchFolder) -> None:
    scratch = folder.of(CONTENT, key=KEY)
    scratch.keep("page", b'{"words": 3}')
    assert asked_twice(scratch, LaneOutcome(OCR, READING)) == ([LaneOutcome(OCR, READING)] * 2, 1)
