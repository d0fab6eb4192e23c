"""The words of a drawing: its title, its description and its texts, as the file holds them."""

from __future__ import annotations

from eyeline.convert.converting import Bench, Original, Reading
from eyeline.convert.document import Piece
from eyeline.errors import EngineFailed, MediaError
from eyeline.media.job_limits import job_limits
from eyeline.model.locator import Locator
from eyeline.model.reading import Coverage, DerivationKind, Gap

TEXT, TITLE = "text", "Text"
WHOLE = Locator()


def add_words(original: Original, bench: Bench, *, reading: Reading) -> None:
    """Add the section of words, one line each; what the picture does not show may be among them."""
    builder = reading.builder
    builder.heading(TITLE)
    try:
        with original.source.open() as source:
            result = bench.pool.run(
                "eyeline.media.svg:read_words",
                {"media_type": str(original.content.media_type)},
                source=source,
                limits=job_limits(bench.limits),
                cancel=bench.cancel,
            )
    except (MediaError, EngineFailed) as exc:
        reading.gaps.append(Gap(TEXT, "failed", WHOLE, retryable=exc.retryable))
        builder.note("Gap `failed`: the words of the drawing cannot be read.")
        return
    words: list[tuple[str, str]] = result.value["words"]
    reading.coverage.append(Coverage(TEXT, "drawings", 1, 1))
    if result.value["outside"]:
        reading.warnings.append(f"not_fetched:{result.value['outside']}")
    if not words:
        reading.gaps.append(Gap(TEXT, "nothing_found", WHOLE))
        builder.note("Gap `nothing_found`: No words are in the drawing.")
        return
    pieces = (Piece(f"{_LEADS[kind]}{text}\n", WHOLE) for kind, text in words)
    builder.quote(TITLE, DerivationKind.EXTRACTION, pieces=pieces)


_LEADS = {"title": "title: ", "description": "description: ", "text": ""}
