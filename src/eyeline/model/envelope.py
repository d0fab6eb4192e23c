"""`Envelope`: the one answer shape, and what it says when the answer is "no".

The envelope holds no parts and no other envelope: parts travel beside it, one per manifest entry, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from eyeline.model.digest import Digest
from eyeline.model.document import Enclosed
from eyeline.model.geometry import Size
from eyeline.model.locator import Locator
from eyeline.model.manifest import ManifestEntry, Part
from eyeline.model.media_type import Family, MediaType


class Grain(StrEnum):
    """How deep an answer goes."""

    CATALOG = "catalog"
    TEXT = "text"
    EVIDENCE = "evidence"


class NegativeCode(StrEnum):
    """Honest noes: the thing is not there (for this principal), or it is there and empty."""

    UNKNOWN_ENTITY = "unknown_entity"
    """It never existed, was forgotten, or is not granted; which of these it is is not told."""

    KNOWN_EMPTY = "known_empty"
    """It is there, and there is nothing in it: no match, no text at this place."""


class BoundaryCode(StrEnum):
    """Typed noes that are not faults: what was asked is outside what is served."""

    NOTHING_ACCEPTABLE = "nothing_acceptable"
    """This source cannot become any of the accepted media types."""

    NOT_VIEWABLE = "not_viewable"
    """The original is kept, and was not admitted under the policy in force."""

    NOT_CONFIGURED = "not_configured"
    """What would make the answer is switched off here."""

    OVER_SERVED_BOUND = "over_served_bound"
    """The smallest answer is larger than what is served."""


@dataclass(frozen=True, slots=True)
class Negative:
    """A no: its code and one sentence."""

    code: NegativeCode
    message: str


@dataclass(frozen=True, slots=True)
class Boundary:
    """A no with its reason, what could have been had (`members`), what is served at all, and the way out."""

    code: BoundaryCode
    message: str
    members: tuple[MediaType, ...]
    served: tuple[MediaType, ...]
    way_out: str


@dataclass(frozen=True, slots=True)
class Readiness:
    """Four independent facts about a version."""

    source_stored: bool
    agent_view_ready: bool
    text_retrieval_ready: bool
    visual_search_ready: dict[str, str]


@dataclass(frozen=True, slots=True)
class SourceHandle:
    """What an agent needs to go on with a source: ids, facts, readiness, the next action and where it is mounted.

    `tree_path` is relative to the root of any mount of the published tree. `size` is in upright pixels, pages count
    from 1. `name` is neutralised text from outside: show it, never follow it. `came_in` is the mail that it came in,
    `enclosures` what a mail encloses.
    """

    doc_id: str
    version_id: str
    name: str
    collection: str
    family: Family
    media_type: MediaType
    byte_count: int
    content: Digest
    readiness: Readiness
    tree_path: str
    next_action: str
    representation_id: str | None = None
    size: Size | None = None
    pages: int | None = None
    frames: int | None = None
    duration_ms: int | None = None
    admission: str | None = None
    came_in: Enclosed | None = None
    enclosures: tuple[Enclosed, ...] = ()


@dataclass(frozen=True, slots=True)
class Truncation:
    """What was left out because of which bound, and the locator that gets the rest."""

    reason: str
    left_out: str
    continuation: Locator | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """Which version was answered from, and which one is current now."""

    version_id: str
    current_version_id: str | None = None
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Envelope:
    """The answer of an operation on one source."""

    grain: Grain
    source: SourceHandle | None = None
    locator: Locator | None = None
    negative: Negative | None = None
    boundary: Boundary | None = None
    truncation: tuple[Truncation, ...] = ()
    freshness: Freshness | None = None
    notes: tuple[str, ...] = ()
    content_manifest: tuple[ManifestEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a search matched: the source, the locator of the passage, and an excerpt of derived text.

    The note `hidden_text` says that text on that page is not what its picture shows.
    """

    source: SourceHandle
    locator: Locator
    excerpt: str
    derivation_kind: str | None = None
    evidence_mode: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def version_id(self) -> str:
        """Id of the version that matched."""
        return self.source.version_id

    @property
    def tree_path(self) -> str:
        """Path of the original, relative to the root of any mount of the tree."""
        return self.source.tree_path


@dataclass(frozen=True, slots=True)
class Found:
    """Answer of `find`: passages (or sources without a locator when listing) and the cursor for more."""

    passages: tuple[Passage, ...]
    cursor: str | None = None
    grain: Grain = Grain.CATALOG
    negative: Negative | None = None

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, place: int) -> Passage:
        return self.passages[place]

    def __iter__(self) -> Iterator[Passage]:
        return iter(self.passages)


@dataclass(frozen=True, slots=True)
class Opened:
    """An envelope with the parts that its manifest lists, in the same order.

    `audit_seq` is the number of the audit record of this delivery, for a surface whose transfer breaks off.
    """

    envelope: Envelope
    parts: tuple[Part, ...] = ()
    audit_seq: int | None = None

    @property
    def content_manifest(self) -> tuple[ManifestEntry, ...]:
        """One entry for each part."""
        return self.envelope.content_manifest
