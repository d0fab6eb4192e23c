"""From a reading to an immutable representation: files as blobs, and the manifest whose digest names it."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Package:
    """A representation with the bytes of all its files, and whether another try may fill a gap of it."""

    representation: Representation
    passages: tuple[IndexedPassage, ...]
    files: tuple[AssetDraft, ...]
    has_retryable_gap: bool

    @property
    def refs(self) -> tuple[BlobRef, ...]:
        """What names the files."""
        made = self.representation
        return (*(asset.content for asset in made.assets), made.manifest)

    def keep(self, store: BlobStore) -> None:
        """Put every file into a store. Raises `StoreError` and `IntegrityError` of the store."""
        for draft, ref in zip(self.files, self.refs, strict=True):
            store.put(io.BytesIO(draft.bytes), expected=ref.digest)


def package(
    reading: Reading,
    original: Original,
    *,
    route: str,
    key: Digest,
    components: Iterable[Component],
    now_ms: int,
) -> Package:
    """Every file of a reading, the representation they make and its passages. Nothing is kept yet."""
    document = reading.builder.build(_front(reading, original, route))
    whole = Locator()
    files = [
        AssetDraft("document.md", document.text.encode("utf-8"), MARKDOWN, whole),
        AssetDraft("source_map.json", dumps(document.source_map).encode("utf-8"), JSON, whole),
        *reading.assets,
    ]
    assets = tuple(Asset(each.path, _ref(each), str(each.locator)) for each in files)
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
    account = AssetDraft("manifest.json", dumps(manifest, indent=1).encode("utf-8"), JSON, whole)
    representation = Representation(
        representation_id=representation_id(_ref(account).digest),
        content=original.content.digest,
        conversion_key=key,
        route=route,
        manifest=_ref(account),
        assets=assets,
        created_ms=now_ms,
    )
    return Package(representation, passages_of(document), (*files, account), any(gap.retryable for gap in reading.gaps))


def _front(reading: Reading, original: Original, route: str) -> Front:
    return Front(
        content=original.content.digest,
        media_type=original.content.media_type,
        byte_count=original.content.byte_count,
        route=route,
        facts=reading.facts,
        assets=tuple(asset.path for asset in reading.assets),
    )


def _ref(draft: AssetDraft) -> BlobRef:
    return BlobRef(Digest.of(draft.bytes), len(draft.bytes), draft.media_type)


def _output(draft: AssetDraft, asset: Asset) -> Output:
    return Output(draft.path, asset.content.digest, asset.content.byte_count, str(draft.media_type), draft.locator)
