"""The route of pictures: both lanes always, the classifier only weighs what each may spend.

Of a picture with pages each page is read, within a bound; of an animation the first frame. A drawing also has words of
its own, and where it cannot be drawn only those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from eyeline.convert.budgets import DescriptionBudget
from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.drawing import add_words
from eyeline.convert.lanes import DESCRIPTION, OCR, Description, LaneOutcome, OcrReading, run_description, run_ocr
from eyeline.convert.ocr_text import pieces_of_reading
from eyeline.convert.previews import contact_sheet, picture_of, preview
from eyeline.convert.resuming import read_once
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import Component, Coverage, DerivationKind, Gap

EVEN = {OCR: 0.5, DESCRIPTION: 0.5}
DESCRIBED_BYTES = 3_500_000
VISIBLE_TEXT = "Visible text (OCR)"
PAGED = (MediaType("image/tiff"),)
WHOLE = Locator()


@dataclass(frozen=True, slots=True)
class ImageConverter:
    """Pictures: visible text, visual description, a preview; a contact sheet of several frames or pages."""

    route: str = "image/2"

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The picture engine and whatever the two lanes consist of."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        lanes = [lane for lane in (bench.ocr, bench.describer) if lane is not None]
        bounds = (Component("max_ocr_pages", str(bench.max_ocr_pages)),) if content.media_type in PAGED else ()
        return (
            *(Component(name, version) for name, version in versions.items()),
            *(component for lane in lanes for component in lane.components),
            *bounds,
        )

    def read(self, original: Original, bench: Bench) -> Reading:
        """Run both lanes; what one lacks is its gap, and the other's result stands."""
        reading = Reading()
        probe = original.probe
        if probe.is_drawing:
            add_words(original, bench, reading=reading)
        if probe.size is None:
            _undrawn(reading)
            return reading
        kind = "pages" if probe.frames_are_pages else "frames"
        reading.facts = {"width_px": probe.size.width_px, "height_px": probe.size.height_px, kind: probe.frames}
        reading.emphasis = _weigh(original, bench, reading)
        _visible_text(original, bench, reading)
        _visual_description(original, bench, reading)
        if probe.frames > 1 and not probe.frames_are_pages:
            reading.coverage.append(Coverage("frames", "frames", 1, probe.frames))
        pictures = [preview(original, WHOLE, bench=bench)]
        pictures += [contact_sheet(original, bench=bench)] if probe.frames > 1 else []
        reading.assets += [picture for picture in pictures if picture is not None]
        return reading


def _undrawn(reading: Reading) -> None:
    """Both lanes of a drawing that cannot be drawn: gaps, and said so."""
    for title, lane in ((VISIBLE_TEXT, OCR), ("Visual description", DESCRIPTION)):
        reading.builder.heading(title)
        reason = "The drawing cannot be drawn, so nothing is to be seen."
        outcome: LaneOutcome[Description] = LaneOutcome(lane, code="failed", reason=reason)
        _state(outcome, reading)


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
    """The text that is to be seen: of the picture, or of one page after the other."""
    reading.builder.heading(VISIBLE_TEXT)
    if not original.probe.frames_are_pages or original.probe.frames == 1:
        outcome = _ocr(original, bench, reading, page=None)
        if outcome.value is not None:
            reading.builder.quote(VISIBLE_TEXT, DerivationKind.OCR, pieces=pieces_of_reading(outcome.value))
        _state(outcome, reading)
        return
    total, read = original.probe.frames, 0
    for page in range(1, min(total, bench.max_ocr_pages) + 1):
        bench.cancel.raise_if_cancelled()
        bench.progress(page - 1, total, "reading pages")
        outcome = read_once(bench.scratch, f"ocr-{page:06d}", partial(_ocr, original, bench, reading, page=page))
        read += outcome.value is not None
        _page(reading, page, outcome)
    if total > bench.max_ocr_pages:
        where = Locator(page=bench.max_ocr_pages + 1)
        reading.gaps.append(Gap(OCR, "over_budget", where))
        reading.builder.note(f"Gap `over_budget`: pages from {where.page} on are not read.")
    reading.coverage.append(Coverage(OCR, "pages", read, total))


def _page(reading: Reading, page: int, outcome: LaneOutcome[OcrReading]) -> None:
    title, where = f"Page {page}", Locator(page=page)
    reading.builder.heading(title, level=3)
    if outcome.value is not None:
        reading.builder.quote(title, DerivationKind.OCR, pieces=pieces_of_reading(outcome.value, page=page))
    gap = outcome.gap(where)
    if gap is not None:
        reading.gaps.append(gap)
        reading.builder.note(f"Gap `{gap.code}`: {outcome.reason}")


def _ocr(original: Original, bench: Bench, reading: Reading, *, page: int | None) -> LaneOutcome[OcrReading]:
    emphasis = EVEN if reading.emphasis is None else reading.emphasis
    with original.source.open() as source:
        return run_ocr(
            bench.ocr,
            source,
            media_type=original.content.media_type,
            frame=page,
            emphasis=emphasis[OCR],
            cancel=bench.cancel,
        )


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
