"""From a reading to an immutable representation: files as blobs, and the manifest whose digest names it."""

from __future__ import annotations

import io
from collections.abc import Iterable

from eyeline.catalog.records import IndexedPassage
from eyeline.convert.converting import AssetDraft, Original, Reading
from eyeline.convert.document import Front
from eyeline.convert.passages import passages_of
from eyeline.model.digest import Digest
from eyeline.model.document import Asset, BlobRef, Representation
from eyeline.model.ids import representation_id
from eyeline.model.limits import MARKDOWN
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.reading import Component, ConversionManifest, Output
from eyeline.store.base import BlobStore
from eyeline.wire import dumps

JSON = MediaType("application/json")


def package(
    reading: Reading,
    original: Original,
    *,
    route: str,
    key: Digest,
    components: Iterable[Component],
    store: BlobStore,
    now_ms: int,
) -> tuple[Representation, tuple[IndexedPassage, ...]]:
    """Keep every file of a reading and return the representation with its passages. Nothing is visible yet.

    Raises `StoreError` and `IntegrityError` of the store.
    """
    document = reading.builder.build(_front(reading, original, route))
    whole = Locator()
    files = [
        AssetDraft("document.md", document.text.encode("utf-8"), MARKDOWN, whole),
        AssetDraft("source_map.json", dumps(document.source_map).encode("utf-8"), JSON, whole),
        *reading.assets,
    ]
    assets = tuple(_kept(each, store) for each in files)
    manifest = ConversionManifest(
        content=original.content.digest,
        route=route,
        conversion_key=key,
        components=tuple(components),
        outputs=tuple(_output(draft, asset) for draft, asset in zip(files, assets, strict=True)),
        coverage=tuple(reading.coverage),
        gaps=tuple(reading.gaps),
        warnings=tuple(reading.warnings),
        emphasis=reading.emphasis,
    )
    account = _kept(AssetDraft("manifest.json", dumps(manifest, indent=1).encode("utf-8"), JSON, whole), store)
    representation = Representation(
        representation_id=representation_id(account.content.digest),
        content=original.content.digest,
        conversion_key=key,
        route=route,
        manifest=account.content,
        assets=assets,
        created_ms=now_ms,
    )
    return representation, passages_of(document)


def _front(reading: Reading, original: Original, route: str) -> Front:
    return Front(
        content=original.content.digest,
        media_type=original.content.media_type,
        byte_count=original.content.byte_count,
        route=route,
        facts=reading.facts,
        assets=tuple(asset.path for asset in reading.assets),
    )


def _kept(draft: AssetDraft, store: BlobStore) -> Asset:
    stored = store.put(io.BytesIO(draft.bytes))
    return Asset(draft.path, BlobRef(stored.digest, stored.byte_count, draft.media_type), str(draft.locator))


def _output(draft: AssetDraft, asset: Asset) -> Output:
    return Output(draft.path, asset.content.digest, asset.content.byte_count, str(draft.media_type), draft.locator)
