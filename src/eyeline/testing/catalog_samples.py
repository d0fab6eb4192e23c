"""Records as taking in and converting would make them, without any bytes or media."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from eyeline.catalog.records import CameIn, Claim, Filters, IndexedPassage, Pin, RecordedVersion
from eyeline.errors import EyelineError
from eyeline.model.digest import Digest
from eyeline.model.document import DEFAULT_COLLECTION, Asset, BlobRef, Representation, SourceKind
from eyeline.model.ids import representation_id
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType

if TYPE_CHECKING:
    from eyeline.catalog.catalog import Catalog

PDF, PNG, JSON, MARKDOWN = (
    MediaType(name) for name in ("application/pdf", "image/png", "application/json", "text/markdown")
)
ROUTE = "pdf/1"
NOW = 1_700_000_000_000


def error_of(call: Callable[[], object]) -> EyelineError | None:
    """The `EyelineError` that a call raises, if it does."""
    try:
        call()
    except EyelineError as error:
        return error
    return None


def code_of(call: Callable[[], object]) -> str:
    """The code of the `EyelineError` that a call raises; `none` when it raises nothing."""
    error = error_of(call)
    return "none" if error is None else error.code


def blob(data: bytes, media_type: MediaType = PDF) -> BlobRef:
    """What names these bytes."""
    return BlobRef(Digest.of(data), len(data), media_type)


def take_in(
    catalog: Catalog,
    reference: str,
    *,
    data: bytes | None = None,
    title: str | None = None,
    collection: str = DEFAULT_COLLECTION,
    media_type: MediaType = PDF,
    place: str | None = None,
    came_in: CameIn | None = None,
) -> RecordedVersion:
    """Record a document with bytes of its own."""
    content = blob(reference.encode() if data is None else data, media_type)
    (pin,) = catalog.pin_blobs([content], now_ms=NOW)
    return catalog.record_version(
        collection=collection,
        source_kind=SourceKind.PATH if came_in is None else SourceKind.ENCLOSED,
        reference=reference,
        title=reference.rsplit("/", 1)[-1] if title is None else title,
        pin=pin,
        route=ROUTE,
        place=place,
        now_ms=NOW,
        came_in=came_in,
    )


def key_for(recorded: RecordedVersion, *, take: int = 1) -> Digest:
    """A conversion key for a version; another `take` stands for other settings."""
    return Digest.of(f"{recorded.version.content.digest} {take}".encode())


def claimed(catalog: Catalog, recorded: RecordedVersion, *, take: int = 1, now_ms: int = NOW) -> Claim:
    """The claim on a conversion that is free."""
    content = recorded.version.content.digest
    claim = catalog.claim_conversion(key_for(recorded, take=take), content, route=ROUTE, now_ms=now_ms)
    assert claim is not None
    return claim


def reading_of(claim: Claim) -> Representation:
    """A representation as a conversion under this claim would make it."""
    manifest = blob(f"manifest of {claim.conversion_key}".encode(), JSON)
    assets = (
        Asset("document.md", blob(f"text of {claim.conversion_key}".encode(), MARKDOWN), ""),
        Asset("assets/page-0001.png", blob(f"page of {claim.conversion_key}".encode(), PNG), "page=1"),
    )
    made_id = representation_id(manifest.digest)
    return Representation(made_id, claim.content, claim.conversion_key, ROUTE, manifest, assets, NOW)


def pinned(catalog: Catalog, made: Representation) -> tuple[Pin, ...]:
    """Pins of all blobs of a representation."""
    return catalog.pin_blobs([made.manifest, *(asset.content for asset in made.assets)], now_ms=NOW)


def passages(texts: Sequence[str]) -> tuple[IndexedPassage, ...]:
    """Texts as the passages of pages 1, 2, 3, …"""
    starts = accumulate(map(len, texts), initial=0)
    return tuple(
        IndexedPassage(index, start, start + len(text), Locator(page=index + 1), text)
        for index, (start, text) in enumerate(zip(starts, texts, strict=False))
    )


def convert(catalog: Catalog, recorded: RecordedVersion, *, texts: Sequence[str], take: int = 1) -> Representation:
    """Convert a version into these passages and make that current."""
    claim = claimed(catalog, recorded, take=take)
    made = reading_of(claim)
    version_ids = (recorded.version.version_id,)
    catalog.finish_conversion(
        claim, made, passages=passages(texts), pins=pinned(catalog, made), version_ids=version_ids
    )
    return made


def found(catalog: Catalog, query: str, *, filters: Filters | None = None) -> list[str]:
    """References of what matches, best first, a page locator behind those of passages."""
    matches = catalog.search(query, Filters() if filters is None else filters, limit=100).matches
    return [
        match.entry.document.reference + ("" if match.passage is None else f"#{match.passage.locator}")
        for match in matches
    ]
