"""Publishing documents: each costs itself alone, and a reader sees a folder whole or not at all.

What is published is asked for while the document is locked, so that of several publishers none writes what is no longer
so. Publishing makes the tree say what the entry says: what the entry does not name any more is removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from eyeline.errors import EyelineError, StoreError
from eyeline.model.document import BlobRef, Representation
from eyeline.store.base import BlobStore
from eyeline.tree import layout, texts
from eyeline.tree.entry import DocumentEntry, VersionEntry
from eyeline.tree.layout import Named
from eyeline.tree.naming import Names
from eyeline.tree.placing import Link, place, point, publish_folder, remove, staged_folder, write_text

AskEntry = Callable[[], DocumentEntry | None]

VERSION_NAME = re.compile(r"[0-9a-f]{64}")
REPRESENTATION_NAME = re.compile(r"rep_[0-9a-f]{32}")


class Publisher:
    """Writes the tree below one folder from entries it is given."""

    def __init__(self, root: Path, store: BlobStore, *, link: Link = Link.AUTO) -> None:
        self.root = root
        self.staging = root / layout.STAGING
        self.names = Names(root, staging=self.staging)
        self._store = store
        self._link = link

    def publish(self, doc_id: str, entry: AskEntry, *, name: Named | None = None) -> Path | None:
        """Publish a document as it stands and return its folder. Doing it again changes nothing.

        `entry` is asked while the document is locked. Where it answers none, there is no such document: its folder and
        its line in the index are removed, and its name, if that is given. Raises `StoreError` when the disk refuses and
        `BlobNotFound` when an original is missing from the store.
        """
        with _tree_errors(), self.writing(), self.locked(doc_id):
            found = entry()
            if found is None:
                self.withdraw_held(doc_id, name=name)
                return None
            return self.publish_held(found)

    @contextmanager
    def locked(self, doc_id: str) -> Generator[None]:
        """Hold a document's shard of the tree: its folder and its file of the index."""
        with self._lock(layout.shard(doc_id), fcntl.LOCK_EX):
            yield

    @contextmanager
    def naming(self) -> Generator[None]:
        """Hold the names, which documents share."""
        with self._lock("names", fcntl.LOCK_EX):
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Use the staging folder: nobody takes what is in it for a leftover."""
        with self._lock("staging", fcntl.LOCK_SH):
            yield

    def clear_staging(self, *, wait: bool) -> int:
        """Remove what killed publishers left; how many entries that was.

        While somebody publishes, either wait for that, or leave it for another time.
        """
        if not self.staging.is_dir():
            return 0
        how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
        with _tree_errors(), suppress(BlockingIOError), self._lock("staging", how):
            return sum(remove(path, staging=self.staging) for path in sorted(self.staging.iterdir()))
        return 0

    def publish_held(self, entry: DocumentEntry) -> Path:
        """Publish a document that the caller holds `locked`, within `writing`."""
        doc_id = entry.document.doc_id
        folder = self.root / layout.document_folder(doc_id)
        write_text(self.root / layout.README, texts.ROOT_README, staging=self.staging)
        for version in entry.versions:
            self._publish_version(version, entry)
        point(folder / layout.CURRENT, entry.current.version.content.digest.hex, staging=self.staging)
        write_text(folder / layout.README, texts.document_readme(entry), staging=self.staging)
        with self.naming():
            self.names.give(doc_id, entry.document)
        self._index(doc_id, texts.index_line(entry))
        self._prune(folder, VERSION_NAME, {each.version.content.digest.hex for each in entry.versions})
        return folder

    def _publish_version(self, entry: VersionEntry, document: DocumentEntry) -> None:
        version = entry.version
        folder = self.root / layout.version_folder(version.doc_id, version.content.digest)
        facts = texts.version_facts(entry, document)
        original = folder / layout.original_name(version.content.media_type)
        if folder.exists() and not original.exists():
            # its type was found out anew, or somebody removed it
            remove(folder, staging=self.staging)
        if not folder.exists():
            with staged_folder(self.staging) as staged:
                self._place(version.content, staged / original.name)
                write_text(staged / "version.json", facts, staging=self.staging)
                publish_folder(staged, folder)
        for representation in entry.representations:
            self._publish_representation(representation, folder / representation.representation_id)
        write_text(folder / "version.json", facts, staging=self.staging)
        self._prune(folder, REPRESENTATION_NAME, {each.representation_id for each in entry.representations})

    def _publish_representation(self, representation: Representation, folder: Path) -> None:
        if folder.exists():
            return
        with staged_folder(self.staging) as staged:
            self._place(representation.manifest, staged / "manifest.json")
            for asset in representation.assets:
                path = staged / asset.path
                path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                self._place(asset.content, path)
            publish_folder(staged, folder)

    def _place(self, blob: BlobRef, target: Path) -> None:
        with self._store.open(blob.digest) as opened:
            place(opened, target, host_path=self._store.host_path(blob.digest), link=self._link)

    def _prune(self, folder: Path, form: re.Pattern[str], named: set[str]) -> None:
        """Remove the folders of one form that nothing names any more."""
        for path in sorted(folder.iterdir()):
            if form.fullmatch(path.name) and path.name not in named:
                remove(path, staging=self.staging)

    def withdraw_held(self, doc_id: str, *, name: Named | None = None) -> None:
        """Remove a document that the caller holds `locked`, within `writing`."""
        self._index(doc_id, None)
        if name is not None:
            with self.naming():
                self.names.take(doc_id, name)
        remove(self.root / layout.document_folder(doc_id), staging=self.staging)

    def tidy_index(self, path: Path) -> None:
        """Write a file of the index anew, without what is not the one line of a document of its shard."""
        with _tree_errors(), self.writing(), self._lock(path.stem, fcntl.LOCK_EX):
            lines = index_lines(path)
            self._write_index(path, {key: lines[key] for key in lines if layout.shard(key) == path.stem})

    def _index(self, doc_id: str, line: str | None) -> None:
        """Give a document this line in the index, or none. A line that cannot be read goes."""
        path = self.root / layout.index_shard(doc_id)
        lines = index_lines(path)
        if line is None:
            lines.pop(doc_id, None)
        else:
            lines[doc_id] = line
        self._write_index(path, lines)

    def _write_index(self, path: Path, lines: dict[str, str]) -> None:
        if lines:
            write_text(path, "".join(f"{lines[key]}\n" for key in sorted(lines)), staging=self.staging)
        else:
            path.unlink(missing_ok=True)

    @contextmanager
    def _lock(self, name: str, how: int) -> Generator[None]:
        folder = self.root / layout.LOCKS
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with (folder / name).open("wb") as handle:
            fcntl.flock(handle, how)
            yield


def index_lines(path: Path) -> dict[str, str]:
    """The lines of a file of the index by document; what cannot be read is left out."""
    lines: dict[str, str] = {}
    with suppress(FileNotFoundError):
        for line in path.read_text("utf-8", errors="replace").splitlines():
            with suppress(ValueError, TypeError, KeyError):
                lines[str(json.loads(line)["doc_id"])] = line
    return lines


@contextmanager
def _tree_errors() -> Generator[None]:
    """What the disk refuses is a `StoreError` without a path."""
    try:
        yield
    except EyelineError:
        raise
    except OSError as exc:
        reason = os.strerror(exc.errno) if exc.errno else "the disk failed"
        raise StoreError(f"the tree cannot be written: {reason}") from exc
