"""Comparing the tree with what it should say, and mending it."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from eyeline.errors import EyelineError, NotFound
from eyeline.model.digest import Digest
from eyeline.model.document import BlobRef, Document
from eyeline.model.finding import FindingCode
from eyeline.store.base import BlobStore
from eyeline.toolkit.copying import copy_checked
from eyeline.tree import layout, texts
from eyeline.tree.entry import DocumentEntry, VersionEntry
from eyeline.tree.placing import remove
from eyeline.tree.publisher import REPRESENTATION_NAME, VERSION_NAME, AskEntry, Publisher, index_lines

AskDocument = Callable[[str], Document | None]

_DOCUMENT_NAME = re.compile(r"doc_[0-9a-f]{32}")
_SHARD_NAME = re.compile(r"([0-9a-f]{2})\.jsonl")
_OURS = frozenset({layout.README, layout.INDEX, layout.BY_NAME, layout.STAGING, layout.NAMES, layout.LOCKS})


@dataclass(frozen=True, slots=True)
class TreeFlaw:
    """Something in the tree that is not as it should be. `folder` is what to remove before publishing anew."""

    code: FindingCode
    subject: str
    mended: bool = False
    folder: PurePosixPath | None = None


class Surveyor:
    """Looks over one tree."""

    def __init__(self, publisher: Publisher, store: BlobStore) -> None:
        self._publisher = publisher
        self._root = publisher.root
        self._store = store

    def document(self, doc_id: str, entry: AskEntry, *, mend: bool) -> list[TreeFlaw]:
        """What is wrong with a document's folder, name and line, compared while it is locked. None where it is gone."""
        publisher = self._publisher
        with publisher.writing(), publisher.locked(doc_id):
            found = entry()
            if found is None:
                return []
            flaws = list(self._document(found))
            if not flaws or not mend:
                return flaws
            for folder in {flaw.folder for flaw in flaws if flaw.folder is not None}:
                if self._is_whole(found, folder):
                    remove(self._root / folder, staging=publisher.staging)
            try:
                publisher.publish_held(found)
            except NotFound:
                # a blob that is missing is told by whoever looks at the store
                return flaws
            still = {(flaw.code, flaw.subject) for flaw in self._document(found)}
            return [replace(flaw, mended=(flaw.code, flaw.subject) not in still) for flaw in flaws]

    def rest(self, document: AskDocument, *, mend: bool) -> Iterator[TreeFlaw]:
        """What is wrong in the tree beside the documents that there are."""
        if not self._root.is_dir():
            return
        yield from self._staging(mend=mend)
        yield from self._top(document, mend=mend)
        yield from self._index(document, mend=mend)
        yield from self._links(document, mend=mend)
        yield from self._claims(document, mend=mend)

    def _document(self, entry: DocumentEntry) -> Iterator[TreeFlaw]:
        document = entry.document
        folder = layout.document_folder(document.doc_id)
        yield from self._text(PurePosixPath(layout.README), texts.ROOT_README)
        if not (self._root / folder).is_dir():
            yield TreeFlaw(FindingCode.TREE_MISSING, str(folder))
        else:
            yield from self._text(folder / layout.README, texts.document_readme(entry))
            yield from self._current(folder / layout.CURRENT, entry.current.version.content.digest)
            for version in entry.versions:
                yield from self._version(version, entry)
            named = {each.version.content.digest.hex for each in entry.versions}
            yield from self._strangers(folder, named | {layout.README, layout.CURRENT}, VERSION_NAME)
        names = list(self._publisher.names.found(document.doc_id, document))
        if not names:
            yield TreeFlaw(FindingCode.TREE_MISSING, str(layout.name_path(document)))
        shard = index_lines(self._root / layout.index_shard(document.doc_id))
        if shard.get(document.doc_id) != texts.index_line(entry):
            yield TreeFlaw(FindingCode.INDEX_DIFFERS, document.doc_id)

    def _version(self, entry: VersionEntry, document: DocumentEntry) -> Iterator[TreeFlaw]:
        version = entry.version
        folder = layout.version_folder(version.doc_id, version.content.digest)
        if not (self._root / folder).is_dir():
            yield TreeFlaw(FindingCode.TREE_MISSING, str(folder))
            return
        original = layout.original_name(version.content.media_type)
        yield from self._file(folder / original, version.content, folder)
        yield from self._text(folder / "version.json", texts.version_facts(entry, document))
        named = {each.representation_id for each in entry.representations}
        for representation in entry.representations:
            below = folder / representation.representation_id
            if not (self._root / below).is_dir():
                yield TreeFlaw(FindingCode.TREE_MISSING, str(below))
                continue
            files = {"manifest.json": representation.manifest}
            files |= {asset.path: asset.content for asset in representation.assets}
            for path, content in files.items():
                yield from self._file(below / path, content, below)
            for path in sorted((self._root / below).rglob("*")):
                inside = str(path.relative_to(self._root / below))
                if not path.is_dir() and inside not in files:
                    yield TreeFlaw(FindingCode.TREE_EXTRA, str(below / inside), folder=below)
        yield from self._strangers(folder, named | {original, "version.json"}, REPRESENTATION_NAME)

    def _strangers(self, folder: PurePosixPath, known: set[str], form: re.Pattern[str]) -> Iterator[TreeFlaw]:
        """What a folder holds beside what it should: what has the form of ours is extra, other things are strays."""
        for path in sorted((self._root / folder).iterdir()):
            if path.name not in known:
                is_ours = form.fullmatch(path.name) is not None
                code = FindingCode.TREE_EXTRA if is_ours else FindingCode.STRAY_FILE
                yield TreeFlaw(code, str(folder / path.name))

    def _text(self, path: PurePosixPath, text: str) -> Iterator[TreeFlaw]:
        try:
            if (self._root / path).read_bytes() != text.encode("utf-8"):
                yield TreeFlaw(FindingCode.TREE_DIFFERS, str(path))
        except OSError:
            yield TreeFlaw(FindingCode.TREE_MISSING, str(path))

    def _current(self, path: PurePosixPath, content: Digest) -> Iterator[TreeFlaw]:
        there = self._root / path
        try:
            leads_to = str(there.readlink()) if there.is_symlink() else there.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            yield TreeFlaw(FindingCode.TREE_MISSING, str(path))
            return
        if leads_to != content.hex:
            yield TreeFlaw(FindingCode.TREE_MISPLACED, str(path))

    def _file(self, path: PurePosixPath, content: BlobRef, folder: PurePosixPath) -> Iterator[TreeFlaw]:
        there = self._root / path
        try:
            if not there.is_file():
                yield TreeFlaw(FindingCode.TREE_MISSING, str(path), folder=folder)
            elif not self._is_same(there, content):
                yield TreeFlaw(FindingCode.TREE_DIFFERS, str(path), folder=folder)
        except OSError:
            yield TreeFlaw(FindingCode.TREE_DIFFERS, str(path), folder=folder)

    def _is_same(self, path: Path, content: BlobRef) -> bool:
        """Whether a file is a blob: the same file, or one with the same bytes."""
        try:
            host = self._store.host_path(content.digest)
            if host is not None and path.samefile(host):
                return True
        except EyelineError:
            pass
        if path.stat().st_size != content.byte_count:
            return False
        with path.open("rb") as opened:
            return copy_checked(opened, len)[0] == content.digest

    def _is_whole(self, entry: DocumentEntry, folder: PurePosixPath) -> bool:
        """Whether all that a folder shows is whole in the store, so that removing it loses nothing."""
        for version in entry.versions:
            shown = [version.version.content] if version.version.content.digest.hex == folder.name else []
            for each in version.representations:
                if each.representation_id == folder.name or shown:
                    shown += [each.manifest, *(asset.content for asset in each.assets)]
            for content in shown:
                try:
                    self._store.verify(content.digest)
                except EyelineError:
                    return False
        return True

    def _staging(self, *, mend: bool) -> Iterator[TreeFlaw]:
        folder = self._root / layout.LOCKS
        if not folder.is_dir() or not self._publisher.staging.is_dir():
            return
        with (folder / "staging").open("ab") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            for path in sorted(self._publisher.staging.iterdir()):
                mended = mend and remove(path, staging=self._publisher.staging)
                subject = f"{layout.STAGING}/{path.name}"
                yield TreeFlaw(FindingCode.STAGING_LEFTOVER, subject, mended=mended)

    def _top(self, document: AskDocument, *, mend: bool) -> Iterator[TreeFlaw]:
        for path in sorted(self._root.iterdir()):
            if path.name in _OURS:
                continue
            if not _DOCUMENT_NAME.fullmatch(path.name):
                yield TreeFlaw(FindingCode.STRAY_FILE, path.name)
            elif document(path.name) is None:
                yield TreeFlaw(FindingCode.TREE_EXTRA, path.name, mended=mend and self._withdrawn(path.name, document))

    def _withdrawn(self, doc_id: str, document: AskDocument) -> bool:
        """Remove the folder and the line of a document that there is not; false when there is one by now."""
        publisher = self._publisher
        with publisher.writing(), publisher.locked(doc_id):
            if document(doc_id) is not None:
                return False
            publisher.withdraw_held(doc_id)
        return True

    def _index(self, document: AskDocument, *, mend: bool) -> Iterator[TreeFlaw]:
        for path in sorted((self._root / layout.INDEX).glob("*")):
            subject = f"{layout.INDEX}/{path.name}"
            shard = _SHARD_NAME.fullmatch(path.name)
            if shard is None:
                yield TreeFlaw(FindingCode.STRAY_FILE, subject)
                continue
            for doc_id in sorted(index_lines(path)):
                if layout.shard(doc_id) == shard[1] and document(doc_id) is None:
                    mended = mend and self._withdrawn(doc_id, document)
                    yield TreeFlaw(FindingCode.INDEX_DIFFERS, doc_id, mended=mended)
            if path.exists() and not _is_tidy(path):
                if mend:
                    self._publisher.tidy_index(path)
                yield TreeFlaw(FindingCode.INDEX_DIFFERS, subject, mended=mend)

    def _links(self, document: AskDocument, *, mend: bool) -> Iterator[TreeFlaw]:
        names = self._publisher.names
        for path, doc_id in list(names.links()):
            if doc_id is None or not _DOCUMENT_NAME.fullmatch(doc_id):
                yield TreeFlaw(FindingCode.STRAY_FILE, str(path))
                continue
            named = document(doc_id)
            if named is not None and path in names.found(doc_id, named):
                continue
            mended = False
            if mend:
                with self._publisher.naming():
                    mended = names.remove_link(path, doc_id)
            yield TreeFlaw(
                FindingCode.TREE_DANGLING if named is None else FindingCode.TREE_MISPLACED, str(path), mended=mended
            )

    def _claims(self, document: AskDocument, *, mend: bool) -> Iterator[TreeFlaw]:
        for path in sorted((self._root / layout.NAMES).glob("??/*")):
            doc_id = str(path.readlink()) if path.is_symlink() else ""
            if document(doc_id) is None:
                with self._publisher.naming():
                    mended = mend and document(doc_id) is None and remove(path, staging=self._publisher.staging)
                yield TreeFlaw(FindingCode.TREE_DANGLING, str(path.relative_to(self._root)), mended=mended)


def _is_tidy(path: Path) -> bool:
    """Whether every line of a file of the index is the one line of a document of its shard."""
    lines = index_lines(path)
    count = len(path.read_text("utf-8", errors="replace").splitlines())
    return count == len(lines) and all(layout.shard(doc_id) == path.stem for doc_id in lines)
