"""The routes of HTML, XML and notebooks: what they say as readable text, and the pictures that stand inside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.text import MAX_CHARS, TextConverter
from eyeline.errors import EngineFailed, EyelineError, MediaError
from eyeline.media.bounded.job import JobResult
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Chars, Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import HIDDEN_TEXT, Component, Coverage, DerivationKind, Gap

TEXT, STRUCTURE, PICTURES = "text", "structure", "pictures"
WHOLE = Locator()

_COUNTED = {
    "invisible": "invisible_characters",
    "outside": "not_fetched",
    "references": "entities_not_expanded",
    "cut": "shown_in_part",
    "pictures_left_out": "pictures_left_out",
}
"""Counts of a reading, and the warnings that tell them."""

Row = tuple[int, str, Locator]
"""Number of the section, text, and which part of the original it reads."""


@dataclass(frozen=True, slots=True)
class MarkupConverter:
    """Readable text in blocks with character locators, embedded pictures as assets; one section for each cell.

    What cannot be read as its type is given as its characters, with a gap that says so.
    """

    route: str
    info: str

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The markup engine and the bound on characters."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        bound = Component("max_chars", str(MAX_CHARS))
        return (*(Component(name, version) for name, version in versions.items()), bound)

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read up to the bound; what lies beyond it, or behind an error of the source, is a gap with its range."""
        try:
            result = _blocks(original, bench)
        except (MediaError, EngineFailed) as exc:
            return _characters(original, bench, exc)
        rows = list(_rows(result))
        if not rows and not result.value["is_well_formed"]:
            return _characters(original, bench, None)
        reading = Reading()
        probe = original.probe
        total = probe.chars or 0
        reading.facts = {"chars": total, "lines": probe.lines or 0, "encoding": probe.encoding or ""}
        cells: list[str] = result.value["cells"]
        if result.value["total_cells"]:
            reading.facts["cells"] = result.value["total_cells"]
        _sections(reading, rows, cells=cells, info=self.info)
        _account(reading, result.value, total=total, has_text=bool(rows))
        _pictures(reading, result)
        return reading


def _blocks(original: Original, bench: Bench) -> JobResult:
    params: dict[str, Any] = {"media_type": str(original.content.media_type), "max_chars": MAX_CHARS}
    if original.probe.encoding is not None:
        params["encoding"] = original.probe.encoding
    with original.source.open() as source:
        return bench.pool.run(
            "eyeline.media.markup:read_blocks",
            params,
            source=source,
            limits=job_limits(bench.limits),
            cancel=bench.cancel,
        )


def _characters(original: Original, bench: Bench, failure: EyelineError | None) -> Reading:
    """The source as it is written, where its structure cannot be read."""
    reading = TextConverter().read(original, bench)
    reading.gaps.append(Gap(STRUCTURE, "failed", WHOLE, retryable=failure is not None and failure.retryable))
    reading.builder.note("Gap `failed`: the structure cannot be read, so the text stands as it is written.")
    return reading


def _rows(result: JobResult) -> Iterator[Row]:
    text, start = result.outputs[0].decode("utf-8"), 0
    for section, _, end, first, last in json.loads(result.outputs[1]):
        yield section, text[start:end], _where(first, last)
        start = end


def _where(first: int, last: int) -> Locator:
    return Locator(chars=Chars(first, last)) if 0 <= first < last else WHOLE


def _sections(reading: Reading, rows: list[Row], *, cells: list[str], info: str) -> None:
    """One section for each number that rows have; the title is ours, for a title in the source proves nothing."""
    numbers = sorted({number for number, _, _ in rows})
    by_number: dict[int, list[Piece]] = {number: [] for number in numbers}
    for number, text, locator in rows:
        by_number[number].append(Piece(text, locator))
    for number, pieces in by_number.items():
        title = f"Cell {number}: {cells[number - 1]}" if number else "Text"
        reading.builder.heading(title)
        reading.builder.quote(title, DerivationKind.EXTRACTION, pieces=pieces, info=info)


def _account(reading: Reading, found: dict[str, Any], *, total: int, has_text: bool) -> None:
    """Coverage, gaps and warnings, and in the document those that a reader should know of."""
    end: int = found["end"]
    reading.coverage.append(Coverage(TEXT, "characters", total if found["is_complete"] else end, total))
    if not found["is_complete"]:
        rest = Locator(chars=Chars(min(end, total), total))
        code = "over_budget" if found["is_well_formed"] else "failed"
        reading.gaps.append(Gap(TEXT, code, rest))
        reading.builder.note(f"Gap `{code}`: the reading ends here; open `{rest}` for the rest as it is written.")
    elif not has_text:
        reading.gaps.append(Gap(TEXT, "nothing_found", WHOLE))
        reading.builder.note("Gap `nothing_found`: nothing in this source is text that is shown.")
    hidden = {what: count for what, count in found["unseen"].items() if count}
    reading.warnings += [f"{HIDDEN_TEXT}:{what}:{count}" for what, count in hidden.items()]
    if hidden.keys() & {"elements", "comments"}:
        told = " and ".join(f"{hidden[what]} in {what}" for what in ("elements", "comments") if what in hidden)
        reading.builder.note(f"Warning `{HIDDEN_TEXT}`: left out are characters that a picture would not show, {told}.")
    reading.warnings += [f"{name}:{found[key]}" for key, name in _COUNTED.items() if found[key]]


def _pictures(reading: Reading, result: JobResult) -> None:
    found = result.value
    if found["pictures_found"]:
        kept = found["pictures_found"] - found["pictures_left_out"]
        reading.coverage.append(Coverage(PICTURES, "pictures", kept, found["pictures_found"]))
    for (path, media_type, first, last), data in zip(found["pictures"], result.outputs[2:], strict=True):
        where = _where(first, last)
        reading.assets.append(AssetDraft(path, data, MediaType(media_type), where))
        reading.builder.note(f"The picture `{path}` stands at `{where}`.")
