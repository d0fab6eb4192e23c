"""The route of pictures: both lanes always, the classifier only weighs what each may spend."""

from __future__ import annotations

from dataclasses import dataclass

from eyeline.convert.budgets import DescriptionBudget
from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.lanes import DESCRIPTION, OCR, Description, LaneOutcome, OcrReading, run_description, run_ocr
from eyeline.convert.ocr_text import pieces_of_reading
from eyeline.convert.previews import picture_of, preview
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Locator
from eyeline.model.reading import Component, Coverage, DerivationKind

EVEN = {OCR: 0.5, DESCRIPTION: 0.5}
DESCRIBED_BYTES = 3_500_000
WHOLE = Locator()


@dataclass(frozen=True, slots=True)
class ImageConverter:
    """Pictures: visible text, visual description, a preview."""

    route: str = "image/1"

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The picture engine and whatever the two lanes consist of."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        lanes = [lane for lane in (bench.ocr, bench.describer) if lane is not None]
        return (
            *(Component(name, version) for name, version in versions.items()),
            *(component for lane in lanes for component in lane.components),
        )

    def read(self, original: Original, bench: Bench) -> Reading:
        """Run both lanes; what one lacks is its gap, and the other's result stands."""
        reading = Reading()
        size = original.probe.size
        if size is not None:
            reading.facts = {"width_px": size.width_px, "height_px": size.height_px, "frames": original.probe.frames}
        reading.emphasis = _weigh(original, bench, reading)
        _visible_text(original, bench, reading)
        _visual_description(original, bench, reading)
        if original.probe.frames > 1:
            reading.coverage.append(Coverage("frames", "frames", 1, original.probe.frames))
        picture = preview(original, WHOLE, bench=bench)
        reading.assets += [] if picture is None else [picture]
        return reading


def _weigh(original: Original, bench: Bench, reading: Reading) -> dict[str, float]:
    try:
        with original.source.open() as source:
            result = bench.pool.run(
                "eyeline.media.classify:weigh",
                {"media_type": str(original.content.media_type), "max_pixels": bench.limits.max_pixels},
                source=source,
                limits=job_limits(bench.limits),
                cancel=bench.cancel,
            )
    except (MediaError, EngineFailed):
        reading.warnings.append("not_weighed")
        return dict(EVEN)
    return {lane: float(result.value["emphasis"][lane]) for lane in EVEN}


def _visible_text(original: Original, bench: Bench, reading: Reading) -> None:
    emphasis = EVEN if reading.emphasis is None else reading.emphasis
    with original.source.open() as source:
        outcome: LaneOutcome[OcrReading] = run_ocr(
            bench.ocr,
            source,
            media_type=original.content.media_type,
            emphasis=emphasis[OCR],
            cancel=bench.cancel,
        )
    reading.builder.heading("Visible text (OCR)")
    if outcome.value is not None:
        reading.builder.quote("Visible text (OCR)", DerivationKind.OCR, pieces=pieces_of_reading(outcome.value))
    _state(outcome, reading)


def _visual_description(original: Original, bench: Bench, reading: Reading) -> None:
    emphasis = EVEN if reading.emphasis is None else reading.emphasis
    outcome = _described(original, bench, emphasis[DESCRIPTION])
    reading.builder.heading("Visual description")
    if outcome.value is not None:
        pieces = (Piece(outcome.value.text, WHOLE),)
        reading.builder.quote("Visual description", DerivationKind.DESCRIPTION, pieces=pieces)
    _state(outcome, reading)


def _described(original: Original, bench: Bench, emphasis: float) -> LaneOutcome[Description]:
    if bench.describer is None:
        return run_description(None, b"", original.content.media_type)
    edge = DescriptionBudget.of(emphasis).edge_px
    try:
        picture = picture_of(original, WHOLE, bench=bench, edge_px=edge, max_bytes=DESCRIBED_BYTES)
    except (MediaError, EngineFailed) as exc:
        return LaneOutcome(DESCRIPTION, code="failed", reason=exc.message, retryable=exc.retryable)
    return run_description(
        bench.describer, picture.bytes, picture.facts.media_type, emphasis=emphasis, cancel=bench.cancel
    )


def _state(outcome: LaneOutcome[OcrReading] | LaneOutcome[Description], reading: Reading) -> None:
    """Say in document and manifest what a lane read, and what it lacks."""
    reading.coverage.append(Coverage(outcome.lane, "pictures", 0 if outcome.value is None else 1, 1))
    gap = outcome.gap(WHOLE)
    if gap is not None:
        reading.gaps.append(gap)
        reading.builder.note(f"Gap `{gap.code}`: {outcome.reason}")
