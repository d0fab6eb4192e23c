"""The route of texts: characters as they stand, with line locators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.media.engines import engine_for
from eyeline.media.job_limits import job_limits
from eyeline.model.document import BlobRef
from eyeline.model.locator import Chars, Lines, Locator
from eyeline.model.reading import Component, Coverage, DerivationKind, Gap

PIECE_CHARS = 600
LONG_PIECE_CHARS = 2400
MAX_CHARS = 4_000_000
_FENCE_INFO = {"text/plain": "text", "text/markdown": "markdown", "application/x-ndjson": "json"}


@dataclass(frozen=True, slots=True)
class TextConverter:
    """Texts, code, CSV, JSON: `document.md` holds the decoded characters, fenced."""

    route: str = "text/1"

    def components(self, content: BlobRef, bench: Bench) -> tuple[Component, ...]:
        """The text engine and the bound on characters."""
        engine = engine_for(content.media_type)
        versions = {} if engine is None else engine.versions()
        bound = Component("max_chars", str(MAX_CHARS))
        return (*(Component(name, version) for name, version in versions.items()), bound)

    def read(self, original: Original, bench: Bench) -> Reading:
        """Decode up to the bound; what lies beyond is a gap with its character range."""
        reading = Reading()
        with original.source.open() as source:
            result = bench.pool.run(
                "eyeline.media.text:read_text",
                {"media_type": str(original.content.media_type), "max_chars": MAX_CHARS},
                source=source,
                limits=job_limits(bench.limits),
                cancel=bench.cancel,
            )
        text = result.outputs[0].decode("utf-8")
        total = original.probe.chars or len(text)
        reading.facts = {"chars": total, "lines": original.probe.lines or 0, "encoding": original.probe.encoding or ""}
        reading.builder.heading("Text")
        info = _FENCE_INFO.get(original.content.media_type.name, original.content.media_type.extension)
        reading.builder.quote("Text", DerivationKind.PASSTHROUGH, pieces=pieces_of(text), info=info)
        reading.coverage.append(Coverage("text", "characters", len(text), total))
        if len(text) < total:
            rest = Locator(chars=Chars(len(text), total))
            reading.gaps.append(Gap("text", "over_budget", rest))
            reading.builder.note(f"The text goes on: open `{rest}` for the rest.")
        elif not text.strip():
            reading.gaps.append(Gap("text", "nothing_found", Locator()))
        return reading


def pieces_of(text: str) -> Iterator[Piece]:
    """Runs of whole lines with their line range, and of an over-long line by character range. Only `\n` ends a line."""
    first, start = 1, 0
    while start < len(text):
        end = text.find("\n", min(start + PIECE_CHARS, len(text)) - 1) + 1 or len(text)
        last = first + text.count("\n", start, end - 1)
        if end - start <= LONG_PIECE_CHARS:
            yield Piece(text[start:end], Locator(lines=Lines(first, last)))
        else:
            for cut in range(start, end, PIECE_CHARS):
                stop = min(cut + PIECE_CHARS, end)
                yield Piece(text[cut:stop], Locator(chars=Chars(cut, stop)))
        first, start = last + 1, end
