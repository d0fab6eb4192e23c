"""Looking over the folders of a local store: what is not as docs/format.md says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyeline.model.digest import Digest
from eyeline.store.base import FlawKind, StoreFlaw
from eyeline.store.failures import store_errors
from eyeline.store.folders import entries, is_file, is_folder, status_of, survey_mode, survey_staging

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER_NAME = re.compile(r"[0-9a-f]{2}")
BLOB_NAME = re.compile(r"[0-9a-f]{64}")


def survey(root: Path, *, file_mode: int, folder_mode: int, mend: bool) -> Iterator[StoreFlaw]:
    """Wrong modes, files that are no blobs, and what dead writers left; `mend` sets modes and clears leftovers.

    Subjects are digests, or paths below `root`, which is the folder that holds `v1/`.
    """
    with store_errors("look over its folders"):
        version = root / "v1"
        yield from _strays(root, root, {"v1"})
        yield from _strays(version, root, {"sha256", "staging"})
        yield from survey_staging(version / "staging", lambda path: _below(path, root), mend=mend)
        for folder in entries(version / "sha256"):
            if FOLDER_NAME.fullmatch(folder.name) and is_folder(folder):
                yield from survey_mode(folder, _below(folder, root), mode=folder_mode, mend=mend)
                yield from _blobs(folder, root, file_mode, mend=mend)
            elif status_of(folder) is not None:
                yield StoreFlaw(FlawKind.STRAY_FILE, _below(folder, root))


def _blobs(folder: Path, root: Path, file_mode: int, *, mend: bool) -> Iterator[StoreFlaw]:
    for path in entries(folder):
        if not BLOB_NAME.fullmatch(path.name) or not path.name.startswith(folder.name):
            yield StoreFlaw(FlawKind.STRAY_FILE, _below(path, root))
        elif is_file(path):
            yield from survey_mode(path, str(Digest(path.name)), mode=file_mode, mend=mend)


def _strays(folder: Path, root: Path, known: set[str]) -> Iterator[StoreFlaw]:
    for path in entries(folder):
        if path.name not in known:
            yield StoreFlaw(FlawKind.STRAY_FILE, _below(path, root))


def _below(path: Path, root: Path) -> str:
    return str(path.relative_to(root))
