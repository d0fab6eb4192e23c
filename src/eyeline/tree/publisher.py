"""Publishing documents: each costs itself alone, and a reader sees a folder whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from eyeline.errors import StoreError
from eyeline.model.document import BlobRef, Representation
from eyeline.store.base import BlobStore
from eyeline.tree import layout, texts
from eyeline.tree.entry import DocumentEntry, VersionEntry
from eyeline.tree.placing import Link, place, point, publish_folder, staged_folder, write_text


class Publisher:
    """Writes the tree below one folder from entries it is given."""

    def __init__(self, root: Path, store: BlobStore, *, link: Link = Link.AUTO) -> None:
        self.root = root
        self._store = store
        self._link = link
        self._staging = root / layout.STAGING

    def publish(self, entry: DocumentEntry) -> Path:
        """Publish one document as it stands and return its folder. Doing it again changes nothing.

        Raises `StoreError` when the disk refuses and `BlobNotFound` when an original is missing from the store.
        """
        try:
            return self._publish(entry)
        except StoreError:
            raise
        except OSError as exc:
            reason = os.strerror(exc.errno) if exc.errno else "the disk failed"
            raise StoreError(f"the tree cannot be written: {reason}") from exc

    def _publish(self, entry: DocumentEntry) -> Path:
        folder = self.root / layout.document_folder(entry.document.doc_id)
        write_text(self.root / "README.md", texts.ROOT_README, staging=self._staging)
        for version in entry.versions:
            self._publish_version(version, entry)
        point(folder / layout.CURRENT, entry.current.version.content.digest.hex, staging=self._staging)
        write_text(folder / "README.md", texts.document_readme(entry), staging=self._staging)
        with self._lock():
            self._name(entry)
            self._index(entry)
        return folder

    def _publish_version(self, entry: VersionEntry, document: DocumentEntry) -> None:
        version = entry.version
        folder = self.root / layout.version_folder(version.doc_id, version.content.digest)
        facts = texts.version_facts(entry, document)
        if not folder.exists():
            with staged_folder(self._staging) as staged:
                self._place(version.content, staged / layout.original_name(version.content.media_type))
                write_text(staged / "version.json", facts, staging=self._staging)
                publish_folder(staged, folder)
        for representation in entry.representations:
            self._publish_representation(representation, folder / representation.representation_id)
        write_text(folder / "version.json", facts, staging=self._staging)

    def _publish_representation(self, representation: Representation, folder: Path) -> None:
        if folder.exists():
            return
        with staged_folder(self._staging) as staged:
            self._place(representation.manifest, staged / "manifest.json")
            for asset in representation.assets:
                path = staged / asset.path
                path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                self._place(asset.content, path)
            publish_folder(staged, folder)

    def _place(self, blob: BlobRef, target: Path) -> None:
        with self._store.open(blob.digest) as opened:
            place(opened, target, host_path=self._store.host_path(blob.digest), link=self._link)

    def _name(self, entry: DocumentEntry) -> None:
        """Lead to the document by name; where another one has that name in any case, the later one gets a suffix."""
        doc_id = entry.document.doc_id
        path = self._past_links(layout.name_path(entry.document))
        there = self.root / path
        if self._claim(path, doc_id) != doc_id or (there.is_dir() and not there.is_symlink()):
            path = path.with_name(f"{path.name}~{doc_id.removeprefix('doc_')[:8]}")
        point(self.root / path, "../" * (len(path.parts) - 1) + doc_id, staging=self._staging)

    def _past_links(self, path: PurePosixPath) -> PurePosixPath:
        """The path with every folder part that is a document's link renamed, so that nothing is written through one."""
        safe = PurePosixPath(path.parts[0])
        for part in path.parts[1:-1]:
            there = self.root / safe / part
            safe /= f"{part}~folder" if there.is_symlink() or there.is_file() else part
        return safe / path.name

    def _claim(self, path: PurePosixPath, doc_id: str) -> str:
        """Which document holds a name; the first to ask does. One small link a name, so that nothing is listed."""
        key = hashlib.sha256(str(path).casefold().encode()).hexdigest()
        claim = self.root / layout.NAMES / key[:2] / key[2:34]
        claim.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            claim.symlink_to(doc_id)
        return str(claim.readlink())

    def _index(self, entry: DocumentEntry) -> None:
        path = self.root / layout.index_shard(entry.document.doc_id)
        lines: dict[str, str] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                lines[json.loads(line)["doc_id"]] = line
        lines[entry.document.doc_id] = texts.index_line(entry)
        write_text(path, "".join(f"{lines[key]}\n" for key in sorted(lines)), staging=self._staging)

    @contextmanager
    def _lock(self) -> Generator[None]:
        """One publisher at a time for the files that documents share."""
        self._staging.mkdir(mode=0o755, parents=True, exist_ok=True)
        with (self._staging / "lock").open("wb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
