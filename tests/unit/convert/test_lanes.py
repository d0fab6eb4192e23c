from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from eyeline.convert.lanes import (
    DESCRIPTION,
    OCR,
    Description,
    LaneOutcome,
    OcrLine,
    OcrReading,
    run_description,
    run_ocr,
)
from eyeline.errors import (
    Cancelled,
    CorruptMedia,
    EngineFailed,
    EyelineError,
    InvalidRequest,
    LaneFailed,
    LocatorOutOfRange,
    MissingDependency,
    StoreError,
)
from eyeline.media.bounded.job import BytesSource, Readable
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import Component, Gap
from eyeline.toolkit.cancel import CancelToken

PNG = MediaType("image/png")
NOTHING = BytesSource(b"")
LINE = OcrLine("seen", (1, 2, 3, 4), 90.0, 0, 0)
READING = OcrReading((LINE,), 0, 10, 10, ("eng",))
DESCRIPTION_OF_IT = Description("A picture.", "looker-1", "host")


@dataclass
class Reader:
    """An OCR engine that gives or raises what it was told, and remembers the emphasis."""

    outcome: OcrReading | EyelineError
    emphasis: float | None = None
    components: tuple[Component, ...] = ()

    def recognise(
        self,
        source: Readable,
        *,
        media_type: MediaType,
        page: int | None = None,
        frame: int | None = None,
        emphasis: float = 1.0,
        cancel: CancelToken | None = None,
    ) -> OcrReading:
        del source, media_type, page, frame, cancel
        self.emphasis = emphasis
        if isinstance(self.outcome, EyelineError):
            raise self.outcome
        return self.outcome


@dataclass
class Looker:
    """A describer that gives or raises what it was told."""

    outcome: Description | EyelineError
    components: tuple[Component, ...] = ()

    def describe(
        self, picture: bytes, media_type: MediaType, *, emphasis: float = 1.0, cancel: CancelToken | None = None
    ) -> Description:
        del picture, media_type, emphasis, cancel
        if isinstance(self.outcome, EyelineError):
            raise self.outcome
        return self.outcome


def ocr(outcome: OcrReading | EyelineError) -> LaneOutcome[OcrReading]:
    return run_ocr(Reader(outcome), NOTHING, media_type=PNG)


def description(outcome: Description | EyelineError) -> LaneOutcome[Description]:
    return run_description(Looker(outcome), b"", PNG)


def test_what_a_lane_read_has_no_gap() -> None:
    assert ocr(READING) == LaneOutcome(OCR, READING)
    assert description(DESCRIPTION_OF_IT) == LaneOutcome(DESCRIPTION, DESCRIPTION_OF_IT)
    assert ocr(READING).gap(Locator()) is None


@pytest.mark.requirement("SA-09")
def test_a_lane_that_is_not_configured_says_so() -> None:
    assert run_ocr(None, NOTHING, media_type=PNG).gap(Locator(page=2)) == Gap(OCR, "not_configured", Locator(page=2))
    assert run_description(None, b"", PNG).gap(Locator()) == Gap(DESCRIPTION, "not_configured", Locator())


@pytest.mark.requirement("SA-09")
def test_what_was_read_before_the_budget_ended_stands_beside_its_gap() -> None:
    part = replace(READING, complete=False)
    outcome = ocr(part)
    assert (outcome.value, outcome.code) == (part, "over_budget")
    assert ocr(replace(part, lines=())).code == "over_budget"


@pytest.mark.requirement("SA-09")
@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (MissingDependency("no model", languages=["deu"]), "language_missing", True),
        (MissingDependency("no tesseract"), "not_configured", True),
        (CorruptMedia("cut"), "failed", False),
        (CorruptMedia("cut", reason="unreadable_page"), "unreadable_page", False),
        (EngineFailed("died", reason="crashed"), "failed", False),
        (EngineFailed("died", reason="over_memory"), "failed", False),
        (EngineFailed("slow", reason="timeout"), "failed", True),
        (EngineFailed("gone", reason="unavailable"), "failed", True),
        (LaneFailed("busy", reason="busy"), "failed", True),
        (LaneFailed("no", reason="refused"), "failed", False),
        (LaneFailed("long", reason="too_long"), "failed", False),
    ],
)
def test_every_failure_of_a_lane_is_a_gap(error: EyelineError, code: str, *, retryable: bool) -> None:
    for outcome in (ocr(error), description(error)):
        assert (outcome.value, outcome.code, outcome.retryable) == (None, code, retryable)
        assert outcome.reason.endswith(".")


@pytest.mark.parametrize(
    "error", [Cancelled("no"), StoreError("gone"), LocatorOutOfRange("page 9 of 2")], ids=lambda error: error.code
)
def test_what_is_not_the_lanes_fault_is_raised(error: EyelineError) -> None:
    for run in (ocr, description):
        with pytest.raises(type(error)):
            run(error)


def test_an_emphasis_that_is_no_share_is_the_callers_mistake() -> None:
    with pytest.raises(InvalidRequest):
        run_ocr(Reader(READING), NOTHING, media_type=PNG, emphasis=2)


def test_the_emphasis_reaches_the_engine() -> None:
    engine = Reader(READING)
    run_ocr(engine, NOTHING, media_type=PNG, emphasis=0.3)
    assert engine.emphasis == 0.3


def test_paragraphs_of_a_reading_are_apart() -> None:
    lines = [replace(LINE, text=text, block=block, paragraph=paragraph) for text, block, paragraph in TEXT]
    assert replace(READING, lines=tuple(lines)).text == "one\ntwo\n\nthree\n\nfour"


TEXT = [("one", 0, 0), ("two", 0, 0), ("three", 0, 1), ("four", 1, 1)]
