"""A home full of documents, built by writing its catalogue in bulk: what taking in would record, without the media.

The files of the representations are the same for all and kept once; each document has a digest, a representation and
passages of its own. Originals are written, without waiting for the disk, where somebody wants them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Table, insert

from benchmarks.corpus import Words
from eyeline import wire
from eyeline.catalog.catalog import Catalog
from eyeline.catalog.database import CATALOG, Indexed, Writing
from eyeline.catalog.folding import fold, index_form, literal
from eyeline.catalog.schema import (
    admissions,
    assets,
    blobs,
    current_representations,
    documents,
    passages,
    representations,
    version_representations,
    versions,
)
from eyeline.catalog.sqlite.database import SqliteDatabase
from eyeline.media.admission import policy_version
from eyeline.model.digest import Digest
from eyeline.model.document import DEFAULT_COLLECTION
from eyeline.model.ids import document_id, representation_id, version_id
from eyeline.model.limits import Limits
from eyeline.model.locator import Locator
from eyeline.model.media_type import MediaType
from eyeline.model.probe import Probe
from eyeline.model.reading import ConversionManifest, DerivationKind, EvidenceMode, Segment, SourceMap
from eyeline.store.local import LocalStore

PASSAGES, WORDS_A_PASSAGE, PASSAGE_CHARS = 3, 25, 300
RARE, COMMON = "zyxrare", "zyxcommon"
"""Words that stand in 20 documents, however many there are, and in one of fifty."""

_RARE_IN, _COMMON_EVERY = 20, 50
_BATCH = 1000
_PLAIN, _MS = "text/plain", 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Shared:
    """Blobs that all documents name."""

    manifest: Digest
    text: Digest
    source_map: Digest


@dataclass(frozen=True)
class Made:
    """One document of the home."""

    number: int
    texts: tuple[str, ...]

    @cached_property
    def original(self) -> bytes:
        return f"document {self.number}".encode()

    @cached_property
    def digest(self) -> Digest:
        return Digest.of(self.original)

    @property
    def reference(self) -> str:
        return f"inbox/{self.number:06d}.txt"

    @property
    def doc_id(self) -> str:
        return document_id(DEFAULT_COLLECTION, "path", self.reference)

    @property
    def version_id(self) -> str:
        return version_id(self.doc_id, self.digest)

    @property
    def representation_id(self) -> str:
        return representation_id(self.digest)


def build(home: Path, *, count: int, originals: bool = False) -> list[Made]:
    """Make a home of this many documents and say which; `originals`: their bytes are there, too."""
    store = LocalStore(home / "blobs")
    shared = _shared(store)
    Catalog.open(home / "catalog.sqlite").close()
    database = SqliteDatabase.open(home / "catalog.sqlite", CATALOG)
    made = [_made(number, text, count=count) for number, text in enumerate(_texts(count))]
    try:
        with database.writing() as writing:
            rows = [_blob(each, 1) for each in (shared.manifest, shared.text, shared.source_map)]
            writing.connection.execute(insert(blobs), rows)
        each = iter(made)
        while batch := list(islice(each, _BATCH)):
            with database.writing() as writing:
                _write(writing, batch, shared)
    finally:
        database.close()
    for one in made if originals else ():
        path = home / "blobs" / "v1" / "sha256" / one.digest.hex[:2] / one.digest.hex
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(one.original)
        path.chmod(0o400)
    return made


def _texts(count: int) -> Iterator[tuple[str, ...]]:
    words = Words(1)
    for _ in range(count):
        yield tuple(words.line(WORDS_A_PASSAGE) for _ in range(PASSAGES))


def _made(number: int, texts: tuple[str, ...], *, count: int) -> Made:
    first, *others = texts
    marks = [RARE] * (number % max(1, count // _RARE_IN) == 0) + [COMMON] * (number % _COMMON_EVERY == 7)
    return Made(number, (" ".join([first, *marks]), *others))


def _shared(store: LocalStore) -> Shared:
    """The files of a representation, kept once for all."""
    end = PASSAGES * PASSAGE_CHARS
    segment = Segment(0, end, DerivationKind.PASSTHROUGH, EvidenceMode.SOURCE_EXPRESSION, Locator())
    nothing = Digest.of(b"")
    account = ConversionManifest(nothing, "text/1", nothing, (), (), (), ())
    texts = (wire.dumps(account), "a" * end, wire.dumps(SourceMap(end, (segment,))))
    return Shared(*(store.put(io.BytesIO(text.encode())).digest for text in texts))


def _blob(digest: Digest, byte_count: int) -> dict[str, Any]:
    return {"digest": digest.hex, "byte_count": byte_count, "state": "stored", "incarnation": "0", "pinned_ms": _MS}


def _write(writing: Writing, batch: list[Made], shared: Shared) -> None:
    tables: list[tuple[Table, list[dict[str, Any]]]] = [
        (blobs, [_blob(each.digest, len(each.original)) for each in batch]),
        (documents, [_document(each) for each in batch]),
        (versions, [_version(each) for each in batch]),
        (representations, [_representation(each, shared) for each in batch]),
        (assets, [row for each in batch for row in _assets(each, shared)]),
        (version_representations, [_named(each) for each in batch]),
        (current_representations, [_named(each) for each in batch]),
        (admissions, [_admission(each) for each in batch]),
        (passages, [row for each in batch for row in _passages(each)]),
    ]
    for table, rows in tables:
        writing.connection.execute(insert(table), rows)
    titles = [(each.number + 1, index_form(fold(f"{_title(each)}\n{each.reference}"))) for each in batch]
    texts = [(row["id"], index_form(fold(row["text"]))) for each in batch for row in _passages(each)]
    writing.index.add(writing.connection, titles, target=Indexed.TITLES)
    writing.index.add(writing.connection, texts, target=Indexed.PASSAGES)


def _title(made: Made) -> str:
    return made.reference.rpartition("/")[2]


def _document(made: Made) -> dict[str, Any]:
    return {
        "id": made.number + 1,
        "doc_id": made.doc_id,
        "collection": DEFAULT_COLLECTION,
        "source_kind": "path",
        "reference": made.reference,
        "title": _title(made),
        "folded_name": f"{literal(_title(made))}\n{literal(made.reference)}",
        "current_version_id": made.version_id,
        "created_ms": _MS,
    }


def _version(made: Made) -> dict[str, Any]:
    return {
        "version_id": made.version_id,
        "doc_id": made.doc_id,
        "content": made.digest.hex,
        "media_type": _PLAIN,
        "family": "text",
        "route": "text/1",
        "created_ms": _MS,
    }


def _representation(made: Made, shared: Shared) -> dict[str, Any]:
    return {
        "representation_id": made.representation_id,
        "content": made.digest.hex,
        "conversion_key": made.digest.hex,
        "route": "text/1",
        "manifest": shared.manifest.hex,
        "manifest_type": "application/json",
        "created_ms": _MS,
    }


def _assets(made: Made, shared: Shared) -> Iterator[dict[str, Any]]:
    files = (("document.md", shared.text, "text/markdown"), ("source_map.json", shared.source_map, "application/json"))
    for ordinal, (path, digest, media_type) in enumerate(files):
        yield {
            "representation_id": made.representation_id,
            "ordinal": ordinal,
            "path": path,
            "digest": digest.hex,
            "media_type": media_type,
            "locator": "",
        }


def _named(made: Made) -> dict[str, Any]:
    return {"version_id": made.version_id, "representation_id": made.representation_id}


def _admission(made: Made) -> dict[str, Any]:
    return {
        "content": made.digest.hex,
        "policy": policy_version(Limits()),
        "outcome": "admitted",
        "reason": None,
        "decoder": "none",
        "probe": wire.dumps(Probe(MediaType(_PLAIN), chars=1, lines=1, encoding="utf-8")),
        "decided_ms": _MS,
    }


def _passages(made: Made) -> Iterator[dict[str, Any]]:
    for ordinal, text in enumerate(made.texts):
        start = ordinal * PASSAGE_CHARS
        yield {
            "id": made.number * PASSAGES + ordinal + 1,
            "representation_id": made.representation_id,
            "ordinal": ordinal,
            "start_char": start,
            "end_char": start + PASSAGE_CHARS,
            "locator": "",
            "text": text,
        }
