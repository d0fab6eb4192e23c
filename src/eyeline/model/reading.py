"""What a representation says of itself: labels, source map, gaps and the conversion manifest.

Intervals are half-open code points of `document.md`, counted from 0. The source map is total: its segments follow each
other from 0 to the end of the file, each with one label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.locator import Locator

HIDDEN_TEXT = "hidden_text"
"""Code of the warning about text that a picture of the source does not show, and of the note in an answer with it."""

_PLACE = re.compile(rf"{HIDDEN_TEXT}:((?:page|sheet|char)=[^:]+):\d+")
_IN_READING = tuple(f"{HIDDEN_TEXT}:{place}=" for place in ("page", "sheet", "char"))
"""How the warnings begin that tell of text in the reading, and not of what was left out."""


class DerivationKind(StrEnum):
    """How a range of `document.md` came to be."""

    SYSTEM = "system"
    PASSTHROUGH = "passthrough"
    EXTRACTION = "extraction"
    OCR = "ocr"
    DESCRIPTION = "description"
    TRANSCRIPT = "transcript"


class EvidenceMode(StrEnum):
    """What a range of `document.md` is worth as evidence."""

    SYSTEM = "system"
    SOURCE_EXPRESSION = "source_expression"
    MODEL_OBSERVATION = "model_observation"
    MODEL_INTERPRETATION = "model_interpretation"


EVIDENCE_OF = {
    DerivationKind.SYSTEM: EvidenceMode.SYSTEM,
    DerivationKind.PASSTHROUGH: EvidenceMode.SOURCE_EXPRESSION,
    DerivationKind.EXTRACTION: EvidenceMode.SOURCE_EXPRESSION,
    DerivationKind.OCR: EvidenceMode.MODEL_OBSERVATION,
    DerivationKind.TRANSCRIPT: EvidenceMode.MODEL_OBSERVATION,
    DerivationKind.DESCRIPTION: EvidenceMode.MODEL_INTERPRETATION,
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One range of `document.md`: its label, and which part of the version it reads."""

    start: int
    end: int
    derivation_kind: DerivationKind
    evidence_mode: EvidenceMode
    locator: Locator


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Every character range of `document.md` with its label and locator."""

    chars: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Component:
    """A piece of software or a model that took part, and where it ran (`local` or the provider's name)."""

    name: str
    version: str
    execution: str = "local"


@dataclass(frozen=True, slots=True)
class Gap:
    """What the reading lacks: which lane, a stable code, which part of the version, and whether trying again may help.

    Codes: `not_configured`, `nothing_found`, `failed`, `language_missing`, `over_budget`, `unreadable_page`,
    `unreadable_sheet`, `damaged`.
    """

    lane: str
    code: str
    locator: Locator
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one lane read of what there was, in its own unit (pages, pictures, characters, milliseconds)."""

    lane: str
    unit: str
    read: int
    total: int


@dataclass(frozen=True, slots=True)
class Output:
    """One file of the representation, by its path inside the folder; the manifest itself is not listed."""

    path: str
    digest: Digest
    byte_count: int
    media_type: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class ConversionManifest:
    """The whole self-account of a conversion; its digest names the representation.

    A warning is a code, `code:where`, or `code:where:count`, such as `hidden_text:page=3:41`.
    """

    content: Digest
    route: str
    conversion_key: Digest
    components: tuple[Component, ...]
    outputs: tuple[Output, ...]
    coverage: tuple[Coverage, ...]
    gaps: tuple[Gap, ...]
    warnings: tuple[str, ...] = ()
    emphasis: dict[str, float] | None = None

    def hides_text(self, *, page: int | None = None) -> bool:
        """Whether what was read of a page, or of any part, is in part text that its picture does not show."""
        where = _IN_READING if page is None else (f"{HIDDEN_TEXT}:page={page}:",)
        return any(warning.startswith(where) for warning in self.warnings)

    def hides(self, *places: Locator) -> bool:
        """Whether text was read that is not shown, on the page, in the sheet or among the characters of any place."""
        found = (_PLACE.fullmatch(warning) for warning in self.warnings)
        hidden = [Locator.parse(match[1]) for match in found if match is not None]
        return any(_meet(each, place) for each in hidden for place in places)


def _meet(hidden: Locator, place: Locator) -> bool:
    if hidden.page is not None:
        return place.page == hidden.page
    if hidden.sheet is not None:
        return place.sheet is not None and place.sheet.sheet == hidden.sheet.sheet
    off, read = hidden.chars, place.chars
    return off is not None and read is not None and read.start < off.end and off.start < read.end
