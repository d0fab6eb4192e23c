"""The routes of sources whose bytes are no text and that say something: mails, books, and cards of what is only kept.

Their engines all answer as `media.readable` tells. A place counts characters of the readable text, over all sections,
which is what `char` means in a locator of such a source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eyeline.convert.converting import AssetDraft, Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.convert.text import MAX_CHARS
from eyeline.media.bounded.job import JobResult
from eyeline.media.engines import Engine, engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Chars, Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import HIDDEN_TEXT, Component, Coverage, DerivationKind, Gap

TEXT, PICTURES = "text", "pictures"
WHOLE = Locator()
OUTLINE = "assets/outline.json"
JSON = MediaType("application/json")

_TOLD = {
    "enclosure_cut_short": "what is enclosed is cut short",
    "encrypted": "the text is encrypted, and no key is ever asked for",
    "tnef_not_read": "a `winmail.dat` is enclosed, which is not read",
    "rtf_not_read": "its text is RTF that cannot be read",
    "enclosure_missing": "something is enclosed whose bytes are not there",
    "properties_cut_short": "a part of the message is damaged",
    "nothing_found": "there is no text in it",
    "chapter_missing": "a chapter is not there, damaged or locked",
    "listing_not_read": "the members of this kind of archive are not listed here",
    "listing_cut": "the archive has more members than are listed",
    "listing_damaged": "the list of its members is damaged",
    "over_budget": "the reading ends before the source does",
    "missing_boundary": "the end of the last part is missing",
}
"""Gaps and warnings that a reader of the document should know of, in a sentence of ours."""


@dataclass(frozen=True, slots=True)
class ReadableConverter:
    """Readable text in sections with character locators, the pictures that stand in it as assets, and its outline."""

    route: str
    engine: Engine | None = None
    """Which engine reads it; without one, that of its media type."""

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The engine and the bound on characters."""
        versions = self._engine(content).versions()
        bound = Component("max_chars", str(MAX_CHARS))
        return (*(Component(name, version) for name, version in versions.items()), bound)

    def read(self, original: Original, bench: Bench) -> Reading:
        """Read up to the bound; what could not be read is a gap, and what was odd a warning."""
        result = _read(original, bench, engine=self._engine(original.content))
        found = result.value
        reading = Reading()
        reading.facts = {"chars": found["chars"], **found.get("facts", {})}
        _sections(reading, result)
        _account(reading, found)
        _assets(reading, result)
        return reading

    def _engine(self, content: BlobRef) -> Engine:
        engine = self.engine or engine_for(content.media_type)
        assert engine is not None, "what has no engine of its own is given one"
        return engine


def _read(original: Original, bench: Bench, *, engine: Engine) -> JobResult:
    content = original.content
    params = {"media_type": str(content.media_type), "max_chars": MAX_CHARS, "digest": str(content.digest)}
    with original.source.open() as source:
        return bench.pool.run(
            engine.job("read_readable"),
            params,
            source=source,
            limits=job_limits(bench.limits),
            cancel=bench.cancel,
        )


def _rows(result: JobResult) -> Iterator[tuple[int, Piece]]:
    """Number of the section, and the piece with its place in the readable text."""
    text, start = result.outputs[0].decode("utf-8"), 0
    for section, _, end, _, _ in json.loads(result.outputs[1]):
        yield section, Piece(text[start:end], Locator(chars=Chars(start, end)))
        start = end


def _sections(reading: Reading, result: JobResult) -> None:
    titles: list[tuple[str, str]] = [(title, info) for title, info in result.value["sections"]]
    by_number: dict[int, list[Piece]] = {}
    for number, piece in _rows(result):
        by_number.setdefault(number, []).append(piece)
    for number, pieces in sorted(by_number.items()):
        title, info = titles[number - 1]
        reading.builder.heading(title)
        reading.builder.quote(title, DerivationKind.EXTRACTION, pieces=pieces, info=info)


def _account(reading: Reading, found: dict[str, Any]) -> None:
    is_whole: bool = found["is_complete"]
    codes: list[str] = [*found["gaps"], *(() if is_whole else ("over_budget",))]
    read = found["chars"]
    reading.coverage.append(Coverage(TEXT, "characters", read, read if is_whole else read + 1))
    for code in dict.fromkeys(codes):
        reading.gaps.append(Gap(TEXT, code, WHOLE))
        reading.builder.note(f"Gap `{code}`: {_TOLD.get(code, 'a part of it is not read')}.")
    warnings: dict[str, int] = found["warnings"]
    reading.warnings += [f"{name}:{count}" for name, count in warnings.items()]
    hidden = [name for name in warnings if name.startswith(HIDDEN_TEXT)]
    if hidden:
        count = sum(warnings[name] for name in hidden)
        reading.builder.note(f"Warning `{HIDDEN_TEXT}`: left out are {count} characters that a picture would not show.")
    for name in sorted(warnings.keys() & _TOLD.keys()):
        reading.builder.note(f"Warning `{name}`: {_TOLD[name]}.")


def _assets(reading: Reading, result: JobResult) -> None:
    found = result.value
    if found["pictures_found"]:
        kept = found["pictures_found"] - found["pictures_left_out"]
        reading.coverage.append(Coverage(PICTURES, "pictures", kept, found["pictures_found"]))
    for (path, media_type, first, last), data in zip(found["pictures"], result.outputs[2:], strict=True):
        where = Locator(chars=Chars(first, last))
        reading.assets.append(AssetDraft(path, data, MediaType(media_type), where))
        reading.builder.note(f"The picture `{path}` stands at `{where}`.")
    if found["pictures_left_out"]:
        reading.warnings.append(f"pictures_left_out:{found['pictures_left_out']}")
    if found.get("outline"):
        outline = json.dumps(found["outline"], indent=1).encode("utf-8")
        reading.assets.append(AssetDraft(OUTLINE, outline, JSON, WHOLE))
