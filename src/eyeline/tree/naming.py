"""`by-name/`: leading to documents by what they are called, whatever meets there.

The first document to ask for a name has it. A claim, one small link for each name whatever its case, says who that is,
so that nothing has to be listed. Later ones get a suffix, and a folder that would meet a document's link another one.
The caller holds the lock on names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from eyeline.tree import layout
from eyeline.tree.layout import Named
from eyeline.tree.placing import point

_POINTER_BYTES = 4096


class Names:
    """The names of one tree."""

    def __init__(self, root: Path, *, staging: Path) -> None:
        self._root = root
        self._staging = staging

    def give(self, doc_id: str, name: Named) -> None:
        """Lead to a document by name. One that has a name keeps it."""
        if any(self.found(doc_id, name)):
            return
        path = self._past_links(layout.name_path(name))
        there = self._root / path
        if self._claim(path, doc_id) != doc_id or (there.is_dir() and not there.is_symlink()):
            path = _with_suffix(path, doc_id)
        point(self._root / path, "../" * (len(path.parts) - 1) + doc_id, staging=self._staging)

    def found(self, doc_id: str, name: Named) -> Iterator[PurePosixPath]:
        """Where links lead to a document by its name."""
        path = layout.name_path(name)
        for folder in self._folders(PurePosixPath(path.parts[0]), path.parts[1:-1]):
            for leaf in (folder / path.name, _with_suffix(folder / path.name, doc_id)):
                if self.leads_to(leaf) == doc_id:
                    yield leaf

    def take(self, doc_id: str, name: Named) -> None:
        """Take a name away, with its claim and the folders that are empty then; also what a taking left half done."""
        path = layout.name_path(name)
        folders = [*self._folders(PurePosixPath(path.parts[0]), path.parts[1:-1]), path.parent]
        # claims first: as long as the link is there, the place of its claim is known
        for each in {*(folder / path.name for folder in folders), self._past_links(path)}:
            self._release(each, doc_id)
        for link in [*self.found(doc_id, name)]:
            self.remove_link(link, doc_id)
        for folder in folders:
            self._remove_empty(folder)

    def remove_link(self, path: PurePosixPath, doc_id: str) -> bool:
        """Remove a link that leads to a document, and the folders that are empty then; false when it does not."""
        if self.leads_to(path) != doc_id:
            return False
        (self._root / path).unlink()
        self._remove_empty(path.parent)
        return True

    def links(self) -> Iterator[tuple[PurePosixPath, str | None]]:
        """Every link and file below `by-name/`, sorted, with the document it leads to, if it does."""
        for path in sorted((self._root / layout.BY_NAME).rglob("*")):
            if path.is_symlink() or not path.is_dir():
                relative = PurePosixPath(path.relative_to(self._root).as_posix())
                yield relative, self.leads_to(relative)

    def leads_to(self, path: PurePosixPath) -> str | None:
        """The document that a link, or a pointer file, leads to; none for anything else."""
        there = self._root / path
        with suppress(OSError, UnicodeDecodeError):
            if there.is_symlink():
                target = str(there.readlink())
            elif there.is_file() and there.stat().st_size < _POINTER_BYTES:
                target = there.read_text("utf-8").removesuffix("\n")
            else:
                return None
            if target.startswith("../" * (len(path.parts) - 1)):
                return target.rpartition("/")[2]
        return None

    def _folders(self, base: PurePosixPath, parts: tuple[str, ...]) -> Iterator[PurePosixPath]:
        """Every folder that a name may stand in."""
        if not parts:
            yield base
            return
        for part in (parts[0], f"{parts[0]}~folder"):
            there = self._root / base / part
            if there.is_dir() and not there.is_symlink():
                yield from self._folders(base / part, parts[1:])

    def _past_links(self, path: PurePosixPath) -> PurePosixPath:
        """The path with every folder part that is a document's link renamed, so that nothing is written through one."""
        safe = PurePosixPath(path.parts[0])
        for part in path.parts[1:-1]:
            there = self._root / safe / part
            safe /= f"{part}~folder" if there.is_symlink() or there.is_file() else part
        return safe / path.name

    def _claim(self, path: PurePosixPath, doc_id: str) -> str:
        """Which document has a name; one that is gone from the tree loses it."""
        claim = self._claim_path(path)
        claim.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            claim.symlink_to(doc_id)
        holder = str(claim.readlink())
        if holder != doc_id and not (self._root / holder).exists():
            claim.unlink()
            claim.symlink_to(doc_id)
            return doc_id
        return holder

    def _release(self, path: PurePosixPath, doc_id: str) -> None:
        claim = self._claim_path(path)
        with suppress(OSError):
            if str(claim.readlink()) == doc_id:
                claim.unlink()
        with suppress(OSError):
            claim.parent.rmdir()

    def _claim_path(self, path: PurePosixPath) -> Path:
        key = hashlib.sha256(str(path).casefold().encode()).hexdigest()
        return self._root / layout.NAMES / key[:2] / key[2:34]

    def _remove_empty(self, folder: PurePosixPath) -> None:
        with suppress(OSError):
            while len(folder.parts) > 1:
                (self._root / folder).rmdir()
                folder = folder.parent


def _with_suffix(path: PurePosixPath, doc_id: str) -> PurePosixPath:
    return path.with_name(f"{path.name}~{doc_id.removeprefix('doc_')[:8]}")
