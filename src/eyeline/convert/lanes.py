"""The lanes: OCR and visual description of a picture, transcript of sound; what they are asked and give, what may fail.

Both lanes of a picture always run. Emphasis, a number from 0 to 1, only sets how much each may spend. A lane that has
nothing to give comes back as an outcome with a gap code, and never disturbs another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from eyeline.convert.budgets import clamped
from eyeline.errors import EngineFailed, LaneFailed, MediaError, MissingDependency
from eyeline.model.reading import Gap

if TYPE_CHECKING:
    from typing import BinaryIO

    from eyeline.media.bounded.job import Readable
    from eyeline.model.locator import Locator
    from eyeline.model.media_type import MediaType
    from eyeline.model.reading import Component
    from eyeline.toolkit.cancel import CancelToken

OCR = "ocr"
DESCRIPTION = "description"
TRANSCRIPT = "transcript"
"""Names of the lanes, in gaps, coverage and emphasis."""

SOUND_RATE_HZ = 16_000
"""Samples a second of the sound that a transcriber takes: one channel, signed 16-bit little-endian."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OcrLine:
    """One line of visible text. `box` is x, y, w, h in the unit of its reading; `confidence` runs from 0 to 100.

    Lines with the same `block` and `paragraph` (counted from 0, in reading order) belong together.
    """

    text: str
    box: tuple[float, float, float, float]
    confidence: float
    block: int
    paragraph: int


@dataclass(frozen=True, slots=True)
class OcrReading:
    """Text that was seen in a picture or on a page, in reading order.

    Boxes and extent are in the upright frame of the file: pixels of a picture, points of a page. `rotation` is how
    many degrees clockwise the text itself is turned in that frame (0, 90, 180 or 270). `complete` is false when the
    budget ran out before the end.
    """

    lines: tuple[OcrLine, ...]
    rotation: int
    width: float
    height: float
    languages: tuple[str, ...]
    complete: bool = True

    @property
    def text(self) -> str:
        """The lines, with an empty one between paragraphs."""
        pieces: list[str] = []
        before: tuple[int, int] | None = None
        for line in self.lines:
            here = (line.block, line.paragraph)
            pieces += [""] if before not in (None, here) else []
            pieces.append(line.text)
            before = here
        return "\n".join(pieces)


@dataclass(frozen=True, slots=True)
class Description:
    """What a model says a picture shows: outside text, cleaned and cut, still not to be trusted.

    `model` is the one that was asked for, `host` the name of the endpoint's machine. Tokens are what the endpoint
    counted, where it says so. `complete` is false when the answer stopped at its token limit.
    """

    text: str
    model: str
    host: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    complete: bool = True


class Precision(StrEnum):
    """What the times of turns were taken from: each word, each segment, or only the span that was handed in."""

    WORD = "word"
    SEGMENT = "segment"
    SPAN = "span"


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody says in one go, in whole milliseconds on the recording's timeline, half-open.

    `speaker` is a label (`Speaker 1`, in order of first appearance) that means the same voice wherever it stands in one
    transcript; it never names a person.
    """

    start_ms: int
    end_ms: int
    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is said in a span of sound, in order of time: what a model heard, not to be trusted.

    `language` is a code such as `en`, where it is known.
    """

    turns: tuple[Turn, ...]
    precision: Precision
    language: str | None = None


class OcrEngine(Protocol):
    """Reads visible text. Obligations: the same bytes and settings give the same reading; boxes lie inside the extent;
    text holds no control characters; nothing found is a reading without lines, not an error.
    """

    @property
    def components(self) -> tuple[Component, ...]:
        """Software, models and languages that decide the reading; they enter the conversion key."""
        ...

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
        """Read a picture, one of its frames (from 1), or a page of a document (from 1).

        Raises `MissingDependency` with the missing `languages`, `MediaError` when these bytes cannot be drawn,
        `EngineFailed`, `Cancelled`.
        """
        ...


class Typesetter(Protocol):
    """Sets the pages of office documents."""

    @property
    def components(self) -> tuple[Component, ...]:
        """What decides the pages, with versions."""
        ...

    def typeset(self, source: BinaryIO, *, extension: str, cancel: CancelToken) -> bytes:
        """The pages as a PDF. Raises `EngineFailed` and `Cancelled`."""
        ...


class Describer(Protocol):
    """Says what a picture shows. Obligations: it is handed pixels and nothing else that was read from the media; it
    follows no text in the picture; its answer is cleaned text, never empty.
    """

    @property
    def components(self) -> tuple[Component, ...]:
        """Model, prompt and where it runs; they enter the conversion key."""
        ...

    def describe(
        self, picture: bytes, media_type: MediaType, *, emphasis: float = 1.0, cancel: CancelToken | None = None
    ) -> Description:
        """Describe an encoded picture: upright, sRGB, without metadata.

        Raises `Cancelled`, and `LaneFailed` with a `reason` in its detail; `refused` and `too_long` are the reasons for
        which asking again does not help.
        """
        ...


class Transcriber(Protocol):
    """Writes down what is said. Obligations: turns lie inside the span, in order of their start, none empty; their text
    is one line without control characters; their times are no finer than `precision` says; silence and noise give a
    transcript without turns, not an error and no made-up words; no call changes what another gives.
    """

    @property
    def components(self) -> tuple[Component, ...]:
        """Software, model and language that decide it, and where it is made; they enter the conversion key."""
        ...

    def transcribe(self, sound: bytes, *, start_ms: int, cancel: CancelToken | None = None) -> Transcript:
        """Write down a span of sound (mono, `SOUND_RATE_HZ`, signed 16-bit) that begins at `start_ms`.

        Raises `MissingDependency`, with the missing `languages` where that is why; `EngineFailed`; `LaneFailed` with a
        `reason` in its detail; `Cancelled`.
        """
        ...


@dataclass(frozen=True, slots=True)
class LaneOutcome(Generic[T]):
    """What a lane came to: a value, a gap code, or both when it read only a part.

    `reason` is a sentence of ours for the reader of the gap: it quotes neither media nor endpoint.
    """

    lane: str
    value: T | None = None
    code: str | None = None
    reason: str = ""
    retryable: bool = False

    def gap(self, locator: Locator) -> Gap | None:
        """The gap to state for the part that was read, if there is one."""
        return None if self.code is None else Gap(self.lane, self.code, locator, retryable=self.retryable)


def run_ocr(
    engine: OcrEngine | None,
    source: Readable,
    *,
    media_type: MediaType,
    page: int | None = None,
    frame: int | None = None,
    emphasis: float = 1.0,
    cancel: CancelToken | None = None,
) -> LaneOutcome[OcrReading]:
    """Run the OCR lane. Only `Cancelled`, the caller's mistakes and failures of the store are raised."""
    if engine is None:
        return LaneOutcome(OCR, code="not_configured", reason="No OCR engine is configured.")
    share = clamped(emphasis)
    outcome = _outcome(
        OCR,
        lambda: engine.recognise(source, media_type=media_type, page=page, frame=frame, emphasis=share, cancel=cancel),
    )
    reading = outcome.value
    if reading is None:
        return outcome
    if not reading.complete:
        return LaneOutcome(OCR, reading, code="over_budget", reason="The budget ended before the whole was read.")
    if not reading.lines:
        return LaneOutcome(OCR, code="nothing_found", reason="No text was found.")
    return outcome


def run_description(
    describer: Describer | None,
    picture: bytes,
    media_type: MediaType,
    *,
    emphasis: float = 1.0,
    cancel: CancelToken | None = None,
) -> LaneOutcome[Description]:
    """Run the description lane on a rendition. Only `Cancelled` and the caller's mistakes are raised."""
    if describer is None:
        return LaneOutcome(DESCRIPTION, code="not_configured", reason="No vision model is configured.")
    share = clamped(emphasis)
    return _outcome(DESCRIPTION, lambda: describer.describe(picture, media_type, emphasis=share, cancel=cancel))


def run_transcript(
    transcriber: Transcriber | None, sound: bytes, *, start_ms: int, cancel: CancelToken | None = None
) -> LaneOutcome[Transcript]:
    """Run the transcript lane on a span of sound. Only `Cancelled` and the caller's mistakes are raised."""
    if transcriber is None:
        return LaneOutcome(TRANSCRIPT, code="not_configured", reason="No transcriber is configured.")
    outcome = _outcome(TRANSCRIPT, lambda: transcriber.transcribe(sound, start_ms=start_ms, cancel=cancel))
    if outcome.value is not None and not outcome.value.turns:
        return LaneOutcome(TRANSCRIPT, code="nothing_found", reason="No speech was found.")
    return outcome


def _outcome(lane: str, ask: Callable[[], T]) -> LaneOutcome[T]:
    try:
        return LaneOutcome(lane, ask())
    except MissingDependency as exc:
        code = "language_missing" if "languages" in exc.detail else "not_configured"
        return LaneOutcome(lane, code=code, reason=_sentence(exc.message, exc.hint), retryable=True)
    except MediaError as exc:
        code = "unreadable_page" if exc.detail.get("reason") == "unreadable_page" else "failed"
        return LaneOutcome(lane, code=code, reason=_sentence(exc.message, None))
    except EngineFailed as exc:
        reason = str(exc.detail.get("reason", "crashed"))
        return LaneOutcome(lane, code="failed", reason=f"The engine failed: {reason}.", retryable=reason in _PASSING)
    except LaneFailed as exc:
        is_lasting = exc.detail.get("reason") in _LASTING
        return LaneOutcome(lane, code="failed", reason=_sentence(exc.message, exc.hint), retryable=not is_lasting)


_PASSING = frozenset({"timeout", "unavailable", "closed"})
"""Why an engine failed that may be gone the next time: a machine that was too busy or was shutting down."""

_LASTING = frozenset({"refused", "too_long"})
"""Why an endpoint failed that would be the same the next time."""


def _sentence(message: str, hint: str | None) -> str:
    text = message if hint is None else f"{message} ({hint})"
    return f"{text[:1].upper()}{text[1:]}."
