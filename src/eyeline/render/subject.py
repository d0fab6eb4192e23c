"""What is opened: the pinned bytes with what is known of them, and the room an answer has."""

from __future__ import annotations

from dataclasses import dataclass, field

from eyeline.errors import IntegrityError
from eyeline.model.acceptance import Acceptance
from eyeline.model.digest import Digest
from eyeline.model.document import Asset, BlobRef, Representation
from eyeline.model.envelope import Truncation
from eyeline.model.limits import AnswerLimit, ServedSet
from eyeline.model.locator import Locator
from eyeline.model.manifest import Part
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import ConversionManifest, SourceMap
from eyeline.source.base import Source
from eyeline.source.stored import BlobReading, StoredSource
from eyeline.source.verified import VerifiedBlobs
from eyeline.toolkit.cancel import CancelToken
from eyeline.wire import loads


class StoredReading:
    """The files of one representation, read from the store when asked for and verified as they are read."""

    def __init__(self, representation: Representation, store: BlobReading) -> None:
        self.representation = representation
        self._store = store
        self._account: ConversionManifest | None = None
        self._text: str | None = None
        self._map: SourceMap | None = None

    @property
    def account(self) -> ConversionManifest:
        """What the conversion says of itself."""
        if self._account is None:
            self._account = loads(ConversionManifest, read_blob(self._store, self.representation.manifest))
        return self._account

    @property
    def text(self) -> str:
        """`document.md`, whole."""
        if self._text is None:
            self._text = self.file("document.md").decode("utf-8")
        return self._text

    @property
    def source_map(self) -> SourceMap:
        """The total source map of `document.md`."""
        if self._map is None:
            self._map = loads(SourceMap, self.file("source_map.json"))
        return self._map

    def file(self, path: str) -> bytes:
        """One file of the representation, whole; raises `IntegrityError` when it is absent or damaged."""
        asset = self.representation.asset(path)
        if asset is None:
            raise IntegrityError(
                f"a representation lacks {path!r}", representation=self.representation.representation_id
            )
        return read_blob(self._store, asset.content)

    def source_of(self, asset: Asset) -> Source:
        """A source over one file of the representation, verified when it is opened."""
        return StoredSource(VerifiedBlobs(self._store), asset.content, name=asset.path)

    def has(self, path: str) -> bool:
        """Whether the representation holds a file."""
        return self.representation.asset(path) is not None


def read_blob(store: BlobReading, content: BlobRef) -> bytes:
    """A whole blob that is known to be small; raises `IntegrityError` when it is not what was promised."""
    with store.open(content.digest) as opened:
        return _checked(opened.read(), content.digest)


def read_whole(source: Source) -> bytes:
    """All bytes of a source that is known to be small; raises `IntegrityError` when they are not what was promised."""
    with source.open() as opened:
        return _checked(opened.read(), source.digest)


def _checked(data: bytes, promised: Digest) -> bytes:
    if Digest.of(data) != promised:
        raise IntegrityError("stored bytes do not hash to their digest", digest=str(promised))
    return data


@dataclass(frozen=True, slots=True)
class Subject:
    """Admitted bytes under one version, with the reading to answer from, where there is one."""

    content: BlobRef
    source: Source
    probe: Probe
    reading: StoredReading | None


@dataclass(frozen=True, slots=True)
class Room:
    """What an answer may hold: the served set, the surface's limit, and what the caller takes."""

    served: ServedSet
    answer: AnswerLimit
    acceptance: Acceptance
    cancel: CancelToken = field(default_factory=CancelToken)

    def picture_bytes(self, count: int) -> int:
        """How many bytes each of `count` pictures may have."""
        return self.answer.max_media_bytes // max(1, count)

    def pictures(self) -> tuple[MediaType, ...]:
        """Picture encodings to choose between; empty when none is acceptable."""
        return self.acceptance.pictures(self.served.pictures)


@dataclass(slots=True)
class Answer:
    """Parts in order, with what had to be left out; `has_pictures` where pictures stand inside the text asked for."""

    parts: list[Part] = field(default_factory=list[Part])
    truncation: list[Truncation] = field(default_factory=list[Truncation])
    notes: list[str] = field(default_factory=list[str])
    has_pictures: bool = False

    def goes_on_after(self, page: int, *, count: int) -> None:
        """Name the pages that follow as what is left, page after page."""
        if self.parts and page < count:
            rest = f"page {count}" if page + 1 == count else f"pages {page + 1} to {count}"
            self.truncation.append(Truncation("one_page_at_a_time", rest, Locator(page=page + 1)))
