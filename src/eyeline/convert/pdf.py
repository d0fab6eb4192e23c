"""The route of PDFs: the text layer page by page, OCR for pages without a usable one, outline, previews."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.lanes import OCR, LaneOutcome, OcrReading, run_ocr
from eyeline.convert.ocr_text import percent_region, pieces_of_reading
from eyeline.convert.previews import page_pictures
from eyeline.convert.resuming import read_once
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import HIDDEN_TEXT, Component, Coverage, DerivationKind, Gap

PAGES_A_JOB = 64
JSON = MediaType("application/json")
TEXT = "text"


@dataclass(frozen=True, slots=True)
class PdfConverter:
    """PDFs: one section a page, each line with its region."""

    route: str = "pdf/1"

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The PDF engine, the OCR lane and the bounds on pages."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        return (
            *(Component(name, version) for name, version in versions.items()),
            *(() if bench.ocr is None else bench.ocr.components),
            Component("max_ocr_pages", str(bench.max_ocr_pages)),
            Component("max_thumbnails", str(bench.max_thumbnails)),
        )

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read page after page; a page that cannot be read is a gap and never loses the others."""
        reading = Reading(facts={"pages": original.probe.page_count})
        pages = {page["page"]: page for page in _text_pages(original, bench)}
        needing = [number for number in sorted(pages) if pages[number].get("text_layer") in ("absent", "unusable")]
        seen, lacking = _seen(original, bench, needing[: bench.max_ocr_pages]), frozenset(needing)
        for number in range(1, original.probe.page_count + 1):
            page = pages.get(number, {"page": number, "error": "unreadable_page"})
            _page(reading, page, seen.get(number), needs_ocr=number in lacking)
        _account(reading, pages, needing, seen)
        _extras(reading, original, bench)
        return reading


def _text_pages(original: Original, bench: Bench) -> Iterator[dict[str, Any]]:
    """What the text layer holds, some pages a job; a job that fails costs its pages alone."""
    first, count = 1, original.probe.page_count
    while first <= count:
        last = min(first + PAGES_A_JOB - 1, count)
        bench.cancel.raise_if_cancelled()
        bench.progress(first - 1, count, "reading text")
        try:
            answer = _job(original, bench, "read_text", {"first": first, "last": last})
        except (MediaError, EngineFailed):
            yield from ({"page": number, "error": "unreadable_page"} for number in range(first, last + 1))
            first = last + 1
            continue
        yield from answer["pages"]
        first = answer["next"] or last + 1


def _job(original: Original, bench: Bench, function: str, params: dict[str, Any]) -> dict[str, Any]:
    with original.source.open() as source:
        return bench.pool.run(
            f"eyeline.media.pdf:{function}",
            {"media_type": str(original.content.media_type), **params},
            source=source,
            limits=job_limits(bench.limits),
            cancel=bench.cancel,
        ).value


def _seen(original: Original, bench: Bench, numbers: list[int]) -> dict[int, LaneOutcome[OcrReading]]:
    """What OCR reads on these pages, or read on them before this conversion was killed."""

    def one(number: int) -> LaneOutcome[OcrReading]:
        return read_once(bench.scratch, f"ocr-{number:06d}", lambda: asked(number))

    def asked(number: int) -> LaneOutcome[OcrReading]:
        with original.source.open() as source:
            media_type = original.content.media_type
            return run_ocr(bench.ocr, source, media_type=media_type, page=number, cancel=bench.cancel)

    outcomes: dict[int, LaneOutcome[OcrReading]] = {}
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="eyeline-ocr") as pool:
        for done, outcome in enumerate(pool.map(one, numbers)):
            outcomes[numbers[done]] = outcome
            bench.progress(done + 1, len(numbers), "reading scanned pages")
    return outcomes


def _page(reading: Reading, page: dict[str, Any], seen: LaneOutcome[OcrReading] | None, *, needs_ocr: bool) -> None:
    number: int = page["page"]
    where = Locator(page=number)
    title = f"Page {number}"
    reading.builder.heading(title)
    if "error" in page:
        reading.gaps.append(Gap(TEXT, "unreadable_page", where))
        reading.builder.note(f"Gap `unreadable_page`: page {number} cannot be read.")
        return
    _warn(reading, page, where)
    if seen is not None and seen.value is not None:
        pieces = pieces_of_reading(seen.value, page=number)
        reading.builder.quote(title, DerivationKind.OCR, pieces=pieces)
    elif page["text"].strip():
        reading.builder.quote(title, DerivationKind.EXTRACTION, pieces=_pieces(page))
    if needs_ocr:
        unread: LaneOutcome[OcrReading] = LaneOutcome(
            OCR, code="over_budget", reason="More pages need OCR than are read."
        )
        outcome = seen or unread
        gap = outcome.gap(where)
        if gap is not None:
            reading.gaps.append(gap)
            reading.builder.note(f"Gap `{gap.code}`: {outcome.reason}")


def _pieces(page: dict[str, Any]) -> Iterator[Piece]:
    """The page's text line by line, each with its region in percent of the upright page."""
    text, position = page["text"], 0
    for line in page["lines"]:
        region = percent_region(tuple(line["box"]), width=page["width_pt"], height=page["height_pt"])
        end = min(line["end"] + 1, len(text))
        yield Piece(text[position:end], Locator(page=page["page"], region=region))
        position = end
    if position < len(text):
        yield Piece(text[position:], Locator(page=page["page"]))


def _warn(reading: Reading, page: dict[str, Any], where: Locator) -> None:
    if page.get("hidden_chars"):
        reading.warnings.append(f"{HIDDEN_TEXT}:{where}:{page['hidden_chars']}")
        count = page["hidden_chars"]
        reading.builder.note(f"Warning `{HIDDEN_TEXT}`: the page's picture does not show {count} of these characters.")
    if page.get("chars_left_out"):
        reading.warnings.append(f"text_left_out:{where}:{page['chars_left_out']}")


def _account(
    reading: Reading,
    pages: dict[int, dict[str, Any]],
    needing: list[int],
    seen: dict[int, LaneOutcome[OcrReading]],
) -> None:
    total = int(reading.facts["pages"])
    unread = sum("error" in page for page in pages.values())
    reading.coverage.append(Coverage(TEXT, "pages", total - unread - len(needing), total))
    if needing:
        read = sum(outcome.value is not None for outcome in seen.values())
        reading.coverage.append(Coverage(OCR, "pages", read, len(needing)))


def _extras(reading: Reading, original: Original, bench: Bench) -> None:
    """Outline and links as JSON, a preview of the first page, thumbnails within the bound."""
    try:
        found = _job(original, bench, "read_outline", {})
    except (MediaError, EngineFailed):
        found = {}
        reading.warnings.append("no_outline")
    for name, entries in (("outline", found.get("outline")), ("links", found.get("links"))):
        if entries:
            data = json.dumps(entries, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")
            reading.assets.append(AssetDraft(f"assets/{name}.json", data, JSON, Locator()))
    pages = original.probe.page_count
    thumbnails = min(pages, bench.max_thumbnails) if pages > 1 else 0
    reading.assets += page_pictures(original, bench=bench, thumbnails=thumbnails)
